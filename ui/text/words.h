// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format.h"

#include <QCoreApplication>
#include <QString>

#include <string>
#include <string_view>

namespace kvscope::text {

/// The translation context of this library's sentences: Words::tr("...").
struct Words {
    Q_DECLARE_TR_FUNCTIONS(text)
};

/// Text from outside (a path, a JSON key, what was typed) made fit for one line of a sentence: control characters become spaces,
/// what is over `most` characters is cut in the middle.
QString quoted(std::string_view outside, int most = 160);

/// "a, b, c" of core in the language's way of listing.
QString listed(std::string_view commaSeparated);

} // namespace kvscope::text
