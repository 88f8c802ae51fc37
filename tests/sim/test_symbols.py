"""What a launch finds in a module's variables, and which reads of it are told to be invented."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.grammar import parse
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Fill, Launch, Run, SymbolBytes
from perflint.sim.memory import Accounting, Region
from tests.sim.kernels import HEADER

SIZE = 24
pieces = st.lists(
    st.builds(
        SymbolBytes,
        st.just("v"),
        st.integers(0, SIZE + 4),
        st.binary(min_size=1, max_size=12),
        st.booleans(),
    ),
    max_size=5,
)


@given(pieces, st.booleans())
def test_a_variable_holds_what_the_launch_says(found: list[SymbolBytes], told: bool) -> None:
    region = Region(1, "v", Fill.RANDOM, 1024, Accounting(1 << 20), "u32", SIZE, initialised=told)
    before = region.initial(np.arange(1)).reshape(-1)[:SIZE].tolist()
    region.hold(found)
    data, known = before, [told] * SIZE
    for piece in found:
        for number, byte in enumerate(piece.data):
            if piece.offset + number < SIZE:
                data[piece.offset + number], known[piece.offset + number] = byte, piece.told
    assert region.initial(np.arange(1)).reshape(-1)[:SIZE].tolist() == data
    offsets = np.arange(SIZE - 3)
    wrong = sum(not all(known[at : at + 4]) for at in offsets.tolist())
    assert region.invented(offsets, 4) == wrong


#: Lane n reads settings[n & 3] and width: what it does with them, `body` says.
KERNEL = f"""{HEADER}.const .align 4 .u32 width;
.const .align 4 .b8 settings[16];
.global .align 4 .u32 rounds;
.visible .entry k(.param .u64 out) {{
.reg .b32 %t, %i, %v, %w, %r; .reg .b64 %o, %a, %s; .reg .pred %p;
ld.param.u64 %o, [out];
mov.u32 %t, %tid.x;
and.b32 %i, %t, 3;
mul.wide.u32 %a, %i, 4;
mov.u64 %s, settings;
add.s64 %a, %a, %s;
ld.const.u32 %v, [%a];
ld.const.u32 %w, [width];
ld.global.u32 %r, [rounds];
BODY
ret;
}}"""
STORED = "mad.lo.u32 %v, %v, 1000, %w;\nadd.u32 %v, %v, %r;\n"
LANE = "mul.wide.u32 %a, %t, 4;\nadd.s64 %a, %a, %o;\n"
WRITES = f"{STORED}{LANE}st.global.u32 [%a], %v;"
#: The value of `width` is a stride; that of `settings` is only stored.
STRIDES = "mul.lo.u32 %w, %w, %t;\nmul.wide.u32 %a, %w, 4;\nadd.s64 %a, %a, %o;\n"


def run(body: str, symbols: tuple[SymbolBytes, ...], cut: bool = False) -> Run:
    module = parse(KERNEL.replace("BODY", body))
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("out", "u32"),), symbols=symbols)
    return simulate(module, "k", launch, SimulationOptions(slice_only=cut))


def words(*numbers: int) -> bytes:
    return np.array(numbers, np.uint32).tobytes()


def test_whole_kernels_compute_with_it() -> None:
    symbols = (
        SymbolBytes("width", 0, words(7)),
        SymbolBytes("settings", 0, words(5, 6)),
        SymbolBytes("settings", 8, words(1, 2)),
        SymbolBytes("rounds", 0, words(9)),
    )
    found = run(WRITES, symbols)
    lanes = np.arange(32)
    expected = np.array([5, 6, 1, 2])[lanes & 3] * 1000 + 7 + 9
    assert found.buffers["out"].view(np.uint32).tolist() == expected.tolist()
    assert not found.faults


@pytest.mark.parametrize(
    ("symbols", "lanes"),
    [
        ((), 64),
        ((SymbolBytes("width", 0, words(1)),), 32),
        ((SymbolBytes("width", 0, words(1), told=False),), 64),
        ((SymbolBytes("width", 0, words(1)), SymbolBytes("settings", 4, words(1, 2))), 16),
        ((SymbolBytes("settings", 0, words(1, 2, 3, 4)),), 32),
        ((SymbolBytes("rounds", 0, words(1), told=False),), 96),
    ],
)
def test_reads_of_what_nobody_tells_are_counted(
    symbols: tuple[SymbolBytes, ...], lanes: int
) -> None:
    found = [f for f in run(WRITES, symbols).faults if f.kind == "unwritten-constant"]
    assert sum(f.count for f in found) == lanes


@pytest.mark.parametrize(("told", "lanes"), [(True, 0), (False, 32)])
def test_what_decides_nothing_is_not_counted_in_a_run_that_is_cut(told: bool, lanes: int) -> None:
    symbols = (SymbolBytes("width", 0, words(8), told),)
    found = run(f"{STRIDES}st.global.u32 [%a], %v;", symbols, cut=True)
    assert sum(f.count for f in found.faults if f.kind == "unwritten-constant") == lanes
