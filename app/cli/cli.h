// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/catalog.h"

namespace kvscope::cli {

/// Where a run reads and writes. Results go to `out`, everything else to `err`; both are UTF-8.
struct Terminal {
    std::istream &in;
    std::ostream &out;
    std::ostream &err;
    bool colour = false;  ///< `out` is a terminal, and NO_COLOR is not set
    bool rewrite = false; ///< `err` is a terminal: progress rewrites one line
    int columns = 80;     ///< width of the terminal
};

/// One run of kvplan: `words` are the command line without the program's name. The terminal contract is spec/cli.md.
/// Returns the exit status: 0 it fits or done, 1 it does not fit or is refused, 2 the words are wrong, 3 a file can't be used, 130 interrupted.
/// Needs a QCoreApplication, for the language.
int run(const std::vector<std::string> &words, const Terminal &terminal, const Catalog &catalog);

} // namespace kvscope::cli
