"""The analysis' integer meanings are the simulator's: both compute the same bits.

Numbers of the analysis are mathematical ones; of two that are equal modulo 2^bits either may stand
for what a register holds. A result must be the simulator's, modulo 2^bits, whichever stands there.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis.intervals import constant
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.provenance import Scope
from perflint.analysis.ranges import result
from perflint.analysis.symbolic_transfer import computed
from perflint.analysis.symbolic_transfer import result as symbolic
from perflint.grammar import parse, table
from perflint.grammar.model import Instruction
from perflint.sim.meaning import meanings_of
from perflint.sim.values import DTYPE, recast

#: Integer instructions by operands: (text with types left open, types).
_WIDTHS = ("16", "32", "64")
TWO = [
    *(f"{op}.{kind}{bits}" for op in ("div", "rem", "min", "max", "add", "sub", "mul.lo", "mul.hi")
      for kind in "us" for bits in _WIDTHS),
    *(f"{op}.b{bits}" for op in ("and", "or", "xor", "shl") for bits in _WIDTHS),
    *(f"shr.{kind}{bits}" for kind in "bus" for bits in _WIDTHS),
    *(f"setp.{how}.{kind}{bits}" for how in ("eq", "ne", "lt", "le", "gt", "ge") for kind in "us"
      for bits in _WIDTHS),
    *(f"setp.{how}.u{bits}" for how in ("lo", "ls", "hi", "hs") for bits in _WIDTHS),
    *(f"mul.wide.{kind}{bits}" for kind in "us" for bits in ("16", "32")),
]  # fmt: skip
ONE = [
    *(f"{op}.b{bits}" for op in ("popc", "clz") for bits in ("32", "64")),
    *(f"not.b{bits}" for bits in _WIDTHS),
    *(f"{op}.s{bits}" for op in ("neg", "abs") for bits in _WIDTHS),
    *(f"bfind{how}.u{bits}" for how in ("", ".shiftamt") for bits in ("32", "64")),
    *(f"cvt.{to}.{source}" for to in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
      for source in ("u16", "s16", "u32", "s32", "u64", "s64")),
]  # fmt: skip
THREE = [
    *(f"mad.lo.{kind}{bits}" for kind in "us" for bits in _WIDTHS),
    *(f"mad.hi.{kind}{bits}" for kind in "us" for bits in _WIDTHS),
    *(f"bfe.{kind}{bits}" for kind in "us" for bits in ("32", "64")),
]
FOUR = ["bfi.b32", "bfi.b64", "lop3.b32"]

EDGES = [0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 127, 128, 255, 1 << 15, (1 << 16) - 1, 1 << 31,
         (1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1, 1 << 63]  # fmt: skip
numbers = st.one_of(
    st.sampled_from([sign * n for n in EDGES for sign in (1, -1)]),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(-300, 300),
)


@cache
def instruction(name: str, operands: int) -> Instruction:
    """One that reads `operands` registers and writes another."""
    registers = ", ".join(f"%x{n}" for n in range(operands))
    width = {"8": "16"}.get(name.rpartition(".")[2][1:], name.rpartition(".")[2][1:])
    target = "%p" if name.startswith("setp") else "%y"
    last = ", 0x96" if name.startswith("lop3") else ""
    module = parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .pred %p;"
        f" .reg .b{width} %x<5>; .reg .b64 %y; {name} {target}, {registers}{last}; ret; }}"
    )
    return module.kernels[0].instructions[0]


def simulated(i: Instruction, values: list[int]) -> tuple[int, int]:
    """(what the simulator computes, unsigned; of how many bits)."""
    (found,) = meanings_of(i)
    arguments = []
    for value, ptx_type in zip(values, found.sources, strict=True):
        dtype = DTYPE[ptx_type]
        unsigned = np.dtype(f"u{dtype.itemsize}")
        held = np.array([value % (1 << 8 * dtype.itemsize)], unsigned)
        arguments.append(recast(held, dtype))
    with np.errstate(all="ignore"):
        out = np.asarray(found.function(*arguments))
    if out.dtype.kind == "b":
        return int(out.reshape(-1)[0]), 1
    return int(out.astype(DTYPE[found.results[0]]).reshape(-1)[0]) % (
        1 << 8 * out.dtype.itemsize
    ), 8 * out.dtype.itemsize


def held(number: int, bits: int) -> int:
    """A number as a register of some bits may be thought to hold it: signed, or unsigned."""
    span = 1 << bits
    return number if -(span >> 1) <= number < span else (number + span // 2) % span - span // 2


def operand_bits(name: str, at: int) -> int:
    if name.startswith("sh") and at == 1:
        return 32
    if name[:2] == "bf" and name[2] in "ei" and at >= (1 if name[2] == "e" else 2):
        return 32
    bits = int(name.rpartition(".")[2][1:])
    return bits


MODULE = parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }")
SCOPE = Scope(MODULE, MODULE.kernels[0], {})
CASES = [(n, 1) for n in ONE] + [(n, 2) for n in TWO] + [(n, 3) for n in THREE] + [
    (n, 4 if n[0] == "b" else 3) for n in FOUR
]  # fmt: skip


@pytest.mark.parametrize(("name", "count"), CASES)
@settings(max_examples=30, deadline=None)
@given(chosen=st.lists(numbers, min_size=4, max_size=4))
def test_constants_fold_to_what_the_simulator_computes(
    name: str, count: int, chosen: list[int]
) -> None:
    i = instruction(name, count)
    assert computed(i)
    values = [held(chosen[at], operand_bits(name, at)) for at in range(count)]
    registers = {f"%x{n}": Polynomial(value) for n, value in enumerate(values)}
    out = symbolic(i, registers, SCOPE, "")
    if out is None or out.constant is None:
        assert name.startswith(("cvt", "mul.wide"))
        return
    wanted, bits = simulated(i, values)
    assert out.constant % (1 << bits) == wanted


small = st.integers(-300, 300)


@pytest.mark.parametrize(("name", "count"), CASES)
@settings(max_examples=15, deadline=None)
@given(chosen=st.lists(small, min_size=4, max_size=4))
def test_ranges_hold_what_the_simulator_computes(name: str, count: int, chosen: list[int]) -> None:
    i = instruction(name, count)
    if name.startswith("setp") or table.types(i)[0][1:] == "8":
        return
    span = 1 << operand_bits(name, 0)
    if any(n < 0 for n in chosen) and ".u" in name and i.opcode in ("cvt", "mul", "mad"):
        return  # indices are assumed not to overflow
    states = {f"%x{n}": constant(chosen[n]) for n in range(count)}
    found = result(i, states, {})
    wanted, bits = simulated(i, [n % span for n in chosen[:count]])
    assert found is not None
    spelt = {wanted, wanted - (1 << bits)}
    assert any(found.low <= number <= found.high for number in spelt)
