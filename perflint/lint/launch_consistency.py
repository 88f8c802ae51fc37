"""Whether the numbers of a launch fit together: each is what its formula comes to, and a launch.

What is printed of a launch, and what a kernel is tried with, goes through here. A number that is
not what the program would compute of the others in the same world is told: it is never silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from perflint.base.launch_option import MAX_BLOCK, MAX_GRID, MAX_SHARED, MAX_THREADS
from perflint.frontend.source.language.terms import Term
from perflint.lint.launch_numbers import Numbers
from perflint.lint.launch_record import AXES, LaunchRecord, number_in
from perflint.lint.world_model import World, root_of


def contradictions(
    record: LaunchRecord, world: World, found: Numbers, bounds: Mapping[int, str]
) -> tuple[str, ...]:
    """What of a launch's numbers does not fit together in a world, for people.

    `bounds` are the parameters that bound what the kernel's threads do.
    """
    wrong = (*_refused(found), *_otherwise(record, world, found))
    return (*wrong, *_no_counts(record, found, bounds))


def _refused(found: Numbers) -> Iterator[str]:
    """What no GPU accepts."""
    if not 1 <= prod(found.block) <= MAX_THREADS:
        yield f"a block of 1 to {MAX_THREADS:,} threads"
    for axis, blocks, threads, most, along in zip(
        AXES, found.grid, found.block, MAX_GRID, MAX_BLOCK, strict=True
    ):
        if not 1 <= blocks <= most:
            yield f"a grid of 1 to {most:,} blocks along {axis}"
        if not 1 <= threads <= along:
            yield f"a block of 1 to {along} threads along {axis}"
    if not 0 <= found.shared <= MAX_SHARED:
        yield f"at most {MAX_SHARED:,} bytes of dynamic shared memory"


def _otherwise(record: LaunchRecord, world: World, found: Numbers) -> Iterator[str]:
    """What is something else than its formula comes to."""
    for axis, written, blocks in zip(AXES, record.grid, found.grid, strict=True):
        if _differs(record, world, written.term, blocks):
            yield f"a grid of {written.text} along {axis}"
    if _differs(record, world, record.shared.term, found.shared):
        yield f"{record.shared.text} bytes of dynamic shared memory"
    for index, argument in enumerate(record.arguments):
        if _differs(record, world, argument.term, found.values.get(index)):
            yield f"{argument.text} as an argument"


def _differs(record: LaunchRecord, world: World, term: Term | None, used: float | None) -> bool:
    """Whether a formula has no value, or another one than is used."""
    if term is None or not term.roots:
        return False
    number = number_in(record, term, world)
    return number is None or number != used


def _no_counts(record: LaunchRecord, found: Numbers, bounds: Mapping[int, str]) -> Iterator[str]:
    """Counts of what threads do (`bounds`), computed of roots, of which nothing is left.

    Other arguments may be 0 and less: offsets, paddings.
    """
    for index in bounds:
        argument, value = record.arguments[index], found.values.get(index)
        term = argument.term
        is_computed = term is not None and term.roots and root_of(term) is None
        if is_computed and value is not None and value < 1:
            yield f"{argument.text} of 1 or more"
