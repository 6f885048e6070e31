#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write README's accuracy table from measured runs.

    accuracy.py --kvplan PATH --configs DIR [--gguf DIR] [--readme FILE] CASES.jsonl [MORE.jsonl ...]

Each line of a case file holds "engine", "args" of `kvplan plan`, and "expect": paths of its JSON with a measured value and a
tolerance. The table between the lines `<!-- truth: begin -->` and `<!-- truth: end -->` is replaced; without --readme it is printed.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

BEGIN, END = "<!-- truth: begin -->", "<!-- truth: end -->"


def figure(document, path):
    for part in path.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def judge(case, kvplan, configs, gguf):
    """Whether every figure is within its tolerance, and the relative errors."""
    args = [a.replace("@configs/", f"{configs}/").replace("@gguf/", f"{gguf}/") for a in case["args"]]
    run = subprocess.run([kvplan, "plan", *args, "--json"], capture_output=True, text=True, timeout=60)
    try:
        document = json.loads(run.stdout)
        pairs = [(figure(document, e["path"]), e) for e in case["expect"]]
    except (ValueError, KeyError, IndexError, TypeError):
        print(f"{case['id']}: no figure: {run.stderr.strip()}", file=sys.stderr)
        return False, []
    words = [(got, e["value"]) for got, e in pairs if isinstance(e["value"], str)]
    pairs = [(got, e) for got, e in pairs if not isinstance(e["value"], str)]
    errors = [abs(got - e["value"]) / abs(e["value"]) for got, e in pairs if e["value"]]
    within = all(got == want for got, want in words) and all(
        abs(got - e["value"]) <= e.get("abs", 0) + e.get("rel", 0) * abs(e["value"]) for got, e in pairs
    )
    return within, errors


def table(rows):
    lines = ["| engine | figure | runs | within tolerance | median error | largest error |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for (engine, what), (runs, passed, errors) in sorted(rows.items()):
        middle, largest = (f"{statistics.median(errors):.2%}", f"{max(errors):.2%}") if errors else ("", "")
        lines.append(f"| {engine} | {what} | {runs} | {passed} | {middle} | {largest} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kvplan", required=True)
    parser.add_argument("--configs", required=True, type=pathlib.Path)
    parser.add_argument("--gguf", type=pathlib.Path, default=pathlib.Path("."), help="folder that @gguf/ stands for")
    parser.add_argument("--readme", type=pathlib.Path)
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args()

    rows = {}
    for line in (l for name in options.cases for l in name.read_text(encoding="utf-8").splitlines() if l.strip()):
        case = json.loads(line)
        within, errors = judge(case, options.kvplan, options.configs, options.gguf)
        runs, passed, all_errors = rows.get((case["engine"], case["why"]), (0, 0, []))
        rows[case["engine"], case["why"]] = (runs + 1, passed + within, all_errors + errors)

    text = table(rows)
    if options.readme is None:
        print(text)
        return 0
    readme = options.readme.read_text(encoding="utf-8")
    if BEGIN not in readme or END not in readme:
        print(f"accuracy.py: {options.readme}: the lines {BEGIN} and {END} are missing", file=sys.stderr)
        return 1
    head, rest = readme.split(BEGIN, 1)
    options.readme.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
