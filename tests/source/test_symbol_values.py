"""Copies to device variables put together: what all agree on is told, of a module's variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.analysis import analyse
from perflint.base.span import Span
from perflint.frontend.source.language.model import HeldValue, SourceFacts, SymbolValue
from perflint.grammar import parse
from perflint.lint.symbol_values import launch_symbols, symbols_of, with_values
from perflint.sim.launch import Fill, SymbolBytes
from perflint.sim.layout import initial_bytes, module_regions
from perflint.sim.memory import Accounting

PTX = """.version 8.0
.target sm_80
.address_size 64
.const .align 4 .u32 single;
.const .align 4 .b8 many[24];
.const .align 4 .b8 filled[8] = {1, 0, 0, 0, 2};
.global .align 4 .u32 counter;
.global .align 1 .u8 flag;
.const .align 4 .u32 _ZN3lib4sizeE;
.const .align 4 .u32 _ZN5other4sizeE;
.visible .entry k() {
.reg .b32 %r<8>;
ld.const.u32 %r1, [single];
ld.const.u32 %r2, [many];
ld.const.u32 %r3, [filled];
ld.global.u32 %r4, [counter];
ld.global.u8 %r5, [flag];
ret;
}
"""
MODULE = parse(PTX)
SPAN = Span(Path("a.cu"), 1, 1, 1, 2)

held = st.builds(
    lambda at, value: HeldValue(4 * at, 4, value, False), st.integers(0, 6), st.integers(-9, 9)
)
copies = st.builds(
    SymbolValue,
    st.just("many"),
    st.just("&v"),
    st.just(SPAN),
    st.sampled_from([0, 4, None]),
    st.sampled_from([4, 8, 24, None]),
    st.lists(held, max_size=6).map(tuple),
)


def facts(*symbols: SymbolValue, name: str = "a.cu") -> SourceFacts:
    return SourceFacts(Path(name), "", symbols=symbols)


def of(name: str, value: int, size: int = 4) -> SymbolValue:
    return SymbolValue(name, "&v", SPAN, 0, size, (HeldValue(0, size, value, False),))


@given(st.lists(copies, min_size=1, max_size=4))
def test_what_all_copies_agree_on_is_told(found: list[SymbolValue]) -> None:
    """Held against a loop over bytes."""
    told: dict[int, int] = {}
    for at in range(24):
        answers: set[int | None] = set()
        for copy in found:
            start = copy.offset or 0
            open_ended = copy.size is None or copy.offset is None
            if start <= at < (24 if open_ended else start + (copy.size or 0)):
                data = {v.offset + n: b for v in copy.values for n, b in enumerate(v.data)}
                answers.add(data.get(at))
        if len(answers) == 1 and None not in answers:
            told[at] = next(iter(answers)) or 0
    symbols = symbols_of(MODULE, [facts(*found)])
    pieces = launch_symbols(analyse(MODULE, MODULE.kernels[0]), symbols, 64)
    mine = {
        each.offset + n: byte
        for each in pieces
        if each.variable == "many"
        for n, byte in enumerate(each.data)
    }
    changed = with_values(MODULE, symbols).variables["many"]
    if len(told) == 24:
        data = initial_bytes(changed, {}, {})
        assert data is not None and dict(enumerate(data.tolist())) == told
        assert not mine
    else:
        assert mine == told
        assert changed.initialiser is None


def test_names_in_namespaces() -> None:
    found = symbols_of(MODULE, [facts(of("lib::size", 3), of("single", 4), of("size", 5))])
    assert [s.values[0].value for s in found["_ZN3lib4sizeE"]] == [3, 5]
    assert [s.values[0].value for s in found["_ZN5other4sizeE"]] == [5]
    assert [s.values[0].value for s in found["single"]] == [4]


def test_other_files_count_where_the_own_say_nothing() -> None:
    other = facts(of("single", 9), of("many", 1), name="b.cu")
    found = symbols_of(MODULE, [facts(of("single", 4))], [other])
    assert [s.values[0].value for s in found["single"]] == [4]
    assert [s.values[0].value for s in found["many"]] == [1]


@pytest.mark.parametrize("size", [64, 1024])
def test_a_number_that_nobody_tells_is_invented(size: int) -> None:
    unknown = [SymbolValue(n, "&v", SPAN, 0, None) for n in ("counter", "flag", "filled")]
    symbols = symbols_of(MODULE, [facts(*unknown)])
    found = set(launch_symbols(analyse(MODULE, MODULE.kernels[0]), symbols, size))
    number = size.to_bytes(4, "little")
    assert found == {
        SymbolBytes("single", 0, number, told=False),
        SymbolBytes("counter", 0, number, told=False),
        SymbolBytes("flag", 0, b"\1", told=False),
    }
    # What nobody copies to: a number in global memory is 0, an initialiser stays.
    plain = launch_symbols(analyse(MODULE, MODULE.kernels[0]), {}, size)
    assert plain == (SymbolBytes("single", 0, number, told=False),)
    regions = module_regions(MODULE, {"counter", "filled"}, Fill.RANDOM, Accounting(1 << 20), plain)
    assert regions["counter"].initial(np.arange(1)).reshape(-1)[:4].tolist() == [0] * 4
    assert regions["filled"].initialised


def test_a_float_and_a_double_are_stored_as_such() -> None:
    assert HeldValue(0, 4, 1.5, True).data == np.float32(1.5).tobytes()
    assert HeldValue(0, 8, 0.1, True).data == np.float64(0.1).tobytes()
    assert HeldValue(0, 2, -2, False).data == np.int16(-2).tobytes()
