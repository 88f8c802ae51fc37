"""Offsets of rows and flags, as memory that nobody wrote holds them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import fills
from perflint.sim.launch import Buffer, Fill, Flags, Offsets, Progression, Same
from perflint.sim.memory import Accounting, Region

rows = st.integers(1, 400)


def numbers(
    contents: Offsets | Flags, count: int, fill: Fill = Fill.RANDOM, salt: int = 1
) -> np.ndarray:
    raw = fills.filled_at(fill, "s32", 1024, np.arange(count), salt, contents)
    return raw.view(np.int32).astype(np.int64)


@given(rows, st.integers(0, 4000), st.integers(1, 32), st.integers(0, 9), st.sampled_from(Fill))
def test_offsets_ascend_within_what_they_index(
    rows: int, total: int, mean: int, salt: int, fill: Fill
) -> None:
    found = numbers(Offsets(mean, rows, total), rows + 5, fill, salt)
    lengths = np.diff(found)
    assert found[0] == 0
    assert (lengths >= 0).all()
    assert found.max() <= total
    assert (lengths[rows:] == 0).all()
    assert lengths.max() <= 2 * max(1, min(mean, -(-total // rows)))


@pytest.mark.parametrize("element", ["u64", "s64", "u32", "u8"])
def test_offsets_of_other_types_are_the_same_up_to_the_largest(element: str) -> None:
    index, contents = np.arange(70), Offsets(5, 60, 300)
    raw = fills.filled_at(Fill.RANDOM, element, 1024, index, 1, contents)
    dtype = np.dtype(element.replace("s", "i")[0] + str(int(element[1:]) // 8))
    most = min(np.iinfo(dtype).max, 1 << 40)
    assert raw.view(dtype).tolist() == np.minimum(numbers(contents, 70), most).tolist()


@given(st.integers(2, 32), st.integers(0, 9))
def test_rows_of_unknown_number_are_of_varied_length(mean: int, salt: int) -> None:
    lengths = np.diff(numbers(Offsets(mean), 4097, salt=salt))
    assert lengths.min() >= 0
    assert lengths.max() <= 2 * mean
    assert len(set(lengths.tolist())) > mean // 2 + 1
    assert abs(lengths.mean() - mean) < 0.1
    assert set(np.diff(numbers(Offsets(mean), 64, Fill.IDENTITY, salt)).tolist()) == {mean}


@given(st.integers(0, 64), st.sampled_from([Fill.RANDOM, Fill.IDENTITY]))
def test_flags_take_both_arms_in_any_two_warps(salt: int, fill: Fill) -> None:
    found = numbers(Flags(), 1024, fill, salt).reshape(-1, 32)
    assert set(found.flat) == {0, 1}
    share = found.mean(axis=1)
    for pair in pairwise(share):
        assert 0 < sum(pair) < 2
    assert ((share == 0).sum(), (share == 1).sum()) == ((8, 8) if fill is Fill.RANDOM else (16, 16))


def test_a_buffer_is_filled_alike_however_it_is_read() -> None:
    buffer = Buffer("rows", "s32", contents=Offsets(5, 2000, 9000))
    region = Region.of_buffer(1, buffer, Fill.RANDOM, Accounting(1 << 24))
    offset = np.arange(2001) * 4
    one = region.load(offset[::-1], 0, 8000, np.dtype(np.int32), "s32", 1)[0][::-1]
    assert (one == numbers(buffer.contents, 2001)).all()


def test_small_types_stay_in_their_range() -> None:
    raw = fills.filled_at(Fill.RANDOM, "u8", 1024, np.arange(200), 1, Offsets(8))
    assert (np.diff(raw.astype(int)) >= 0).all()


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.sampled_from(Fill))
def test_all_elements_may_be_the_same_number(value: int, fill: Fill) -> None:
    index = np.arange(3, 40)
    assert set(fills.filled_at(fill, "s32", 64, index, 1, Same(value)).view(np.int32)) == {value}
    floats = fills.filled_at(fill, "f32", 64, index, 1, Same(0.25)).view(np.float32)
    assert set(floats) == {np.float32(0.25)}


@given(first=st.integers(-1000, 1000), step=st.integers(-64, 64), fill=st.sampled_from(Fill))
def test_elements_may_be_numbers_in_progression(first: int, step: int, fill: Fill) -> None:
    index = np.array([0, 5, 1000, 3])
    found = fills.filled_at(fill, "s32", 64, index, 1, Progression(first, step))
    assert found.view(np.int32).tolist() == [first + step * i for i in (0, 5, 1000, 3)]


def test_what_the_program_tells_goes_before_what_is_made_up() -> None:
    told = Buffer("a", "s32", contents=Flags(), told=Progression(7, 2))
    assert told.filling == Progression(7, 2)
    assert Buffer("a", "s32", contents=Flags()).filling == Flags()
