#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tables.sh README KVPLAN: each fenced block of shell that ends in a kvplan sweep and stands before a Markdown table prints that very table.
set -euo pipefail
readme=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$(realpath "$2")" "$folder/bin/kvplan"
export PATH="$folder/bin:$PATH" LC_ALL=C.UTF-8

# N.command and N.table, for each block with its table.
awk -v folder="$folder" '
    /^```sh$/ { inside = 1; block = ""; next }
    /^```$/ && inside { inside = 0; waiting = block ~ /kvplan sweep/; next }
    inside { block = block $0 "\n"; next }
    waiting && /^\|/ { n++; printf "%s", block > (folder "/" n ".command"); waiting = 0; table = 1 }
    table && /^\|/ { print > (folder "/" n ".table"); next }
    { table = 0; if ($0 != "") waiting = 0 }
' "$readme"

tables=0
for command in "$folder"/*.command; do
    [ -e "$command" ] || break
    tables=$((tables + 1))
    bash -euo pipefail "$command" 2>"$folder/errors" | diff "${command%.command}.table" - || {
        echo "$readme: not what this prints:"
        cat "$command" "$folder/errors"
        exit 1
    }
done
[ "$tables" -ge 3 ] || {
    echo "$readme: $tables tables found, at least 3 expected"
    exit 1
}
