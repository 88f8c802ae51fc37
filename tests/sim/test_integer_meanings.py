"""Integer instructions against Python's unbounded integers (PTX ISA 9.7.1, 9.7.2, 9.7.8)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.grammar.model import Immediate, Instruction, Register
from perflint.sim.meaning import Meaning, meanings_of
from perflint.sim.values import DTYPE

Oracle = Callable[..., int]


def meaning(name: str, operands: int, table: int | None = None) -> Meaning:
    opcode, *modifiers = name.split(".")
    written = tuple(Register(f"%r{k}") for k in range(operands))
    if table is not None:
        written = (*written, Immediate(table))
    found = meanings_of(Instruction(opcode, tuple(modifiers), written, 0, 1))
    assert found, name
    return found[0]


def limits(ptx_type: str) -> tuple[int, int]:
    bits = int(ptx_type[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if ptx_type[0] == "s" else (0, 2**bits - 1)


def wrapped(value: int, ptx_type: str) -> int:
    bits = int(ptx_type[1:])
    value &= (1 << bits) - 1
    return value - (1 << bits) if ptx_type[0] == "s" and value >> (bits - 1) else value


def numbers(ptx_type: str) -> st.SearchStrategy[int]:
    low, high = limits(ptx_type)
    edges = sorted({low, high, 0, 1, high - 1, low + 1, high // 2, max(low, -1), 31, 32, 33, 255})
    return st.one_of(st.sampled_from(edges), st.integers(low, high), st.integers(low, high // 257))


def check(name: str, oracle: Oracle, data: st.DataObject, table: int | None = None) -> None:
    """Compare arrays of drawn operands, and scalars, with the oracle."""
    found = meaning(name, oracle.__code__.co_argcount + 1, table)
    kinds = [t.replace("b", "u") for t in _written_sources(name, found)]
    rows = data.draw(st.lists(st.tuples(*(numbers(k) for k in kinds)), min_size=1, max_size=6))
    columns = [
        np.array([r[k] for r in rows], dtype=DTYPE[kind]).view(DTYPE[source])
        for k, (kind, source) in enumerate(zip(kinds, found.sources, strict=True))
    ]
    result = found.results[0].replace("b", "u")
    with np.errstate(all="ignore"):
        out = found.function(*columns)
        single = found.function(*(c[0] for c in columns))
    for row, got in zip(rows, out.view(DTYPE[result]), strict=True):
        assert wrapped(int(got), result) == wrapped(oracle(*row), result), (name, row)
    assert single.dtype == out.dtype
    assert single == out[0]


def _written_sources(name: str, found: Meaning) -> list[str]:
    """Operand types as written: sums are computed unsigned whatever the sign."""
    written = name.split(".")[-1]
    if name.split(".")[0] not in ("add", "sub", "mul", "mad", "sad", "neg"):
        return [t.replace("b", "u") for t in found.sources]
    same = [t[1:] == written[1:] and written[0] == "s" for t in found.sources]
    return [written if s and t[0] == "u" else t for s, t in zip(same, found.sources, strict=True)]


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1) if b else -1


def remainder(a: int, b: int) -> int:
    return a - quotient(a, b) * b if b else a


TYPES = ("u16", "s16", "u32", "s32", "u64", "s64")
ARITHMETIC: list[tuple[str, Oracle]] = []
for _t in TYPES:
    _bits = int(_t[1:])
    ARITHMETIC += [
        (f"add.{_t}", lambda a, b: a + b),
        (f"sub.{_t}", lambda a, b: a - b),
        (f"mul.lo.{_t}", lambda a, b: a * b),
        (f"mul.hi.{_t}", lambda a, b, n=_bits: (a * b) >> n),
        (f"mad.lo.{_t}", lambda a, b, c: a * b + c),
        (f"mad.hi.{_t}", lambda a, b, c, n=_bits: ((a * b) >> n) + c),
        (f"div.{_t}", quotient),
        (f"rem.{_t}", remainder),
        (f"min.{_t}", lambda a, b: min(a, b)),
        (f"max.{_t}", lambda a, b: max(a, b)),
        (f"sad.{_t}", lambda a, b, c: c + abs(a - b)),
    ]
    if _t[0] == "s":
        ARITHMETIC += [(f"abs.{_t}", lambda a: abs(a)), (f"neg.{_t}", lambda a: -a)]
    if _bits < 64:
        ARITHMETIC += [
            (f"mul.wide.{_t}", lambda a, b: a * b),
            (f"mad.wide.{_t}", lambda a, b, c: a * b + c),
        ]


def with_arguments(oracle: Oracle) -> int:
    return oracle.__code__.co_argcount - len(oracle.__defaults__ or ())


@pytest.mark.parametrize(("name", "oracle"), ARITHMETIC, ids=[n for n, _ in ARITHMETIC])
@given(data=st.data())
def test_arithmetic(name: str, oracle: Oracle, data: st.DataObject) -> None:
    defaults = oracle.__defaults__ or ()
    if len(defaults) == 1:
        n = defaults[0]
        if with_arguments(oracle) == 2:
            check(name, lambda a, b: oracle(a, b, n), data)
        else:
            check(name, lambda a, b, c: oracle(a, b, c, n), data)
    else:
        check(name, oracle, data)


def field(a: int, start: int, length: int, bits: int, signed: bool) -> int:
    """The manual's pseudo code of bfe (PTX ISA 9.7.1.19)."""
    start, length = start & 255, length & 255
    top = min(start + length - 1, bits - 1)
    fill = 0 if not signed or length == 0 else (a >> top) & 1
    out = 0
    for i in range(bits):
        inside = i < length and start + i < bits
        out |= ((a >> (start + i)) & 1 if inside else fill) << i
    return out


