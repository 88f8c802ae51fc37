"""Guards that let no whole warp in, whatever the launch: of the lane's own index, or a match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from perflint.analysis.extents import Comparison, comparisons, conjuncts
from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANE, LANES, LOADED, TID_X, Loop, Op, Opaque, Symbol
from perflint.grammar import table

WARP = 32
#: Bits of an index in which the lanes of a warp differ.
_BITS = (1, 2, 4, 8, 16)
#: Tests of floats that are equal where they do not hold, and where they do.
_EQUAL = (("ne", "neu"), ("eq", "equ"))


def confined(site: AccessSite) -> bool:
    """Whether the guards of an access let only some lanes of a warp in, by their formulas.

    An equality that the lane's index decides does (`if ((t + 1) % step == 0)`); a bit of it that is
    set or not, as compilers write `x % 2 != 0`; and bounds on both sides that are less than a warp
    apart: the last elements of an array, of which one thread finds fewer than it takes at a time.
    """
    asked = [each for each in _compared(site) if _of_lane(each.left - each.right)]
    return any(map(_picks, asked)) or _is_window(asked)


def matched(site: AccessSite, facts: KernelFacts) -> bool:
    """Whether an access waits for a match: a lane's own datum is to equal what the loops around it
    try, the same for the whole warp. Each turn lets those few lanes in that look for its value.
    """
    turns = frozenset(loop.counter.header for loop in site.loops)
    reads = {pc: other for other in facts.sites if other.kind == "load" for pc in other.pcs}

    def is_tried(value: Polynomial) -> bool:
        atoms = (atom for atom in value.atoms if isinstance(atom, Opaque))
        loads = [reads[atom.pc].address for atom in atoms if atom.pc in reads]
        return not value.depends & LANES and any(
            _counted(atom) in turns for each in (value, *loads) if each for atom in each.atoms
        )

    equal = [(each.left, each.right) for each in _compared(site) if each.test == "eq"]
    equal += [pair for guard in site.guards for pair in _equal_floats(guard, facts, reads)]
    return any(
        own.depends & LOADED and own.depends & LANES and is_tried(tried)
        for left, right in equal
        for own, tried in ((left, right), (right, left))
    )


def _counted(atom: Symbol) -> int | None:
    """The header of the loop in whose turns a value goes on; None if it is no such value."""
    if isinstance(atom, Loop):
        return atom.header
    return atom.pc if isinstance(atom, Opaque) and atom.kind == "recurrence" else None


def _equal_floats(
    guard: Polynomial, facts: KernelFacts, reads: Mapping[int, AccessSite]
) -> Iterator[tuple[Polynomial, Polynomial]]:
    """The loaded floats that a guard asks to be equal; they have no formulas of their own."""
    for part, holds in conjuncts(guard.symbol):
        if not isinstance(part, Opaque):
            continue
        compared = facts.kernel.instructions[part.pc]
        if compared.opcode != "setp" or compared.modifiers[0] not in _EQUAL[holds]:
            continue
        loaded = [_read(name, facts, reads) for name in table.reads(compared)]
        if len(loaded) == 2 and loaded[0] is not None and loaded[1] is not None:
            yield loaded[0], loaded[1]


def _read(name: str, facts: KernelFacts, reads: Mapping[int, AccessSite]) -> Polynomial | None:
    """What a register holds, if all that writes it is one load whose address is known."""
    instructions = facts.kernel.instructions
    written = [pc for pc, each in enumerate(instructions) if name in table.writes(each)]
    read = reads.get(written[0]) if len(written) == 1 else None
    if read is None or read.address is None:
        return None
    return Polynomial.of(Opaque("loaded", written[0], name, read.address.depends | LOADED))


def _compared(site: AccessSite) -> list[Comparison]:
    """What the guards of an access compare."""
    return [c for guard in site.guards if guard.symbol for c in comparisons(guard.symbol)]


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
