"""The worst input of a merge that is known, held against the simulator."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.merge_permutation import worst_merge
from perflint.stress.run import search_of
from perflint.stress.trial import Limits, of_arrays
from tests.stress.conftest import request, target


def test_every_step_of_the_merge_conflicts_as_often_as_can_be() -> None:
    of = target("merge_lists")
    a, b = worst_merge(15, 64)
    one_after_the_other = np.arange(480, dtype=np.int32)
    assert sorted([*a, *b]) == list(range(960)) and (np.diff(a) > 0).all()
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


def test_several_lists_are_sorted_where_that_is_assumed() -> None:
    asked = request(tries=10, assume=("a[i] <= a[i + 1]", "b[i] <= b[i + 1]"))
    found = search_of(target("merge_lists"), asked, 1, time.monotonic() + 1e6)
    assert len(found.random) == 9 and not found.refused