def inserted(a: int, b: int, start: int, length: int, bits: int) -> int:
    """The manual's pseudo code of bfi (PTX ISA 9.7.1.20)."""
    start, length = start & 255, length & 255
    out = b
    for i in range(length):
        if start + i < bits and i < bits:
            out = out & ~(1 << (start + i)) | ((a >> i) & 1) << (start + i)
    return out


def leading(a: int, bits: int) -> int:
    return bits - (a & ((1 << bits) - 1)).bit_length()


def funnel(a: int, b: int, c: int, left: bool, wrap: bool) -> int:
    n = c & 31 if wrap else min(c, 32)
    both = (b << 32) | a
    return (both << n) >> 32 if left else both >> n


def permuted(a: int, b: int, c: int) -> int:
    pool = ((b << 32) | a).to_bytes(8, "little")
    out = 0
    for i in range(4):
        selector = (c >> (4 * i)) & 15
        byte = pool[selector & 7]
        if selector & 8:
            byte = 255 if byte & 128 else 0
        out |= byte << (8 * i)
    return out


def truth(a: int, b: int, c: int, table: int) -> int:
    out = 0
    for i in range(32):
        index = ((a >> i) & 1) << 2 | ((b >> i) & 1) << 1 | (c >> i) & 1
        out |= ((table >> index) & 1) << i
    return out


