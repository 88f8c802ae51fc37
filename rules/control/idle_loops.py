"""Loops whose barriers order nothing: no thread sees in them what another one writes there.

That is read of the accesses' formulas, and so is true for all arguments and data. What lies before
and behind the loop a barrier may well order: one before it and one behind it do that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import ATOMIC, LANES, LOADED, Loop, Opaque
from perflint.grammar import table
from perflint.rules.protocol import Kernel

#: Copies of a barrier that unrolling leaves, from which on they are those of a loop.
LEAST_COPIES = 4


def idle_loop(kernel: Kernel, barrier: Sequence[int]) -> tuple[int, ...]:
    """The instructions that are entered where the loop of a barrier is; () where it may order.

    A loop that was unrolled begins with the first of its copies.
    """
    around = [loop for loop in kernel.facts.loops if set(barrier) <= set(loop.pcs)]
    if around:
        inner = max(around, key=lambda loop: loop.depth)
        return inner.entries if _is_idle(kernel, set(inner.pcs)) else ()
    if len(barrier) < LEAST_COPIES:
        return ()
    between = range(barrier[0], barrier[-1] + 1)
    return (barrier[0],) if _is_idle(kernel, between) else ()


def _is_idle(kernel: Kernel, pcs: Collection[int]) -> bool:
    """Whether no byte is accessed by two threads of a block, one of them writing, other than by
    atomics of which nobody sees the result.
    """
    arrays: dict[str, list[tuple[AccessSite, int]]] = {}
    for site in kernel.facts.sites:
        here = [number for number, pc in enumerate(site.pcs) if pc in pcs]
        if not here or site.space in ("local", "const"):
            continue
        if site.space == "generic" or site.array.kind == "unknown":
            return False
        arrays.setdefault(site.identity, []).extend((site, number) for number in here)
    written = [i for i, its in arrays.items() if any(site.kind != "load" for site, _ in its)]
    if _are_one(kernel, [arrays[identity][0][0] for identity in arrays], written):
        return False
    return all(_is_apart(kernel, arrays[identity]) for identity in written)


def _is_apart(kernel: Kernel, accesses: Sequence[tuple[AccessSite, int]]) -> bool:
    """Whether an array is only added to, or each thread has one place of it, its own."""
    if all(site.kind == "atomic" for site, _ in accesses):
        return not _is_seen(kernel, (site.pcs[number] for site, number in accesses))
    first, _ = accesses[0]
    known = [s.addresses[n] if s.addresses else s.address for s, n in accesses]
    if any(site.kind == "atomic" or site.size != first.size for site, _ in accesses):
        return False
    if all(site.kind == "store" for site, _ in accesses):
        return _are_own(kernel, known, first.size)
    return len(set(known)) == 1 and _are_own(kernel, known[:1], first.size, moving=False)


def _is_seen(kernel: Kernel, pcs: Iterable[int]) -> bool:
    """Whether anything reads what some atomics found."""
    instructions = kernel.facts.kernel.instructions
    read = {name for each in instructions for name in table.reads(each)}
    return not read.isdisjoint(name for pc in pcs for name in table.writes(instructions[pc]))


def _are_own(
    kernel: Kernel, places: Sequence[Polynomial | None], size: int, moving: bool = True
) -> bool:
    """Whether threads of a block have places that do not overlap, in whatever turns.

    What is `moving` from turn to turn comes to no place again.
    """
    first = places[0]
    if first is None or first.depends & (LOADED | ATOMIC):
        return False
    if any(isinstance(symbol, Opaque) for symbol in first.symbols):
        return False
    if not moving and any(isinstance(symbol, Loop) for symbol in first.symbols):
        return False
    apart = []
    for place in places:
        if place is None:
            return False
        if (step := place.beyond(first)) is not None:
            apart.append(step)
        elif (place - first).depends & (LANES | LOADED | ATOMIC):
            return False
    span = max(apart) - min(apart) + size
    return all(_is_injective(first, launch.block, span) for launch in kernel.launches)


def _is_injective(address: Polynomial, block: Sequence[int], size: int) -> bool:
    """Whether an address is another one in each thread of a block and each turn, by its strides.

    A stride that is no constant is a pitch of rows, of whatever lies beside it.
    """
    extents = {f"%tid.{axis}": n for axis, n in zip("xyz", block, strict=True) if n > 1}
    steps: list[tuple[int, int]] = []
    for monomial, factor in address.terms.items():
        if len(monomial) == 1 and monomial[0].text in extents:
            steps.append((abs(factor), extents.pop(monomial[0].text)))
        elif len(monomial) == 1 and isinstance(monomial[0], Loop):
            steps.append((abs(factor), 1 << 40))
        elif any(symbol.depends & LANES for symbol in monomial):
            pitched = [s for s in monomial if s.text in extents]
            if len(pitched) != 1 or len(monomial) < 2:
                return False
            extents.pop(pitched[0].text)
    reach = size
    for step, extent in sorted(steps):
        if step < reach:
            return False
        reach = step * (extent - 1) + reach
    return not extents


def _are_one(kernel: Kernel, sites: Sequence[AccessSite], written: Collection[str]) -> bool:
    """Whether a launch may pass one array for two parameters, one of which is written."""
    indices = {s.array.parameter: s.identity in written for s in sites if s.space == "global"}
    for launch in kernel.launches:
        texts = launch.argument_texts
        passed = [(texts[i], w) for i, w in indices.items() if i is not None and i < len(texts)]
        for text in {text for text, wrote in passed if wrote}:
            if sum(other == text for other, _ in passed) > 1:
                return True
    return False
