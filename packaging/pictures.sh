#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Takes the README's pictures of the window anew, from build/release. Needs Xvfb, openbox, xdotool and ImageMagick.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
home=$(mktemp -d)
mkfifo "$home/display"
Xvfb -displayfd 3 -screen 0 1500x940x24 3>"$home/display" 2>/dev/null &
server=$!
DISPLAY=:$(head -n 1 "$home/display")
export DISPLAY
openbox 2>/dev/null &
manager=$!
trap 'kill "$manager" "$server"; wait; rm -rf "$home"' EXIT
export HOME=$home XDG_RUNTIME_DIR=$home LC_ALL=C.UTF-8
unset QT_QPA_PLATFORM WAYLAND_DISPLAY

# picture NAME WORDS...: the window started with these words, as resources/help/pictures/NAME.png.
picture() {
    local name=$1 program window
    shift
    rm -rf "$home/.local" "$home/.config"
    "$root/build/release/app/kvscope" "$@" &
    program=$!
    window=$(xdotool search --sync --onlyvisible --name KVScope | tail -n 1)
    sleep 2 # the window manager has placed it
    xdotool windowsize "$window" 1440 880 mousemove 5 5
    sleep 2 # the last paint
    import -window "$window" -dither None -colors 256 "PNG8:$root/resources/help/pictures/$name.png"
    kill "$program"
    wait "$program" || true
}

picture window-light --lang en --theme light
picture window-dark-zh --lang zh_CN --theme dark
