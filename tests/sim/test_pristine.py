"""Bytes that a run only read serve the next that begins with the same, and no other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from perflint.sim import pristine
from perflint.sim.launch import Budget, Buffer, Fill, Launch
from perflint.sim.memory import PAGE, Region
from perflint.sim.simulation_options import SimulationOptions
from tests.sim.kernels import kernel, result
from tests.sim.kernels import launch as run

READS = "ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;"
READS_FAR = (
    "mul.wide.u32 %rd1, %t, 8192;\n add.s64 %rd1, %in, %rd1;\n"
    "ld.global.u32 %r1, [%rd1];\n st.global.u32 [%mine_out], %r1;"
)
ADDS = (
    "atom.global.add.u32 %r2, [%mine_in], 1;\n"
    "ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;"
)
STORES = (
    "mov.u32 %r1, 7;\n st.global.u32 [%mine_in], %r1;\n"
    "ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;"
)
#: Lanes at no affine address: stored by index.
SCATTERS = (
    "xor.b32 %r3, %t, 5;\n mul.wide.u32 %rd1, %r3, 4;\n add.s64 %rd1, %in, %rd1;\n"
    "mov.u32 %r1, 7;\n st.global.u32 [%rd1], %r1;\n"
    "ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;"
)


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    pristine._kept.clear()
    yield
    pristine._kept.clear()


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The regions that pages are filled of, as often as that happens."""
    names: list[str] = []
    initial = Region.initial

    def counted(self: Region, pages: np.ndarray) -> np.ndarray:
        names.append(self.name)
        return initial(self, pages)

    monkeypatch.setattr(Region, "initial", counted)
    return names


@pytest.mark.parametrize("body", [READS, READS_FAR])
def test_what_was_only_read_is_filled_once(body: str, filled: list[str]) -> None:
    module = kernel(body)
    first = result(run(module, grid=(4, 1, 1)))
    assert filled.count("in")
    filled.clear()
    assert np.array_equal(result(run(module, grid=(4, 1, 1))), first)
    assert filled.count("in") == 0


@pytest.mark.parametrize("body", [ADDS, STORES, SCATTERS])
def test_what_was_changed_is_not_kept(body: str) -> None:
    module, plain = kernel(body), kernel(READS)
    fresh = result(run(plain))
    pristine._kept.clear()
    once = result(run(module))
    assert not np.array_equal(once, fresh)
    assert np.array_equal(result(run(module)), once)  # each run begins anew
    assert np.array_equal(result(run(plain)), fresh)


def test_a_run_that_changes_what_it_was_given_spoils_no_other() -> None:
    plain, module = kernel(READS), kernel(ADDS)
    fresh = result(run(plain))
    once = result(run(module))
    assert np.array_equal(result(run(plain)), fresh)
    assert np.array_equal(result(run(module)), once)


def test_other_fills_and_other_arrays_are_told_apart() -> None:
    module = kernel(READS)
    runs = {fill: result(run(module, fill=fill)).tobytes() for fill in Fill}
    assert len(set(runs.values())) == len(runs)
    assert {fill: result(run(module, fill=fill)).tobytes() for fill in Fill} == runs
    given = np.arange(32, dtype=np.uint32)
    assert result(run(module, given)).tolist() == given.tolist()
    assert result(run(module)).tobytes() == runs[SimulationOptions().fill]


def test_more_pages_are_filled_where_the_run_before_came_to_fewer(filled: list[str]) -> None:
    few, more = kernel(READS), kernel(READS_FAR)
    wanted = result(run(more, grid=(4, 1, 1)))
    pristine._kept.clear()
    result(run(few, grid=(4, 1, 1)))
    assert np.array_equal(result(run(more, grid=(4, 1, 1))), wanted)


def test_the_memory_budget_counts_what_was_kept_as_well() -> None:
    module, budget = kernel(READS_FAR), Budget(memory=20 * PAGE)
    what = Launch((4, 1, 1), (32, 1, 1), (Buffer("in", limit=64), Buffer("out")))
    ends = [
        run(module, grid=what.grid, budget=budget).stop,
        *(run(module, grid=what.grid).stop for _ in range(2)),
        run(module, grid=what.grid, budget=budget).stop,
    ]
    assert [end.reason if end else "" for end in ends] == ["memory budget", "", "", "memory budget"]


def test_the_oldest_goes_where_too_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pristine, "MOST", 3 * PAGE)
    for number in range(4):
        pristine.keep((number,), np.zeros(PAGE, np.uint8), np.ones(1, bool))
    assert [pristine.take((number,)) is None for number in range(4)] == [True, False, False, False]
