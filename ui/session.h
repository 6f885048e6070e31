// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "core/scenario.h"

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <optional>

namespace kvscope {

/// What the last session left behind.
struct SessionReading {
    std::optional<Scenario> scenario; ///< empty: there was none, or it was damaged
    std::optional<Error> damage;      ///< why it could not be read
    QString setAside;                 ///< where the damaged file was moved to
};

/// The scenario being worked on, kept on disk so that nothing is lost when the program dies at any moment: each save goes through a
/// temporary file and a rename, so that the file is always whole.
class Session : public QObject {
    Q_OBJECT

public:
    /// `path`: the session's file. `current` gives what to save.
    Session(QString path, std::function<Scenario()> current, QObject *parent = nullptr);

    /// A damaged file is renamed, so that it is neither read again nor lost.
    SessionReading read() const;
    /// Saves within 300 ms, in a thread of its own, since a disk may be slow.
    void touch();
    /// Saves before it returns; for the end of the program.
    std::optional<Error> saveNow();

    ~Session() override;

    /// In the user's data folder.
    static QString defaultPath();

signals:
    void saveFailed(const kvscope::Error &error);

private:
    std::optional<Error> write(const Scenario &scenario) const;
    void sweep() const;

    QString m_path;
    std::function<Scenario()> m_current;
    QTimer m_timer;
    QThreadPool m_writer;
};

} // namespace kvscope