BITS: list[tuple[str, Oracle]] = [
    ("and.b32", lambda a, b: a & b),
    ("or.b64", lambda a, b: a | b),
    ("xor.b16", lambda a, b: a ^ b),
    ("not.b32", lambda a: ~a),
    ("cnot.b32", lambda a: int(a == 0)),
    ("shl.b32", lambda a, b: a << min(b, 32)),
    ("shl.b64", lambda a, b: a << min(b, 64)),
    ("shl.b16", lambda a, b: a << min(b, 16)),
    ("shr.u32", lambda a, b: a >> min(b, 32)),
    ("shr.s32", lambda a, b: a >> min(b, 32)),
    ("shr.s64", lambda a, b: a >> min(b, 64)),
    ("shr.u16", lambda a, b: a >> min(b, 16)),
    ("popc.b32", lambda a: a.bit_count()),
    ("popc.b64", lambda a: a.bit_count()),
    ("clz.b32", lambda a: leading(a, 32)),
    ("clz.b64", lambda a: leading(a, 64)),
    ("brev.b32", lambda a: int(f"{a:032b}"[::-1], 2)),
    ("brev.b64", lambda a: int(f"{a:064b}"[::-1], 2)),
    ("bfind.u32", lambda a: a.bit_length() - 1),
    ("bfind.s32", lambda a: (~a if a < 0 else a).bit_length() - 1),
    ("bfind.shiftamt.u32", lambda a: 32 - a.bit_length() if a else -1),
    ("bfind.s64", lambda a: (~a if a < 0 else a).bit_length() - 1),
    ("bfe.u32", lambda a, b, c: field(a, b, c, 32, False)),
    ("bfe.s32", lambda a, b, c: field(a, b, c, 32, True)),
    ("bfe.u64", lambda a, b, c: field(a, b, c, 64, False)),
    ("bfe.s64", lambda a, b, c: field(a, b, c, 64, True)),
    ("bfi.b32", lambda a, b, c, d: inserted(a, b, c, d, 32)),
    ("bfi.b64", lambda a, b, c, d: inserted(a, b, c, d, 64)),
    ("shf.l.wrap.b32", lambda a, b, c: funnel(a, b, c, True, True)),
    ("shf.r.wrap.b32", lambda a, b, c: funnel(a, b, c, False, True)),
    ("shf.l.clamp.b32", lambda a, b, c: funnel(a, b, c, True, False)),
    ("shf.r.clamp.b32", lambda a, b, c: funnel(a, b, c, False, False)),
    ("prmt.b32", permuted),
    ("bmsk.clamp.b32", lambda a, b: ((1 << min(b, 32)) - 1) << min(a, 32)),
    ("bmsk.wrap.b32", lambda a, b: ((1 << (b & 31)) - 1) << (a & 31)),
    ("mul24.lo.u32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    ("mul24.hi.u32", lambda a, b: ((a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16),
]


@pytest.mark.parametrize(("name", "oracle"), BITS, ids=[n for n, _ in BITS])
@given(data=st.data())
def test_bits(name: str, oracle: Oracle, data: st.DataObject) -> None:
    check(name, oracle, data)


@given(data=st.data(), table=st.integers(0, 255))
def test_lop3_is_its_truth_table(data: st.DataObject, table: int) -> None:
    found = meaning("lop3.b32", 4, table)
    rows = data.draw(st.lists(st.tuples(*[numbers("u32")] * 3), min_size=1, max_size=4))
    columns = [np.array(c, dtype=np.uint32) for c in zip(*rows, strict=True)]
    out = np.broadcast_to(found.function(*columns), (len(rows),))
    assert out.tolist() == [truth(*row, table) for row in rows]


@given(st.lists(st.tuples(numbers("u32"), numbers("u32"), st.booleans()), min_size=1))
def test_carries(rows: list[tuple[int, int, bool]]) -> None:
    a = np.array([r[0] for r in rows], dtype=np.uint32)
    b = np.array([r[1] for r in rows], dtype=np.uint32)
    k = np.array([r[2] for r in rows])
    for name, exact in (
        ("add.cc.u32", [x + y for x, y, _ in rows]),
        ("sub.cc.u32", [x + (y ^ 0xFFFFFFFF) + 1 for x, y, _ in rows]),
    ):
        total, carry = meaning(name, 3).function(a, b)
        assert total.tolist() == [e % 2**32 for e in exact]
        assert carry.tolist() == [not 0 <= e < 2**32 for e in exact]
    for name, exact in (
        ("addc.cc.u32", [x + y + c for x, y, c in rows]),
        ("subc.cc.u32", [x + (y ^ 0xFFFFFFFF) + c for x, y, c in rows]),
    ):
        total, carry = meaning(name, 3).function(a, b, k)
        assert total.tolist() == [e % 2**32 for e in exact]
        assert carry.tolist() == [not 0 <= e < 2**32 for e in exact]


@given(st.lists(st.tuples(numbers("s32"), numbers("s32")), min_size=1))
def test_saturating_sums(rows: list[tuple[int, int]]) -> None:
    a, b = (np.array(c, dtype=np.int32) for c in zip(*rows, strict=True))
    low, high = limits("s32")
    total = meaning("add.sat.s32", 3).function(a, b)
    assert total.tolist() == [min(max(x + y, low), high) for x, y in rows]
    total = meaning("sub.sat.s32", 3).function(a, b)
    assert total.tolist() == [min(max(x - y, low), high) for x, y in rows]


@given(st.binary(min_size=4, max_size=4), st.binary(min_size=4, max_size=4), numbers("s32"))
def test_dp4a(a: bytes, b: bytes, c: int) -> None:
    words = [np.frombuffer(x, np.uint32) for x in (a, b)]
    signed = [np.frombuffer(x, np.int8).astype(int) for x in (a, b)]
    third = np.array([c], dtype=np.int32)
    for name, x, y in (
        ("dp4a.s32.s32", signed[0], signed[1]),
        ("dp4a.u32.s32", list(a), signed[1]),
        ("dp4a.u32.u32", list(a), list(b)),
    ):
        exact = c + sum(int(p) * int(q) for p, q in zip(x, y, strict=True))
        assert int(meaning(name, 4).function(*words, third)[0]) == exact % 2**32


@pytest.mark.parametrize(
    ("mode", "selector", "expected"),
    [  # PTX ISA 9.7.9.7, table of modes: bytes of {b, a} = 7..0
        ("f4e", 1, 0x04030201), ("b4e", 1, 0x06070001), ("rc8", 2, 0x02020202),
        ("ecl", 2, 0x03020202), ("ecr", 2, 0x02020100), ("rc16", 1, 0x03020302),
    ],
)  # fmt: skip
def test_prmt_modes(mode: str, selector: int, expected: int) -> None:
    a, b = np.uint32(0x03020100), np.uint32(0x07060504)
    with np.errstate(all="ignore"):
        found = meaning(f"prmt.b32.{mode}", 4).function(a, b, np.uint32(selector))
    assert int(found) == expected


def test_vabsdiff4_adds_its_bytes() -> None:
    a, b = np.uint32(0x01FF0310), np.uint32(0x02000110)
    found = meaning("vabsdiff4.u32.u32.u32.add", 4).function(a, b, np.uint32(5))
    assert int(found) == 5 + 1 + 255 + 2 + 0
