"""Residencies against what a hand counts: sectors brought, and what nobody uses of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from perflint.sim.architecture import load
from perflint.sim.trace import ColumnBatch, MemoryBatch, Setting
from perflint.sim.tracers.residencies import Residencies

ARCH = load("sm_80")


def request(pc: int, order: int, first: int, step: int, kind: str = "load") -> MemoryBatch:
    """One warp's request for words that lie `step` bytes apart."""
    return ColumnBatch(
        pc=pc,
        space="global",
        kind=kind,
        size=4,
        block=np.zeros(1, np.int32),
        warp=np.zeros(1, np.int32),
        order=order,
        mask=np.ones((1, 32), bool),
        region=np.ones((1, 32), np.int32),
        offset=first + step * np.arange(32, dtype=np.int64)[None, :],
    )


def traced(*requests: MemoryBatch) -> Residencies:
    setting = SimpleNamespace(arch=ARCH, warps=1, shared_bytes=0)
    tracer = Residencies()
    tracer.begin(cast(Setting, setting))
    for each in requests:
        tracer.memory(each)
    return tracer


def test_what_the_parts_of_an_element_share_is_brought_once() -> None:
    points = [request(part, part, 4 * part, 12) for part in range(3)]
    assert traced(*points).of([0]) == (12, 0)
    assert traced(*points).of([0, 1, 2]) == (12, 0)
    assert traced(*points[:2]).of([0]) == (12, 4)  # the third part is nobody's


def test_words_that_lie_sectors_apart_leave_the_rest() -> None:
    assert traced(request(0, 0, 0, 128)).of([0]) == (32, 28)


@pytest.mark.parametrize("kind", ["store", "atomic"])
def test_only_loads_are_l1s(kind: str) -> None:
    assert traced(request(0, 0, 0, 128, kind)).of([0]) == (0, 0)


@pytest.mark.parametrize(("between", "brought", "vain"), [(0, 32, 24), (1, 64, 56)])
def test_other_lines_drive_out_what_was_brought(between: int, brought: int, vain: int) -> None:
    """Of 192 KB each of 32 blocks has 48 lines."""
    others = [request(1, 1 + at, (1 + at) << 20, 128) for at in range(between)]
    found = traced(request(0, 0, 0, 128), *others, request(0, 9, 4, 128))
    assert found.of([0]) == (brought, vain)
