"""Verdicts over all launches, against counting the sectors of many of them."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis.coalescing_proof import (
    SECTOR,
    Dim3,
    Verdict,
    lane_stride,
    verdict,
)
from perflint.analysis.model import AccessSite, Array
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import Opaque, Parameter, Special, Symbol
from perflint.rules.measure import SCATTERED

X, Y, Z = (Polynomial.of(Special(f"%tid.{a}")) for a in "xyz")
WIDTH = Polynomial.of(Special("%ntid.x"))
BLOCK = Polynomial.of(Special("%ctaid.x"))
BASE = Polynomial.of(Parameter(0))
W, H = (Polynomial.of(Parameter(n, 0, "u32")) for n in (1, 2))
NAMES = {Parameter(1): "w", Parameter(2): "h"}


def site(address: Polynomial | None, size: int = 4) -> AccessSite:
    none = MappingProxyType[str, Polynomial | None]({"x": None, "y": None, "z": None})
    return AccessSite(
        (0,), None, "load", "global", size, Array("unknown", ""), address, none, False, False,
        "affine", 0, (address,),
    )  # fmt: skip


def odd(value: Polynomial) -> Polynomial:
    return build("and.b32", (value, Polynomial(1)))


@pytest.mark.parametrize(
    ("address", "block", "size", "uncoalesced", "said"),
    [
        (BASE + 4 * X, (256, 1, 1), 4, "none", "for no arguments"),
        (BASE + 4 * (X + WIDTH * BLOCK), (32, 8, 1), 4, "none", "for no arguments"),
        (BASE + 128 * X, (256, 1, 1), 4, "every", "for all arguments"),
        # 8 of 32 words, two sectors' worth apart, are touched from a stride of two words on.
        (BASE + 4 * H * X, (256, 1, 1), 4, "from", "for every `h` >= 2"),
        (BASE + H * X, (256, 1, 1), 1, "from", "for every `h` >= 2"),
        # A 16x16 block's warp reads two rows: packed rows of 64 bytes fill their sectors.
        (BASE + 4 * (H * Y + X), (16, 16, 1), 4, "none", "for no arguments"),
        (BASE + 4 * (W * X + Y), (16, 16, 1), 4, "from", "for every `w` >= 4"),
        # Four rows of eight words, sixteen of two: only the latter waste sectors.
        (BASE + 4 * (H * Y + X), (8, 8, 1), 4, "none", "for no arguments"),
        (BASE + 4 * (H * Y + X), (2, 64, 1), 4, "from", "for every `h` >= 4"),
        (BASE + 4 * (H * Y + W * X), (32, 4, 1), 4, "from", "for every `w` >= 2"),
        (BASE + 4 * (W * H * X), (64, 1, 1), 4, "from", "for every `h*w` >= 2"),
        # Products of an index that no launch makes neighbours.
        (BASE + 64 * odd(X) + 4 * H * X, (64, 1, 1), 4, "from", "for every `h` >= 2"),
        # Differences that shrink at first: z3's matter.
        (BASE + 4 * H * X - 64 * X, (64, 1, 1), 4, "from", "for every `h` >= 18"),
        (BASE + 4 * Polynomial.of(Opaque("loaded", 1, "%r1", 33)), (64, 1, 1), 4, "unknown", None),
        (None, (64, 1, 1), 4, "unknown", None),
    ],
)  # fmt: skip
def test_verdicts(
    address: Polynomial | None, block: Dim3, size: int, uncoalesced: str, said: str | None
) -> None:
    found = verdict(site(address, size), block, SCATTERED, questions=500)
    assert found.uncoalesced == uncoalesced
    assert found.describe(lambda s: NAMES.get(s) if isinstance(s, Parameter) else None) == said


@pytest.mark.parametrize(
    ("address", "block", "step"),
    [
        (BASE + 4 * H * build("and.b32", (X + WIDTH * BLOCK, Polynomial(31))), (64, 1, 1), 4 * H),
        (BASE + 8 * build("rem.u32", (X + WIDTH * BLOCK, Polynomial(64))), (64, 4, 1), 8),
        (BASE + 4 * (16 * Y + X), (16, 16, 1), 4),
        (BASE + 4 * (H * Y + X), (16, 16, 1), None),
        (BASE + 4 * build("shr.u32", (X, Polynomial(1))), (64, 1, 1), None),
        (BASE + 4 * Polynomial.of(Opaque("loaded", 1, "%r1", 33)), (64, 1, 1), None),
    ],
)
def test_distance_of_neighbouring_lanes(
    address: Polynomial, block: Dim3, step: Polynomial | int | None
) -> None:
    wanted = Polynomial(step) if isinstance(step, int) else step
    assert lane_stride(site(address), block) == wanted


def least_sectors(address: Polynomial, block: Dim3, size: int, values: dict[Symbol, int]) -> float:
    """Sectors over ideal ones of the first warp, for the best placement of the base."""
    offsets = []
    for t in range(min(32, block[0] * block[1] * block[2])):
        lane: dict[Symbol, int] = {
            Special("%tid.x"): t % block[0],
            Special("%tid.y"): t // block[0] % block[1],
            Special("%tid.z"): t // (block[0] * block[1]),
        }
        offsets.append(int(address.evaluate({**values, **lane})))
    ideal = -(-len(offsets) * size // SECTOR)
    placed = (
        len({(o + at + b) // SECTOR for o in offsets for b in range(size)})
        for at in range(0, SECTOR, size)
    )
    return min(placed) / ideal


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(-3, 3), st.integers(-2, 3), st.integers(0, 40), st.integers(-1, 2)),
    st.sampled_from(((64, 1, 1), (16, 16, 1), (8, 4, 4), (2, 32, 1), (20, 5, 1), (16, 1, 1))),
    st.sampled_from((1, 4, 8, 16)),
    st.lists(st.tuples(st.integers(1, 70), st.integers(1, 70)), min_size=4, max_size=8),
)
def test_no_verdict_is_wrong(
    factors: tuple[int, int, int, int], block: Dim3, size: int, arguments: list[tuple[int, int]]
) -> None:
    a, b, c, d = factors
    address = size * (a * H * X + b * W * Y + c * X + d * H * Z)
    found = verdict(site(BASE + address, size), block, SCATTERED, questions=100)
    for w, h in arguments:
        ratio = least_sectors(address, block, size, {Parameter(1): w, Parameter(2): h})
        if claims_bad(found, w, h):
            assert ratio >= SCATTERED
        if found.uncoalesced == "none":
            assert ratio < SCATTERED + 1  # a misaligned run needs one sector more


def claims_bad(found: Verdict, w: int, h: int) -> bool:
    values = {Parameter(1): w, Parameter(2): h}
    return found.uncoalesced == "every" or (
        found.uncoalesced == "from"
        and all(of.evaluate(values) >= least for of, least in found.bounds)
    )
