"""Numbers of one launch fit together: what is printed of a launch is what its formulas come to.

Launches are written at random, with every root among the arguments. What is printed for these is
put into the expressions of the source, which must come to what is printed for grid and arguments.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from perflint.base.launch_option import LaunchSpec, parse
from tests.launches.test_worlds import CASES, listed

KERNELS, LAUNCHES = 6, 5
NAMES = ("p", "q", "r")
MOST_GRID, MOST_SHARED = ((1 << 31) - 1, 65535, 65535), 227 << 10


def is_accepted(spec: LaunchSpec) -> bool:
    """Whether a GPU accepts a launch (CUDA C++ Programming Guide, technical specifications)."""
    x, y, z = (n or 1 for n in spec.block)
    grid = all(n is None or 1 <= n <= most for n, most in zip(spec.grid, MOST_GRID, strict=True))
    block = 1 <= x * y * z <= 1024 and min(x, y, z) >= 1 and z <= 64
    return grid and block and 0 <= (spec.shared or 0) <= MOST_SHARED


@pytest.mark.parametrize("path", sorted(CASES.glob("*.cu")), ids=lambda p: p.stem)
def test_equal_expressions_have_equal_values_and_a_gpu_accepts_the_launch(path: Path) -> None:
    for kernel in listed(path):
        for launch in kernel.launches:
            assert all(is_accepted(parse(world)) for world in launch.worlds)
            values: dict[str, str] = {}
            for quantity in launch.quantities:
                if quantity.text and "bytes" not in quantity.value and quantity.value != "array":
                    assert values.setdefault(quantity.text, quantity.value) == quantity.value


def written(chance: random.Random, depth: int) -> str:
    """An expression of C, which is one of Python as well where all numbers are positive."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice((*NAMES, str(chance.choice((1, 2, 3, 5, 7, 16)))))
    left, right = (written(chance, depth - 1) for _ in range(2))
    kind = chance.random()
    if kind < 0.3:
        size = chance.choice((16, 32, 64))
        return f"(({left} + {size - 1}) / {size})"
    return f"({left} {chance.choice('+++-***/')} {right})"


def of_c(expression: str, values: dict[str, int]) -> int | None:
    """What C makes of an expression; None where that is not defined, or beyond an int."""

    def divided(left: int, right: int) -> int:
        return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)

    class Number(int):
        def __truediv__(self, other: int) -> Number:
            return checked(divided(int(self), int(other)))

        def __add__(self, other: int) -> Number:
            return checked(int(self) + int(other))

        def __sub__(self, other: int) -> Number:
            return checked(int(self) - int(other))

        def __mul__(self, other: int) -> Number:
            return checked(int(self) * int(other))

        __rtruediv__ = __radd__ = __rsub__ = __rmul__ = None  # type: ignore[assignment]

    def checked(number: int) -> Number:
        if not -(1 << 31) <= number < 1 << 31:
            raise OverflowError
        return Number(number)

    text = re.sub(r"\d+", lambda m: f"N({m[0]})", expression)
    names = {"N": Number, **{n: Number(v) for n, v in values.items()}}
    try:
        return int(eval(text, {"__builtins__": {}}, names))  # our own text of above
    except (OverflowError, ZeroDivisionError):
        return None


@pytest.mark.parametrize("seed", range(2))
def test_random_launches_are_what_their_expressions_come_to(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lines, expected = [], {}
    for kernel in range(KERNELS):
        lines.append(
            f"__global__ void k{kernel}(float *a, int p, int q, int r, int n) {{ int i = "
            "blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = p + q * r; }"
        )
        for number in range(LAUNCHES):
            grid, count = written(chance, 2), written(chance, 3)
            lines.append(
                f"void f{kernel}_{number}(float *a, int p, int q, int r) {{ "
                f"k{kernel}<<<{grid}, {64 + 32 * number}>>>(a, p, q, r, {count}); }}"
            )
            expected[len(lines)] = grid, count
    source = tmp_path / "random.cu"
    source.write_text("\n".join(lines) + "\n")
    told = contradicted = 0
    for kernel in listed(source):
        for launch in kernel.launches:
            assert launch.place is not None
            grid, count = expected[launch.place[1]]
            for world in launch.worlds:
                spec = parse(world)
                values = dict(spec.arguments)
                roots = {name: int(values[name]) for name in NAMES}
                told += 1
                if launch.broken:
                    contradicted += 1
                    continue
                assert (spec.grid[0], values["n"]) == (of_c(grid, roots), of_c(count, roots)), world
                assert values["n"] >= 1
                assert is_accepted(spec)
    assert told >= KERNELS * LAUNCHES
    assert contradicted <= told // 5  # `1 - p` blocks are none, whatever p is
