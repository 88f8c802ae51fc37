"""Values of roots under which the host code launches: they meet what its conditions ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from perflint.frontend.source.language.terms import Applied, Requirement, Term, numbers_in
from perflint.lint.world_checks import degenerate, is_launch, is_wrapped, unmet
from perflint.lint.world_model import SECTOR, Launching, Origin, root_of, with_value

#: Values that are tried for one launch's conditions, and evaluations of these at most.
CANDIDATES, EVALUATIONS = 56, 2_000

#: Shares of its own value that a root is tried at: of a product of sizes that is too large.
PARTS = (2, 4, 8, 16, 32)

#: What is tried to meet a condition: the condition, the roots that are moved, and all values.
_Moved = tuple[Requirement, tuple[int, ...], tuple[int | float, ...]]
_Moves = Callable[[Launching, Sequence[Requirement], tuple[int | float, ...]], Iterator[_Moved]]


def meeting(
    launching: Launching, values: tuple[int | float, ...], origins: Sequence[Origin]
) -> tuple[tuple[int | float, ...], dict[int, str]]:
    """Values that meet as many conditions as can be had, and by which condition one was changed.

    The source's own defaults stay as they are, unless nothing else meets a condition: the first
    turn of a loop is not the one in which `k % 2` is 1. Roots are moved one by one, and several at
    once where that does not help: of `min(a, b) > 512` both.
    """
    why: dict[int, str] = {}
    left = EVALUATIONS
    for _ in range(len(launching.requirements)):
        broken = unmet(launching, values)
        best: tuple[int, int, tuple[int | float, ...], tuple[int, ...], str] | None = None
        for moves in (_one_by_one(False), _at_once, _one_by_one(True)):
            if best is not None:
                break
            for requirement, roots, tried in moves(launching, broken, values):
                left -= 1
                truth = launching.number(requirement.term, tried)
                if left < 0 or truth is None or bool(truth) != requirement.holds:
                    continue
                if is_wrapped(launching, tried) or (
                    _is_given(launching, roots) and not is_launch(launching, tried)
                ):
                    continue
                count = len(unmet(launching, tried))
                if count >= len(broken) or (best is not None and count > best[0]):
                    continue
                poor = degenerate(launching, tried)
                if best is None or (count, poor) < best[:2]:
                    text = requirement.text if requirement.holds else f"not {requirement.text}"
                    best = count, poor, tried, roots, text
        if best is None:
            break
        values = best[2]
        why.update(dict.fromkeys(best[3], f"as {best[4]} asks"))
    return values, why


def _is_given(launching: Launching, roots: Sequence[int]) -> bool:
    """Whether a default of the source's is changed: only for a launch that then takes place."""
    return any(launching.roots[root].default is not None for root in roots)


