"""Guards of the lane's own index that let no whole warp in, whatever the launch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from perflint.analysis.extents import Comparison, comparisons
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANE, LANES, LOADED, TID_X, Op

WARP = 32
#: Bits of an index in which the lanes of a warp differ.
_BITS = (1, 2, 4, 8, 16)


def confined(site: AccessSite) -> bool:
    """Whether the guards of an access let only some lanes of a warp in, by their formulas.

    An equality that the lane's index decides does (`if ((t + 1) % step == 0)`); a bit of it that is
    set or not, as compilers write `x % 2 != 0`; and bounds on both sides that are less than a warp
    apart: the last elements of an array, of which one thread finds fewer than it takes at a time.
    """
    asked = [each for guard in site.guards for each in _asked(guard)]
    return any(map(_picks, asked)) or _is_window(asked)


def _asked(guard: Polynomial) -> tuple[Comparison, ...]:
    """What a guard asks of the lane's own index, without data."""
    found = comparisons(guard.symbol) if guard.symbol is not None else ()
    return tuple(c for c in found if _of_lane(c.left - c.right))


def _of_lane(difference: Polynomial) -> bool:
    return bool(difference.depends & (TID_X | LANE)) and not difference.depends & LOADED


def _picks(asked: Comparison) -> bool:
    return asked.test == "eq" or (asked.test == "ne" and _is_bit(asked.left, asked.right))


def _is_bit(left: Polynomial, right: Polynomial) -> bool:
    """Whether one side is a bit of what grows by one from lane to lane, and the other its value."""
    bit, other = (left, right) if left.constant is None else (right, left)
    operation = bit.symbol
    if not isinstance(operation, Op) or not operation.name.startswith("and."):
        return False
    value, mask = operation.arguments
    return mask.constant in _BITS and other.constant in (0, mask.constant) and _steps(value) == 1


def _is_window(asked: Iterable[Comparison]) -> bool:
    """Whether two bounds leave fewer values than a warp's lanes have."""
    sides = [side for each in asked if (side := each.below_zero) is not None]
    for one, other in combinations(sides, 2):
        width, steps = (one + other).constant, _steps(one)
        if width is not None and steps is not None and -width < WARP * steps:
            return True
    return False


def _steps(side: Polynomial) -> int | None:
    """By how much a bound's side changes from lane to lane; None where that is no constant."""
    own = {m: f for m, f in side.terms.items() if any(s.depends & LANES for s in m)}
    if len(own) != 1:
        return None
    [(monomial, factor)] = own.items()
    return abs(factor) if len(monomial) == 1 and monomial[0].text == "%tid.x" else None
