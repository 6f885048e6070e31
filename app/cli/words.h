// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QCoreApplication>
#include <QString>

namespace kvscope::cli {

/// QCoreApplication::translate under a shorter name; lupdate knows calls of this form.
inline QString translate(const char *context, const char *source, const char *disambiguation = nullptr)
{
    return QCoreApplication::translate(context, source, disambiguation);
}

inline QString toQString(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace kvscope::cli
