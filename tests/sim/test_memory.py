"""Device memory: growth, faraway offsets, fills, initial contents; atomics in lane order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import atomics, fills, memory
from perflint.sim.launch import Buffer, Fill
from perflint.sim.memory import Accounting, MemoryBudgetError, Region

U32 = np.dtype("u4")


def region(data: np.ndarray | None = None, limit: int = 1000, budget: int = 64 << 20) -> Region:
    buffer = Buffer("a", limit=limit, data=data)
    return Region.of_buffer(1, buffer, Fill.RANDOM, Accounting(budget))


def load(where: Region, offsets: list[int], width: int = 1) -> list[np.ndarray]:
    offset = np.array(offsets, np.int64)
    return list(where.load(offset, min(offsets), max(offsets), U32, "u32", width))


def store(where: Region, offsets: list[int], *values: list[int]) -> None:
    offset = np.array(offsets, np.int64)
    arrays = tuple(np.array(v, U32) for v in values)
    where.store(offset, min(offsets), max(offsets), arrays, "u32")


offsets = st.one_of(
    st.integers(-64, 5000),
    st.integers(-(1 << 38), 1 << 38),
    st.sampled_from([0, 4092, 4094, (1 << 30) - 2, 1 << 34, -(1 << 20) - 2]),
)


@given(st.lists(st.tuples(offsets, st.integers(0, 2**32 - 1)), min_size=1, max_size=12))
def test_memory_holds_what_was_stored(writes: list[tuple[int, int]]) -> None:
    """Against a dictionary of bytes; stores one after another, then one load of everything."""
    where = region()
    expected: dict[int, int] = {}
    for offset, value in writes:
        store(where, [offset], [value])
        for byte in range(4):
            expected[offset + byte] = (value >> (8 * byte)) & 255
    places = [offset for offset, _ in writes]
    (got,) = load(where, places)
    for place, value in zip(places, got.tolist(), strict=True):
        assert value == sum(expected[place + b] << (8 * b) for b in range(4))


def test_a_store_of_many_keeps_the_last_of_equal_addresses() -> None:
    where = region()
    store(where, [8, 8, 16, 1 << 35, 1 << 35], [1, 2, 3, 4, 5])
    assert load(where, [8, 16, 1 << 35])[0].tolist() == [2, 3, 5]


def test_vectors_lie_one_after_another() -> None:
    where = region()
    store(where, [0, 16, 3], [1, 2, 9], [3, 4, 9])
    store(where, [0, 16], [1, 2], [3, 4])
    assert [v.tolist() for v in load(where, [0, 16], 2)] == [[1, 2], [3, 4]]
    assert [v.tolist() for v in load(where, [4, 20])] == [[3, 4]]


def test_faraway_accesses_cost_a_page_each() -> None:
    where = region(budget=1 << 20)
    load(where, [0, 16 << 30, -(200 << 30)])
    assert where.accounting.used <= 4 * memory.PAGE
    strided = region(budget=4 << 20)
    load(strided, [k << 20 for k in range(200)])
    assert strided.accounting.used <= 201 * memory.PAGE


def test_the_memory_budget_holds() -> None:
    where = region(budget=1 << 20)
    with pytest.raises(MemoryBudgetError):
        load(where, [k * 4096 for k in range(1000)])


def test_what_lies_beyond_a_region_is_not_copied_for_each_page() -> None:
    region = Region(1, "a", Fill.RANDOM, 1024, Accounting(1 << 30), "u8", 9216)
    lengths = set()
    for page in range(2000):
        at = np.array([page * memory.PAGE])
        region.load(at, int(at[0]), int(at[0]), np.dtype("u1"), "u8", 1)
        lengths.add(len(region._bytes))
    assert len(lengths) < 12
    assert max(lengths) < 3 * 2000 * memory.PAGE


def test_whether_a_region_was_looked_at_is_known() -> None:
    accounting = Accounting(1 << 30)
    region = Region(1, "a", Fill.RANDOM, 1024, accounting, "u8", 9216)
    assert region.touch_inside(0, 64, "u8", "load") and not accounting.looked
    at = np.array([0])
    region.load(at, 0, 0, np.dtype("u1"), "u8", 1)
    assert accounting.looked


def test_the_fill_goes_on_behind_the_data() -> None:
    data = np.arange(10, dtype=np.uint32)
    where = region(data)
    (got,) = load(where, [4 * k for k in range(20)])
    assert got[:10].tolist() == data.tolist()
    assert (got[10:] < 1000).all()
    assert np.array_equal(where.contents().view(np.uint32), got)


@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16"])
def test_float_fills_are_distinct_and_below_one(element: str) -> None:
    count = {"f16": 1000, "bf16": 100}.get(element, 100_000)
    raw = fills.filled(Fill.RANDOM, element, 64, 0, count, 3)
    if element == "bf16":
        values = (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        values = raw.view({"f32": "f4", "f64": "f8", "f16": "f2"}[element])
    assert ((values >= 0) & (values < 1)).all()
    assert len(np.unique(values)) == count


def test_fills_do_not_depend_on_how_they_are_asked_for() -> None:
    whole = fills.filled(Fill.RANDOM, "u32", 500, -50, 100, 1).view(np.uint32)
    part = fills.filled(Fill.RANDOM, "u32", 500, 10, 20, 1).view(np.uint32)
    assert np.array_equal(whole[60:80], part)
    assert (whole < 500).all()
    other = fills.filled(Fill.RANDOM, "u32", 500, -50, 100, 2).view(np.uint32)
    assert not np.array_equal(whole, other)
    assert len(np.unique(whole)) > 50


def test_addresses_before_a_region_stay_in_it() -> None:
    address = np.array([memory.base_address(5) - 8, memory.base_address(5) + 12], np.uint64)
    number, offset = memory.split(address)
    assert number.tolist() == [5, 5]
    assert offset.tolist() == [-8, 12]


# --- atomics --------------------------------------------------------------------------------------

small = st.integers(0, 5)
ONE_BY_ONE = {
    "add": lambda old, b: (old + b) % 2**32,
    "min": min,
    "max": max,
    "and": lambda old, b: old & b,
    "or": lambda old, b: old | b,
    "xor": lambda old, b: old ^ b,
    "exch": lambda old, b: b,
    "inc": lambda old, b: 0 if old >= b else old + 1,
    "dec": lambda old, b: b if old == 0 or old > b else old - 1,
}


@pytest.mark.parametrize("operation", sorted(ONE_BY_ONE))
@given(data=st.data())
def test_atomics_act_in_lane_order(operation: str, data: st.DataObject) -> None:
    lanes = data.draw(
        st.lists(st.tuples(small, st.one_of(small, st.integers(0, 2**32 - 1))), min_size=1)
    )
    repeated = lanes * data.draw(st.sampled_from([1, 7, 80]))
    before = [3, 0, 2**32 - 1, 7, 4, 1]
    key = np.array([k for k, _ in repeated])
    b = np.array([v for _, v in repeated], np.uint32)
    function = atomics.function_of(operation, "u32")
    assert function is not None
    with np.errstate(all="ignore"):
        old, final = atomics.apply(function, key, np.array(before, np.uint32)[key], b)
    now = list(before)
    for lane, (k, value) in enumerate(repeated):
        assert old[lane] == now[k]
        now[k] = ONE_BY_ONE[operation](now[k], value)
    assert final.tolist() == [now[k] for k, _ in repeated]


@given(st.lists(st.tuples(small, small, small), min_size=1, max_size=60))
def test_compare_and_swap_acts_in_lane_order(lanes: list[tuple[int, int, int]]) -> None:
    before = [0, 1, 2, 3, 4, 5]
    key, compare, swap = (np.array(c) for c in zip(*lanes, strict=True))
    old, final = atomics.compare_and_swap(key, np.array(before)[key], compare, swap)
    now = list(before)
    for lane, (k, wanted, new) in enumerate(lanes):
        assert old[lane] == now[k]
        if now[k] == wanted:
            now[k] = new
    assert final.tolist() == [now[k] for k, _, _ in lanes]


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_float_sums_are_rounded_one_after_another(t: str) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[t]
    b = np.random.default_rng(2).random(500).astype(dtype)
    function = atomics.function_of("add", t)
    assert function is not None
    old, final = atomics.apply(function, np.zeros(500, int), np.zeros(500, dtype), b)
    total = dtype(0)
    for lane in range(500):
        assert old[lane] == total
        total = total + b[lane]
    assert (final == total).all()
