#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [--brief] [BUILD_FOLDER]: one table of ratios, both sides of each measured in this run. Prints, never judges: a busy machine
# must not fail a build. --brief runs each bench for a moment, so that none can rot.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
brief=""
if [ "${1:-}" = --brief ]; then brief=1; shift; fi
build=${1:-$root/build/release}

cmake --preset release -S "$root" -B "$build" -DKVSCOPE_BENCH=ON >/dev/null
cmake --build "$build" --target bench_core bench_sweep bench_gguf bench_empty bench_versus bench_window bench_blank kvplan kvscope >/dev/null

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 HOME=$home XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home XDG_RUNTIME_DIR=$home
bench=$build/tests/bench

rounds=30 steps=300 contexts=400 seconds=0.5
if [ -n "$brief" ]; then rounds=2 steps=10 contexts=4 seconds=0.01; fi

core=$("$bench/bench_core" --benchmark_min_time=$seconds --benchmark_format=csv 2>/dev/null)
nanoseconds() { awk -F, -v name="\"$1\"" '$1 == name { print $4 }' <<<"$core"; }
plan=$(nanoseconds plan) sum=$(nanoseconds bareSum) window=$(nanoseconds evaluateWindow)

row() { printf '| %-46s | %-62s | %-14s |\n' "$1" "$2" "$3"; }
row 'what' 'measured' 'goal'
row '---' '---' '---'
row 'plan' "$(awk -v p="$plan" -v s="$sum" 'BEGIN { printf "%.2f us; %.1f times the bare sum of its terms", p / 1000, p / s }')" '<= 2 us'
row 'evaluate: 8 clusters, 6 precisions, 128 points' "$(awk -v w="$window" 'BEGIN { printf "%.3f ms", w / 1e6 }')" '<= 1 ms'
row 'slider step to pixels over a full repaint' "$("$bench/bench_window" $steps)" '<= 1.10'
row 'first paint over a blank window' "$("$bench/bench_versus" $rounds "$build/app/kvscope" --quit-after-paint -- "$bench/bench_blank")" '<= 3'
row 'kvplan plan over an empty program' "$("$bench/bench_versus" $rounds "$build/app/kvplan" plan --layers 32 --kv-heads 8 --head-dim 128 \
    --gpu-memory 24GB --json -- "$bench/bench_empty")" '<= 3'
row 'sweep' "$("$bench/bench_sweep" $contexts)" '>= 1e6, >= 1.8'
row 'GGUF header over a plain walk of its bytes' "$("$bench/bench_gguf" "$rounds")" '<= 1.5'
