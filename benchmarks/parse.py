"""Parsing speed: instructions a second, and how that compares with cutting the text into tokens.

    python benchmarks/parse.py FILE.ptx… [--repeat 3]

`cold` is the first parse in this process, when shapes of statements are still unknown; `warm` the
best of the others; `plain` the best without shapes, all through the grammar. The last column
divides the warm time by that of one `re.findall` with a simple token pattern over the same text,
measured in the same run: the machine cancels out. Times are of this process, not of the clock.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

from perflint.grammar import parse

SIMPLE = re.compile(r"//[^\n]*|[\w$%.]+|[^\s\w]")


def seconds(function: Callable[[], object]) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def measure(path: Path, repeat: int) -> tuple[int, int, float, float, float, float]:
    """Bytes, instructions, and seconds: cold, warm, plain, and of the simple tokens."""
    text = path.read_text(encoding="utf-8", errors="replace")
    cold = seconds(lambda: parse(text, str(path)))
    warm = min(seconds(lambda: parse(text, str(path))) for _ in range(repeat))
    plain = min(seconds(lambda: parse(text, str(path), cache=False)) for _ in range(repeat))
    simple = min(seconds(lambda: SIMPLE.findall(text)) for _ in range(repeat))
    functions = parse(text, str(path)).functions.values()
    count = sum(len(function.instructions) for function in functions)
    return len(text), count, cold, warm, plain, simple


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("files", type=Path, nargs="+")
    arguments.add_argument("--repeat", type=int, default=3)
    given = arguments.parse_args()
    ready = seconds(lambda: parse(".version 8.0\n.target sm_80\n"))
    print(f"the parser was ready after {ready * 1e3:.0f} ms")
    print(
        f"{'file':40} {'bytes':>9} {'instr.':>7} {'cold/s':>8} {'warm/s':>8} {'plain/s':>8} ratio"
    )
    totals = [0.0] * 6
    for path in given.files:
        row = measure(path, given.repeat)
        totals = [total + each for total, each in zip(totals, row, strict=True)]
        show(path.name[-40:], *row)
    show("all", int(totals[0]), int(totals[1]), *totals[2:])


def show(
    name: str, size: int, count: int, cold: float, warm: float, plain: float, simple: float
) -> None:
    rates = "".join(f" {count / max(each, 1e-9):8.0f}" for each in (cold, warm, plain))
    print(f"{name:40} {size:9} {count:7}{rates} {warm / max(simple, 1e-9):5.1f}")


if __name__ == "__main__":
    main()
