"""The worst input of a merge that is known: held against the simulator, and found by the search."""

from __future__ import annotations

import time

import numpy as np
import pytest

from perflint.stress.merging import EACH, worst_merge
from perflint.stress.run import search_of
from perflint.stress.trial import Limits, of_arrays
from tests.stress.conftest import request, target

ASCEND = ("a[i] <= a[i + 1]", "b[i] <= b[i + 1]")


@pytest.mark.parametrize("each", EACH)
@pytest.mark.parametrize("length", [1, 31, 32, 480, 1000])
def test_two_lists_ascend_and_hold_each_number_once(each: int, length: int) -> None:
    a, b = worst_merge(each, length)
    assert len(a) == len(b) == length
    assert sorted([*a, *b]) == list(range(2 * length))
    assert (np.diff(a) > 0).all() and (np.diff(b) > 0).all()


def test_every_step_of_the_merge_conflicts_as_often_as_can_be() -> None:
    of = target("merge_lists")
    a, b = (each.astype(np.int32) for each in worst_merge(15, 480))
    one_after_the_other = np.arange(480, dtype=np.int32)
    worst, plain = (
        max(
            figure.mean
            for (objective, _), figure in of_arrays(of, arrays, Limits()).figures.items()
            if objective == "conflicts"
        )
        for arrays in (
            {**of.arrays({}), "a": a, "b": b},
            {**of.arrays({}), "a": one_after_the_other, "b": one_after_the_other + 480},
        )
    )
    assert worst == 15 and plain == 1


def test_it_is_found_where_both_lists_are_said_to_ascend() -> None:
    asked = request(tries=60, objectives=("conflicts",), assume=ASCEND)
    found = search_of(target("merge_lists"), asked, 1, time.monotonic() + 1e6)
    best = max(found.best.values(), key=lambda each: each.figure.mean)
    assert (best.figure.mean, best.strategy) == (15, "merges")
    assert {each.text for each in best.input.values()} == {"merged(15, 0)", "merged(15, 1)"}


def test_several_lists_are_sorted_where_that_is_assumed() -> None:
    found = search_of(
        target("merge_lists"), request(tries=10, assume=ASCEND), 1, time.monotonic() + 1e6
    )
    assert len(found.random) == 9 and not found.refused
    # as wide as without the assumption, for what is tried is sorted first
    assert min(domain.high for domain in found.domains) >= 1 << 30