def _one_by_one(given: bool) -> _Moves:
    """Each root of a broken condition for itself: those with a default, or those without."""

    def moves(
        launching: Launching, broken: Sequence[Requirement], values: tuple[int | float, ...]
    ) -> Iterator[_Moved]:
        for requirement, root in _movable(launching, broken, given):
            terms = [q.term for q in launching.requirements if root in q.term.roots]
            if (number := _forbidden_divisor(requirement)) and isinstance(values[root], int):
                yield requirement, (root,), with_value(values, root, values[root] + number // 2)
            for number in _other_side(launching, requirement, root, values):
                yield requirement, (root,), with_value(values, root, number)
            for candidate in _candidates([requirement.term, *terms], root, values):
                yield requirement, (root,), with_value(values, root, candidate)

    return moves


def _other_side(
    launching: Launching, requirement: Requirement, root: int, values: Sequence[int | float]
) -> Iterator[int]:
    """What a root must be equal to: the 320 of `columns == pitch / 4`."""
    term = requirement.term
    wanted = "==" if requirement.holds else "!="
    if not isinstance(term, Applied) or term.operator != wanted:
        return
    for side, other in (term.arguments, term.arguments[::-1]):
        number = launching.number(other, values) if root_of(side) == root and other.roots else None
        if isinstance(number, int) and number >= 0:
            yield number


def _forbidden_divisor(requirement: Requirement) -> int:
    """The 16 of `n % 16 == 0` that must not hold; 0 for anything else."""
    term = requirement.term
    if requirement.holds or not isinstance(term, Applied) or term.operator != "==":
        return 0
    rest = term.arguments[0]
    if not isinstance(rest, Applied) or rest.operator != "%":
        return 0
    return max(numbers_in(rest.arguments[1]), default=0)


def _at_once(
    launching: Launching, broken: Sequence[Requirement], values: tuple[int | float, ...]
) -> Iterator[_Moved]:
    """All roots of a broken condition made larger: by or up to the numbers in it, and odd."""
    for requirement in broken:
        roots = tuple(
            root
            for each, root in _movable(launching, [requirement], False)
            if isinstance(values[root], int)
        )
        if len(roots) < 2:
            continue
        for number in sorted({n for n in numbers_in(requirement.term) if 1 < n < 1 << 20}):
            for enlarged in (_rounded_up, int.__mul__, _odd):
                tried = values
                for root in roots:
                    tried = with_value(tried, root, enlarged(int(values[root]), number))
                yield requirement, roots, tried


def _rounded_up(value: int, number: int) -> int:
    """The least multiple of a number that is not below a value."""
    return -(-value // number) * number


def _odd(value: int, number: int) -> int:
    """A value near another one that few numbers divide."""
    return value | 1


def _movable(
    launching: Launching, broken: Sequence[Requirement], given: bool
) -> Iterator[tuple[Requirement, int]]:
    """The broken conditions, each with its roots: those with a default of the source's, or without.

    What the GPU answers is no default.
    """
    for requirement in broken:
        for root in sorted(requirement.term.roots):
            known = launching.roots[root]
            if (known.default is not None) is given and not known.why:
                yield requirement, root


#: What a float is tried as beside each number that it is compared with: factors and steps.
_AROUND = ((1, 0), (1, 0.5), (1, -0.5), (0.5, 0))


def _candidates(
    terms: Sequence[Term], root: int, values: Sequence[int | float]
) -> Iterator[int | float]:
    """Values of a root that might turn conditions over, those near its own first.

    The first of `terms` is the one that does not hold; what the others ask may bound it, too.
    """
    own = values[root]
    written = {n for term in terms for n in numbers_in(term) if 0 <= n < 1 << 31}
    others = {v for r in terms[0].roots if r != root and (v := values[r]) > 0}
    if isinstance(own, float):
        numbers = sorted(written | others)
        floats = (float(n * factor + step) for n in numbers for factor, step in _AROUND)
        yield from islice(floats, CANDIDATES)
        return
    around: dict[int, None] = {}
    for number in sorted(written | {int(o) for o in others}):
        near = number // SECTOR * SECTOR
        around.update(dict.fromkeys((number, number + 1, number - 1, near, near + SECTOR)))
        if number > 1:
            around.update(dict.fromkeys((own // number * number, -(-own // number) * number)))
            around.update(dict.fromkeys((own * number, number * 2)))
    power = 1 << (own.bit_length() - 1) if own > 0 else 1
    around.update(dict.fromkeys((power, 32 * power, own // 4, own * 4, 2, 1, 0)))
    around.update(dict.fromkeys(own // part // SECTOR * SECTOR for part in PARTS))
    ordered = sorted((n for n in around if n != own and n >= 0), key=lambda n: _distance(n, own))
    yield from islice(ordered, CANDIDATES)


def _distance(number: int, own: int) -> tuple[bool, bool, int, int]:
    """What is tried later: 0, then sizes that would misalign rows, which is CU105's matter."""
    odd = number > 2 * SECTOR and number % SECTOR != 0
    return number == 0, odd, abs(number - own), number
