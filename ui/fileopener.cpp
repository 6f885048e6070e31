// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fileopener.h"

#include <QCoreApplication>
#include <QEvent>
#include <QMetaObject>

namespace kvscope {

FileOpener::FileOpener(QObject *parent) : QObject(parent) {}

FileOpener::~FileOpener() { m_reader.waitForDone(); }

void FileOpener::open(const QString &path)
{
    constexpr int soon = 80; // milliseconds: what a person does not notice
    const int number = ++m_asked;
    m_reader.start([this, path, number] {
        Result<Opened> result = openPath(path);
        QMetaObject::invokeMethod(
            this,
            [this, path, number, result = std::move(result)] {
                if (number == m_asked)
                    emit opened(path, result);
            },
            Qt::QueuedConnection);
    });
    if (m_reader.waitForDone(soon))
        QCoreApplication::sendPostedEvents(this, QEvent::MetaCall); // tells what is ready
    else
        emit waiting(path);
}

} // namespace kvscope
