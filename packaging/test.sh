#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds with warnings as errors and passes every test: plain, under ASan and UBSan, and the benches for a moment.
# Format, translations, desktop files and the README's tables are tests among them (tests/packaging).
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
setUp check
cd "$root"

cmake --workflow --preset dev
cmake --workflow --preset asan
if [ -x tests/bench/run.sh ]; then
    tests/bench/run.sh --brief
fi
