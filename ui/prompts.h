// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace kvscope {

enum class SaveAnswer { Save, Discard, Cancel };

/// The questions that a window asks a person. Each answers later, through `then`, and never blocks; tests put answers of their own here.
struct Prompts {
    using Path = std::function<void(const QString &)>;

    std::function<void(QWidget *parent, const QString &title, const QString &folder, const QString &filter, Path then)> openFile;
    std::function<void(QWidget *parent, const QString &title, const QString &suggested, const QString &filter, Path then)> saveFile;
    std::function<void(QWidget *parent, const QString &title, const QString &folder, Path then)> openFolder;
    std::function<void(QWidget *parent, const QString &file, std::function<void(SaveAnswer)> then)> askSave;

    /// Qt's dialogs, window-modal.
    static Prompts dialogs();
};

} // namespace kvscope
