"""A generated family of kernels, each with one access whose cost a formula gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tests.family.formula import Cost, global_cost, shared_cost

TYPES = {1: "signed char", 2: "short", 4: "float", 8: "double", 16: "float4"}
BLOCKS = [(1, 256), (2, 128), (4, 64), (8, 32), (16, 16), (32, 8), (64, 4), (256, 1), (1024, 1)]
PITCHES = [0, 1, 2, 3, 7, 8, 16, 33]  #: on top of the block's width


@dataclass(frozen=True)
class Case:
    """One kernel, and what perflint must say of the line marked `ACCESS`."""

    name: str
    source: str
    code: str  #: the rule that may fire
    cost: Cost
    block: tuple[int, int]


def row(pitch: int, x: int, y: int) -> int:
    return y * pitch + x


def column(pitch: int, x: int, y: int) -> int:
    return x * pitch + y


INDEX = {"row": (row, "y * pitch + x"), "column": (column, "x * pitch + y")}


def global_cases() -> Iterator[Case]:
    for size, type_ in TYPES.items():
        for bx, by in BLOCKS:
            for order, (index, text) in INDEX.items():
                for kind in ("load", "store"):
                    # one pitch a combination, all of them over the family
                    pad = PITCHES[(bx.bit_length() + size + len(order)) % len(PITCHES)]
                    pitch = (bx if order == "row" else by) + pad
                    yield _global_case(size, type_, bx, by, index, text, order, kind, pitch)


def _global_case(
    size: int,
    type_: str,
    bx: int,
    by: int,
    index: Callable[[int, int, int], int],
    text: str,
    order: str,
    kind: str,
    pitch: int,
) -> Case:
    name = f"g{size}_{bx}x{by}_{order}_{kind}"
    linear = f"threadIdx.y * {bx} + threadIdx.x"
    left, right = (
        (f"b[{text}]", f"a[{linear}]") if kind == "store" else (f"b[{linear}]", f"a[{text}]")
    )
    source = f"""
__global__ void {name}({type_} *b, const {type_} *a, int pitch)
{{
    int x = threadIdx.x, y = threadIdx.y;
    {left} = {right};  // ACCESS {name}
}}
void launch_{name}({type_} *b, const {type_} *a)
{{
    {name}<<<1, dim3({bx}, {by})>>>(b, a, {pitch});
}}
"""
    return Case(name, source, "CU101", global_cost(bx, by, partial(index, pitch), size), (bx, by))


def shared_cases() -> Iterator[Case]:
    for pad in range(34):
        yield _shared_case(4, "float", 32, 8, pad, "load" if pad % 2 else "store")
    for size, type_ in TYPES.items():
        for bx, by in [(8, 32), (16, 16), (32, 8), (64, 4)]:
            for pad in (0, 1, 2, 4, 8):
                yield _shared_case(size, type_, bx, by, pad, "load" if size > 2 else "store")


def _shared_case(size: int, type_: str, bx: int, by: int, pad: int, kind: str) -> Case:
    name = f"s{size}_{bx}x{by}_pad{pad}_{kind}"
    pitch = 32 + pad
    linear = f"threadIdx.y * {bx} + threadIdx.x"
    if kind == "load":
        body = f"""    for (int i = {linear}; i < {bx * pitch}; i += {bx * by})
        s[i] = a[i];
    __syncthreads();
    b[{linear}] = s[threadIdx.x * {pitch} + threadIdx.y];  // ACCESS {name}"""
    else:
        body = f"""    s[threadIdx.x * {pitch} + threadIdx.y] = a[{linear}];  // ACCESS {name}
    __syncthreads();
    b[{linear}] = s[{linear}];"""
    source = f"""
__global__ void {name}({type_} *b, const {type_} *a)
{{
    __shared__ {type_} s[{max(bx * pitch, bx * by)}];
{body}
}}
void launch_{name}({type_} *b, const {type_} *a) {{ {name}<<<1, dim3({bx}, {by})>>>(b, a); }}
"""
    return Case(name, source, "CU201", shared_cost(bx, by, partial(column, pitch), size), (bx, by))
