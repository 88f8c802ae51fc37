"""Offsets of lanes by the formula of an address, and of what they are kept by."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perflint.analysis.closed_form import lane_offsets
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LOADED, TID_X, Opaque, Parameter, Special, Symbol

BLOCK = (64, 1, 1)
TID = Polynomial.of(Special("%tid.x"))


def offsets(address: Polynomial, values: dict[int, int | float]) -> list[int] | None:
    site: Any = SimpleNamespace(address=address, uniformity="affine")
    found = lane_offsets(site, BLOCK, values)
    return None if found is None else found[0].tolist()


def loaded(depends: int) -> Symbol:
    return Opaque("loaded", 7, "%r1", depends)


@pytest.mark.parametrize("turn", [1, -1])
def test_what_one_kernel_s_lanes_share_another_s_may_have_of_their_own(turn: int) -> None:
    """Symbols of two kernels may have one text."""
    expected = {LOADED: [4 * lane for lane in range(32)], LOADED | TID_X: None}
    for depends in sorted(expected, reverse=turn < 0):
        address = 4 * TID + Polynomial.of(loaded(depends))
        assert offsets(address, {}) == expected[depends], depends


def test_a_stride_is_each_launch_s_own() -> None:
    address = TID * Polynomial.of(Parameter(2))
    assert offsets(address, {2: 4})[:3] == [0, 4, 8]  # type: ignore[index]
    assert offsets(address, {2: 8})[:3] == [0, 8, 16]  # type: ignore[index]
    assert offsets(address, {2: 8.0}) is None
    assert offsets(address, {1: 8}) is None
