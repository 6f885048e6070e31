// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/opening.h"

#include <QObject>
#include <QThreadPool>

namespace kvscope {

/// Reads files in a thread of its own, since a disk or a network folder may be slow. What is ready at once is told at once; an answer that
/// comes after another file was asked for, or after cancel(), is dropped.
class FileOpener : public QObject {
    Q_OBJECT

public:
    explicit FileOpener(QObject *parent = nullptr);
    ~FileOpener() override;

    void open(const QString &path);
    void cancel() { ++m_asked; }

signals:
    void opened(const QString &path, const kvscope::Result<kvscope::Opened> &result);
    /// It takes a while.
    void waiting(const QString &path);

private:
    int m_asked = 0;
    QThreadPool m_reader;
};

} // namespace kvscope
