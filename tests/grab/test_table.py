"""The paper's evaluation: what of its Table 4 and Figure 12 can be reproduced."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.grab_table import PROGRAMS, SIZES, Program, counts, faults, run
from perflint.sim.schedulers import SCHEDULERS, Scheduler

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

KB = 1024
BY_TITLE = {program.title: program for program in PROGRAMS}
#: Versions of one program, each better than the one before.
SERIES = (
    ("Bitonic_Sort_basic", "Bitonic_Sort_best"),
    ("MatMult_basic", "MatMult_basic_modified", "MatMult_best"),
    ("LBM_basic", "LBM_V1", "LBM_V2"),
    ("Susan_basic", "Susan_modified"),
)


def found(title: str, size: int = KB, scheduler: Scheduler = "lrr") -> tuple[int, int, int]:
    """Faults mh, m*h and mm."""
    mh, m_star_h, mm = faults(BY_TITLE[title], size, scheduler)
    return mh.count, m_star_h.count, mm.count


# --- the kernels do what they are said to --------------------------------------------------------


def results(title: str) -> tuple[Program, list[np.ndarray]]:
    program = BY_TITLE[title]
    return program, list(run(program)[1])


@pytest.mark.parametrize("title", ["Transpose_naive", "Transpose_best"])
def test_transposes(title: str) -> None:
    _, (out, values, *_) = results(title)
    assert np.array_equal(out, values.T)


@pytest.mark.parametrize("title", ["Bitonic_Sort_basic", "Bitonic_Sort_best"])
def test_sorts(title: str) -> None:
    program, (values,) = results(title)
    assert np.array_equal(values, np.sort(program.arguments()[0]))


@pytest.mark.parametrize("title", ["Scan_naive", "Scan_workefficient", "Scan_best"])
def test_scans(title: str) -> None:
    _, (out, values, _) = results(title)
    assert out[0] == 0
    np.testing.assert_allclose(out[1:], np.cumsum(values.astype(float))[:-1], rtol=1e-4)


@pytest.mark.parametrize("title", ["MatMult_basic", "MatMult_basic_modified", "MatMult_best"])
def test_products(title: str) -> None:
    _, (c, a, b, _) = results(title)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)


@pytest.mark.parametrize("title", ["LBM_basic", "LBM_V1", "LBM_V2"])
def test_a_lattice_step_keeps_mass_and_momentum(title: str) -> None:
    _, (out, values, density, ux, uy, _) = results(title)
    cx, cy = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1]), np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    grid = values.reshape(9, 128, 128)
    pulled = np.stack([np.roll(grid[i], (cy[i], cx[i]), (0, 1)) for i in range(9)]).reshape(9, -1)
    np.testing.assert_allclose(density, pulled.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(ux, (cx[:, None] * pulled).sum(axis=0) / density, atol=1e-5)
    np.testing.assert_allclose(uy, (cy[:, None] * pulled).sum(axis=0) / density, atol=1e-5)
    np.testing.assert_allclose(out.sum(axis=0), density, rtol=1e-4)  # collisions keep mass


def test_both_smoothings_agree() -> None:
    basic, modified = results("Susan_basic")[1][0], results("Susan_modified")[1][0]
    assert np.array_equal(basic, modified) and basic[3:-3, 3:-3].any()


# --- Table 4 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("title", ["Transpose_naive", "Transpose_best"])
def test_transposes_do_not_interfere(title: str, scheduler: Scheduler) -> None:
    assert found(title, scheduler=scheduler)[:2] == (0, 0)


def test_scans_interfere_as_printed() -> None:
    """0, 3156 and 0: of a hundred launches; each warp's second half-lines are gone."""
    m_star_h = [found(f"Scan_{name}")[1] for name in ("naive", "workefficient", "best")]
    assert m_star_h == [0, 32, 0]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("titles", SERIES, ids=lambda titles: titles[0])
def test_each_version_is_better_under_every_scheduler(
    titles: tuple[str, ...], scheduler: Scheduler
) -> None:
    """By interference in the full cache, and by faults of all types (the paper's Table 5)."""
    rows = [found(title, scheduler=scheduler) for title in titles]
    for before, after in pairwise(rows):
        assert after[1] < before[1]
        assert sum(after) < sum(before)


@pytest.mark.parametrize("title", ["Bitonic_Sort_basic", "MatMult_basic", "LBM_basic"])
def test_few_roots_cause_many_faults(title: str) -> None:
    """The paper's OBS2."""
    _, interference, _ = faults(BY_TITLE[title], KB, "lrr")
    number, causes, affected = counts(interference)
    assert number > 2000 and causes <= 16 and causes * 100 < number
    assert affected <= 90
    assert sum(cause.priority for cause in interference.causes) == number


# --- Figure 12 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("title", [t for t in BY_TITLE if not t.startswith("Susan")])
def test_faults_fall_with_cache_size(title: str) -> None:
    smallest, middle, largest = (sum(found(title, s)) for s in (SIZES[0], SIZES[3], SIZES[-1]))
    assert smallest >= max(middle, largest)
    assert smallest == 0 or min(middle, largest) < smallest


@pytest.mark.parametrize("title", ["Scan_best", "Scan_naive", "Bitonic_Sort_best"])
def test_two_kilobytes_are_enough_for_some(title: str) -> None:
    """As the paper reads its figure for the Vivante GC2000."""
    assert sum(found(title, 2 * KB)) == 0
