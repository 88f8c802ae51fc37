"""Parsing speed: instructions a second, and how that compares with cutting the text into tokens.

    python benchmarks/parse.py [FILE.ptx…] [--repeat 5]

Without files, the PTX of examples/*.cu is measured, as it is and repeated to a long file.

`cold` is the first parse in this process, when shapes of statements are still unknown; `warm` the
best of the others; `plain` the best without shapes, all through the grammar. The last column
divides the warm time by that of one `re.findall` with a simple token pattern over the same text,
measured in the same run: the machine cancels out. Times are of this process, not of the clock.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from perflint.grammar import parse

SIMPLE = re.compile(r"//[^\n]*|[\w$%.]+|[^\s\w]")
EXAMPLES = Path(__file__).parent.parent / "examples"
#: A long file is one of so many instructions.
LONG = 4_000


@dataclass(frozen=True)
class Measured:
    """One text, or the sum of several; times in seconds."""

    size: int
    instructions: int
    cold: float
    warm: float
    plain: float
    simple: float

    def __add__(self, other: Measured) -> Measured:
        mine, others = vars(self).values(), vars(other).values()
        return Measured(*(a + b for a, b in zip(mine, others, strict=True)))

    def __str__(self) -> str:
        rates = [self.instructions / max(each, 1e-9) for each in (self.cold, self.warm, self.plain)]
        columns = "".join(f" {rate:8.0f}" for rate in rates)
        ratio = self.warm / max(self.simple, 1e-9)
        return f"{self.size:9} {self.instructions:7}{columns} {ratio:5.1f}"


def seconds(function: Callable[[], object]) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def instructions(text: str) -> int:
    return sum(len(function.instructions) for function in parse(text).functions.values())


def measure(text: str, repeat: int) -> Measured:
    """Parse a text in all ways, each `repeat` times but the cold one."""
    cold = seconds(lambda: parse(text))
    return Measured(
        len(text),
        instructions(text),
        cold,
        min(seconds(lambda: parse(text)) for _ in range(repeat)),
        min(seconds(lambda: parse(text, cache=False)) for _ in range(repeat)),
        min(seconds(lambda: SIMPLE.findall(text)) for _ in range(repeat)),
    )


def examples() -> Iterator[tuple[str, str]]:
    """Name and PTX of each example, and of a long file made of it."""
    from perflint.frontend import compile_file

    for path in sorted(EXAMPLES.glob("*.cu")):
        text = compile_file(path).ptx
        if text:
            yield path.name, text
            times = LONG // max(1, instructions(text)) + 1
            yield f"{path.name} × {times}", repeated(text, times)


def repeated(text: str, times: int) -> str:
    """A module whose functions and variables stand in it several times, each with its own name."""
    begin = text.index("\n", text.index(".address_size")) + 1
    end = text.find("\n\t.file")
    body, rest = (text[begin:end], text[end:]) if end >= 0 else (text[begin:], "")
    module = parse(text)
    names = "|".join(map(re.escape, (*module.functions, *module.variables)))
    copies = [re.sub(rf"\b(?:{names})", rf"\g<0>_{each}", body) for each in range(times)]
    return text[:begin] + "\n".join(copies) + rest


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("files", type=Path, nargs="*", help="PTX files")
    arguments.add_argument("--repeat", type=int, default=5, help="times to parse each (5)")
    given = arguments.parse_args()
    ready = seconds(lambda: parse(".version 8.0\n.target sm_80\n"))
    texts = (
        ((path.name, path.read_text(encoding="utf-8", errors="replace")) for path in given.files)
        if given.files
        else examples()
    )
    print(f"the parser was ready after {ready * 1e3:.0f} ms")
    print(f"{'file':40}     bytes  instr.   cold/s   warm/s  plain/s ratio")
    total = Measured(0, 0, 0, 0, 0, 0)
    for name, text in texts:
        found = measure(text, max(1, given.repeat))
        total += found
        print(f"{name[-40:]:40} {found}", flush=True)
    if not total.size:
        sys.exit("nothing was measured: no example compiled")
    print(f"{'all':40} {total}")


if __name__ == "__main__":
    main()
