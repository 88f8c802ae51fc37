"""The trace document: what it holds is what the profile counts, in little room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint import load
from perflint.sim import coalescing
from perflint.sim.banks import wavefronts
from perflint.sim.tracers.request_trace import RequestTrace
from perflint.view.chrome_trace import as_chrome_trace
from perflint.view.columns import ColumnError, packed, unpacked
from perflint.view.trace_reader import Trace
from tests.view.conftest import KERNELS, LAUNCHES, REDUCE


@given(st.lists(st.integers(-(1 << 60), 1 << 60), max_size=60))
def test_columns_come_back(values: list[int]) -> None:
    assert unpacked(packed(np.array(values, np.int64)), len(values)).tolist() == values


def test_columns_of_a_regular_launch_take_no_room() -> None:
    assert len(packed(np.arange(0, 1 << 20, 128))) < 100


@pytest.mark.parametrize("text", ["", "?", "AAAA", packed(np.arange(9))[:-4], 7, None])
def test_a_damaged_column_is_told(text: Any) -> None:
    with pytest.raises(ColumnError):
        unpacked(text, 9)


@pytest.mark.parametrize("name", LAUNCHES)
def test_requests_are_those_that_the_profile_counts(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    counted = trace.data["profile"]["metrics"]["Memory"]
    sectors = requests = waves = shared = 0
    for stream in trace.streams:
        mask, offset = trace.addresses(stream, slice(None))
        if stream.space == "global":
            sectors += int(coalescing.sectors(mask, offset, stream.size).sum())
            requests += len(mask)
        else:
            stores = stream.kind == "store"
            waves += int(wavefronts(mask, offset, stream.size, stores=stores).measured.sum())
            shared += len(mask)
    assert (requests, sectors) == (counted["global requests"], counted["sectors"])
    assert (shared, waves) == (counted["shared requests"], counted["wavefronts"])


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_warps_steps_are_its_instructions(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    walked = [trace.steps(warp) for warp in range(len(trace.leaf))]
    profile = trace.data["profile"]
    assert sum(len(positions) for positions, _ in walked) == profile["warp_instructions"]
    lanes = sum(int(mask).bit_count() for _, masks in walked for mask in masks)
    assert lanes == profile["thread_instructions"]
    for stream in trace.streams:
        for warp, step in zip(stream.warp.tolist(), stream.step.tolist(), strict=True):
            assert walked[warp][0][step] == stream.instruction


def recorded(most: int) -> tuple[RequestTrace, RequestTrace]:
    """All of a launch of 64 blocks, and what is kept of it in little room."""
    kernel = load(KERNELS)["gather"]
    random = np.random.default_rng(1)
    size = 64 * 96
    arrays = [np.zeros(size, np.float32), np.ones(size, np.float32),
              random.integers(0, size, size).astype(np.int32)]  # fmt: skip
    whole, little = RequestTrace(), RequestTrace(most)
    kernel.launch(64, 96, [*arrays, size], tracers=[whole, little])
    return whole, little


def requests(recorder: RequestTrace) -> Iterator[tuple[Any, ...]]:
    """(block, warp, step, instruction, lanes' offsets) of each request."""
    traced, per_block = recorder.traced, recorder.setting.warps
    for stream in traced.streams:
        for row in range(len(stream.warp)):
            block, warp = divmod(int(stream.warp[row]), per_block)
            pattern = int(stream.pattern[row])
            offsets = traced.offsets[pattern] + stream.offset[row]
            mask = int(traced.masks[pattern])
            lanes = tuple(int(o) for lane, o in enumerate(offsets) if mask >> lane & 1)
            yield int(traced.blocks[block]), warp, int(stream.step[row]), stream.position, lanes


@pytest.mark.parametrize("most", [100, 700, 1800])
def test_too_much_is_thinned_by_whole_blocks(most: int) -> None:
    whole, little = recorded(most)
    blocks = little.traced.blocks.tolist()
    every = blocks[1] if len(blocks) > 1 else 64
    assert blocks == list(range(0, 64, every)) and every > 1
    kept = set(requests(little))
    expected = {each for each in requests(whole) if each[0] in blocks}
    assert kept == expected if not little.traced.cut else kept < expected
    assert whole.traced.blocks.tolist() == list(range(64)) and not whole.traced.cut


def test_one_block_that_is_too_long_is_cut() -> None:
    kernel = load(REDUCE)["reduce"]
    whole, little = RequestTrace(), RequestTrace(40)
    arguments = [np.zeros(1, np.float32), np.ones(256, np.float32), 256]
    kernel.launch(1, 256, arguments, tracers=[whole, little])
    assert little.traced.cut and not whole.traced.cut
    kept = set(requests(little))
    assert kept and kept < set(requests(whole))
    lengths = little.traced.last - little.traced.first
    for *_, step, position, _ in kept:
        assert step < lengths.sum() and position < little.traced.last.max()


def test_what_stands_in_a_document(traces: dict[str, Trace]) -> None:
    data = traces["tile"].data
    assert data["format"] == "perflint-trace" and data["version"] == 1
    assert [region["name"] for region in data["regions"]] == ["in", "shared memory", "out"]
    lines = data["sources"][0]["lines"]
    for each in data["instructions"]:
        assert 0 < each["line"] <= len(lines)
    stored = {s["instruction"]: data["instructions"][s["instruction"]] for s in data["streams"]}
    assert {each["text"].split(".")[0] for each in stored.values()} == {"ld", "st"}
    assert len(json.dumps(data)) < 30_000
    assert data["traced"]["notes"] == []


@pytest.mark.parametrize("name", LAUNCHES)
def test_chrome_shows_the_same_requests_in_order(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    events = json.loads(as_chrome_trace(trace))["traceEvents"]
    counted = trace.data["profile"]["metrics"]["Memory"]
    shown = [each for each in events if each["ph"] == "X"]
    assert sum(each["args"].get("sectors", 0) for each in shown) == counted["sectors"]
    assert sum(each["args"].get("wavefronts", 0) for each in shown) == counted["wavefronts"]
    assert {each["pid"] for each in shown} <= set(trace.blocks.tolist())
    for warp in range(len(trace.leaf)):
        positions, _ = trace.steps(warp)
        block, tid = divmod(warp, trace.warps_per_block)
        mine = [e for e in shown if (e["pid"], e["tid"]) == (int(trace.blocks[block]), tid)]
        texts = [trace.data["instructions"][int(positions[e["ts"]])]["text"] for e in mine]
        assert texts == [e["args"]["instruction"] for e in mine]
