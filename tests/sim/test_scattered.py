"""Numbers without a pattern."""

from __future__ import annotations

from perflint.sim.scattered import scattered


def test_they_are_splitmix64s_made_odd() -> None:
    # the first outputs from seed 0, as its authors' splitmix64.c prints them
    first = (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
    assert scattered(3).tolist() == [number | 1 for number in first]


def test_there_are_as_many_as_are_asked_for() -> None:
    assert scattered(0).shape == (0,)
    assert len(set(scattered(1000).tolist())) == 1000
