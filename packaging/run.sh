#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and opens KVScope; words after it go to the program. With no display it writes the default report and its charts instead.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
here=$PWD
setUp build

# A display that is named but gone (a closed ssh -X, a stopped Xvfb) is none.
hasDisplay() {
    [ "$(uname)" = Linux ] || return 0
    [ -z "${WAYLAND_DISPLAY:-}" ] || [ ! -S "${XDG_RUNTIME_DIR:-}/${WAYLAND_DISPLAY##*/}" ] || return 0
    case ${DISPLAY:-} in
    '') return 1 ;;
    :*)
        local number=${DISPLAY#:}
        grep -q "/tmp/.X11-unix/X${number%%.*}\$" /proc/net/unix
        ;;
    *) return 0 ;;
    esac
}

cd "$root"
log=build/configure.log
cmake --preset release >"$log" 2>&1 || fail "CMake found something missing: $(grep -A 3 'CMake Error' "$log" | head -n 4 | tr -s '\n ' ' '); log: $root/$log"
cmake --build --preset release --target kvscope kvplan || fail "the build failed; its first error stands above"
bin=$root/build/release/app
cd "$here"

if hasDisplay || [ "${QT_QPA_PLATFORM:-}" = offscreen ] || [ $# -gt 0 ]; then
    exec "$bin/kvscope" "$@"
fi

# The scenario that the window opens on.
out=$root/build/report
mkdir -p "$out"
export QT_QPA_PLATFORM=offscreen
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
    XDG_RUNTIME_DIR=$(mktemp -d)
    export XDG_RUNTIME_DIR
    trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi
scenario=$out/example.kvscope
"$bin/kvplan" compare --model llama-3.1-8b-instruct --gpu rtx-4090 --gpu rtx-5090 --gpu l40s --gpu a100-sxm4-80gb --save "$scenario"
for report in pdf html; do
    "$bin/kvscope" --render "$out/report.$report" "$scenario"
done
for chart in growth boundary compare; do
    "$bin/kvscope" --render "$out/$chart.svg" "$scenario" --chart "$chart"
done
say "No display here, so no window; the report and its charts are in $out"
