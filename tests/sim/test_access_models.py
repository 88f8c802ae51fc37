"""Coalescing and banks against published figures and against one-lane-at-a-time counting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import banks, coalescing

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "access_oracle.json").read_text(encoding="utf-8")
)["rows"]


def request(row: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, int]:
    lanes = row["lane_addresses"]
    mask = np.array([[a is not None for a in lanes]])
    return mask, np.array([[a or 0 for a in lanes]], dtype=np.int64), row["bytes_per_lane"]


@pytest.mark.parametrize("row", [r for r in ROWS if r["space"] == "global"], ids=lambda r: r["id"])
def test_global_oracle(row: dict[str, Any]) -> None:
    mask, offset, size = request(row)
    expected = row["expected"]
    sectors = int(coalescing.sectors(mask, offset, size)[0])
    golden = int(coalescing.golden_sectors(mask, size)[0])
    assert sectors == expected["sectors32"]
    assert golden == expected["ideal_sectors"]
    assert max(0, sectors - golden) == expected["excessive_sectors"]
    assert coalescing.lines(mask, offset, size)[0] == expected["lines128"]
    for rule, key in (("cc10", "cc1.0_1.1"), ("cc12", "cc1.2_1.3")):
        moved = coalescing.transactions(rule, mask, offset, size)
        assert moved.count[0] == expected[key]["transactions"]
        assert moved.bytes[0] == expected[key]["bytes"]
    fermi = coalescing.transactions("lines128", mask, offset, size)
    assert fermi.count[0] == expected["cc2.x_L1_lines128"]


@pytest.mark.parametrize("row", [r for r in ROWS if r["space"] == "shared"], ids=lambda r: r["id"])
def test_shared_oracle(row: dict[str, Any]) -> None:
    mask, offset, size = request(row)
    expected = row["expected"]
    now = banks.wavefronts(mask, offset, size, "cc5")
    assert now.measured[0] == expected["cc5plus_wavefronts"]
    if mask.all():
        assert now.measured[0] - now.golden[0] == expected["cc5plus_conflicts"]
    assert banks.wavefronts(mask, offset, size, "cc3").measured[0] == expected["cc3.x_4Bmode"]
    steps = banks.wavefronts(mask, offset, size, "cc1").measured[0]
    assert steps == expected["cc1.x_steps_per_warp"]
    fermi = banks.wavefronts(mask, offset, size, "cc2")
    if isinstance(expected["cc2.x"], int):
        assert fermi.measured[0] == expected["cc2.x"]
    else:
        assert fermi.measured[0] == sum(expected["cc2.x"]["phase_degrees"])


@pytest.mark.parametrize("stride", range(1, 33))
def test_strided_words_conflict_by_the_greatest_common_divisor(stride: int) -> None:
    offset = (np.arange(32) * 4 * stride)[None]
    found = banks.wavefronts(np.ones((1, 32), dtype=bool), offset, 4)
    assert found.ways[0] == found.measured[0] == np.gcd(stride, 32)
    assert found.golden[0] == 1


@pytest.mark.parametrize("size", [1, 2])
def test_bytes_of_one_word_do_not_conflict(size: int) -> None:
    offset = (np.arange(32) * size)[None]
    found = banks.wavefronts(np.ones((1, 32), dtype=bool), offset, size)
    assert found.measured[0] == 1


@pytest.mark.parametrize(("size", "lanes"), [(8, 16), (8, 32), (16, 8), (16, 32), (8, 20)])
def test_broadcasts_have_no_excess(size: int, lanes: int) -> None:
    mask = (np.arange(32) < lanes)[None]
    found = banks.wavefronts(mask, np.zeros((1, 32), dtype=np.int64), size)
    assert found.measured[0] == found.golden[0]
    assert found.ways[0] == 1


def test_uniform_128_bit_access_takes_two_wavefronts() -> None:
    mask = np.ones((1, 32), dtype=bool)
    assert banks.wavefronts(mask, np.zeros((1, 32), dtype=np.int64), 16).measured[0] == 2
    assert banks.wavefronts(mask, (np.arange(32) * 16)[None], 16).measured[0] == 4


requests = st.tuples(
    st.lists(st.integers(-300, 3000), min_size=64, max_size=64),
    st.lists(st.booleans(), min_size=64, max_size=64),
    st.sampled_from([1, 2, 4, 8, 16]),
    st.booleans(),
)


def arrays(drawn: tuple[list[int], list[bool], int, bool]) -> tuple[np.ndarray, np.ndarray, int]:
    offsets, lanes, size, aligned = drawn
    offset = np.array(offsets, dtype=np.int64).reshape(2, 32)
    return np.array(lanes).reshape(2, 32), offset * size if aligned else offset, size


@given(requests, st.sampled_from([32, 128]))
def test_granules_equal_counting_bytes(
    drawn: tuple[list[int], list[bool], int, bool], granule: int
) -> None:
    mask, offset, size = arrays(drawn)
    found = coalescing.distinct_granules(mask, offset, size, granule)
    for row in range(2):
        pieces = {
            (int(start) + byte) // granule
            for lane, start in enumerate(offset[row])
            if mask[row, lane]
            for byte in range(size)
        }
        assert found[row] == len(pieces)


@given(requests)
def test_wavefronts_equal_counting_words(
    drawn: tuple[list[int], list[bool], int, bool],
) -> None:
    mask, offset, size = arrays(drawn)
    offset = np.abs(offset)
    found = banks.wavefronts(mask, offset, size, "cc2")
    width = 32 // max(1, size // 4)
    for row in range(2):
        degrees = []
        for start in range(0, 32, width):
            wanted: dict[int, set[int]] = {}
            for lane in range(start, start + width):
                if mask[row, lane]:
                    for byte in range(size):
                        word = (int(offset[row, lane]) + byte) // 4
                        wanted.setdefault(word % 32, set()).add(word)
            degrees.append(max((len(words) for words in wanted.values()), default=0))
        assert found.measured[row] == sum(degrees)
        assert found.ways[row] == max(degrees)
        assert found.golden[row] == sum(d > 0 for d in degrees)


@pytest.mark.parametrize("rule", ["cc2", "cc3", "cc5"])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("words", [16, 512, 57_000])
def test_where_a_window_begins_decides_nothing(rule: str, size: int, words: int) -> None:
    """Low offsets are counted in short numbers, high ones in long."""
    random = np.random.default_rng(words + size)
    offset = random.integers(0, words * 4 // size, (300, 32)) * size
    for share in (0.0, 0.3, 1.0):
        mask = random.random(offset.shape) < share
        low = banks.wavefronts(mask, offset, size, rule)
        high = banks.wavefronts(mask, offset + (1 << 24), size, rule)
        assert np.array_equal(low.measured, high.measured)
        assert np.array_equal(low.ways, high.ways)
        assert np.array_equal(low.golden, high.golden)


def test_unknown_rules_are_refused() -> None:
    mask, offset = np.ones((1, 32), dtype=bool), np.zeros((1, 32), dtype=np.int64)
    with pytest.raises(ValueError, match="coalescing rule"):
        coalescing.transactions("cc99", mask, offset, 4)
    with pytest.raises(ValueError, match="shared-memory rule"):
        banks.wavefronts(mask, offset, 4, "cc99")
