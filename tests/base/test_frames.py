"""The frames of what a check calls lie in one chunk of memory, which stays meanwhile."""

from __future__ import annotations

import sys

import pytest

from perflint.base.frames import in_one_chunk

DEPTH, CALLS = 120, 300  #: more than a chunk of 16 KB has room for


def _fault_often(depth: int) -> int:
    """Pages that calls at each depth up to one have the system make: one for each new chunk."""
    import resource

    def below(left: int) -> None:
        for _ in range(CALLS):
            _nothing()
        if left:
            below(left - 1)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    below(depth)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def _nothing() -> None:
    pass


_nothing.__code__ = _nothing.__code__.replace(co_stacksize=100)  # a frame larger than its caller's


def test_results_and_errors_come_through() -> None:
    assert in_one_chunk(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        in_one_chunk(lambda: 1 // 0)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or sys.implementation.name != "cpython",
    reason="what CPython asks of Linux",
)
def test_calls_across_the_end_of_a_chunk_take_no_new_pages() -> None:
    assert in_one_chunk(lambda: _fault_often(DEPTH)) < CALLS / 2
