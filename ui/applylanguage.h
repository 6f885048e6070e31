// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace kvscope {

/// Installs the words of "en", "zh_CN" or "" (the system's), and a font with the forms that its characters have: left to itself, Qt takes the
/// Japanese forms of a font that has both, unless the system itself is Chinese.
void applyLanguage(const QString &language);

} // namespace kvscope
