"""What values of a launch's roots come to: a launch that a GPU accepts, conditions that hold."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from perflint.frontend.source.language.evaluation import with_room
from perflint.frontend.source.language.terms import Requirement
from perflint.lint.world_model import Launching

WARP = 32

#: Threads of a launch beyond which its sizes are taken to be factors of a much smaller product.
MOST_THREADS = 1 << 27
#: What is computed of sizes and is more is a product of a tensor's, of which real ones are smaller.
MOST_ELEMENTS = 1 << 27
#: … and bytes of an array: what a GPU has.
MOST_BYTES = 1 << 36
#: The most that an `int` holds.
MOST_OF_INT = (1 << 31) - 1
#: What is no count but a difference below zero, where it is taken as unsigned.
WRAPPED = 1 << 31
#: What a launch without a grid does not meet.
SOME_GRID = "a grid of at least one block"
#: How much a computed number counts among what degenerates of which nothing is left.
NOTHING = 16
#: … and a width that is less than nothing.
_BELOW = 4
#: Threads that only `(end - start) / 16` with an unsigned end before the start comes to.
WRAPPED_THREADS = 1 << 31


def is_block(launching: Launching, values: Sequence[int | float]) -> bool:
    threads: int | float = launching.threads
    for term in launching.block:
        extent = launching.number(term, values)
        if extent is None or extent < 1:
            return False
        threads *= extent
    return threads <= launching.most_threads


def has_whole_warps(launching: Launching, values: Sequence[int | float]) -> bool:
    """Whether a block's threads are a multiple of a warp's."""
    extents = [launching.number(term, values) or 0 for term in launching.block]
    return prod(extents, start=launching.threads) % WARP == 0


def is_launch(launching: Launching, values: Sequence[int | float]) -> bool:
    """Whether a GPU accepts the grid and the block, and would ever be done with them."""
    fits = is_block(launching, values) and all(accepted(launching, values))
    return fits and not is_wrapped(launching, values)


def refused(launching: Launching, values: Sequence[int | float]) -> tuple[str, ...]:
    """What a GPU does not accept of a launch, as conditions that do not hold."""
    told = []
    if launching.block and not is_block(launching, values):
        told.append(f"a block of 1 to {launching.most_threads:,} threads")
    if not all(accepted(launching, values)) or is_wrapped(launching, values):
        told.append(SOME_GRID)
    return tuple(told)


def is_wrapped(launching: Launching, values: Sequence[int | float]) -> bool:
    """Whether the grid is of a difference below zero: more threads than any program launches."""
    return _threads(launching, values) > WRAPPED_THREADS


def accepted(launching: Launching, values: Sequence[int | float]) -> list[bool]:
    """Of each extent of the grid that hangs on roots, whether a GPU accepts it."""
    extents = (launching.number(term, values) for term in launching.extents)
    return [e is not None and 1 <= e < 1 << 31 for e in extents]


def unmet(launching: Launching, values: Sequence[int | float]) -> list[Requirement]:
    """The conditions that are not met. Those that have no value are no conditions."""
    truths = ((q, launching.number(q.term, values)) for q in launching.requirements)
    return [q for q, truth in truths if truth is not None and bool(truth) != q.holds]


def degenerate(launching: Launching, values: Sequence[int | float]) -> int:
    """How many computed numbers are too small to show anything; no launch at all weighs most."""
    numbers = [launching.number(term, values) for term in launching.computed]
    poor = sum(_poverty(n, launching.row) for n in numbers)
    if not is_launch(launching, values):
        return poor + 100 * max(1, sum(not e for e in accepted(launching, values)))
    sizes = ((launching.number(term, values), threads) for term, threads in launching.bounds)
    poor += sum(n is not None and 0 <= n < threads for n, threads in sizes)
    poor += _BELOW * below(launching, values)
    return poor + (_threads(launching, values) > MOST_THREADS)


def below(launching: Launching, values: Sequence[int | float]) -> int:
    """How many widths and steps are less than nothing."""
    widths = (launching.number(term, values) for term in launching.differences)
    return sum(width is not None and width < 0 for width in widths)


def oversized(launching: Launching, values: Sequence[int | float]) -> frozenset[int]:
    """The roots of which more is computed than a real tensor has elements.

    Or more bytes than the host code has room for: `int bytes = sizeof(Cell) * rows * columns;`.
    """
    limits = [(t, MOST_ELEMENTS, False) for t in launching.computed]
    limits += [(t, MOST_BYTES, True) for t in launching.allocated]
    roots = []
    for term, most, is_bytes in limits:
        number = launching.number(term, values)
        if number is None and is_bytes:  # C has wrapped it
            number, most = with_room(term, launching.roots, values), MOST_OF_INT
        if number is not None and number > most:
            roots.append(term.roots)
    return frozenset().union(*roots)


def is_starved(launching: Launching, values: Sequence[int | float]) -> bool:
    """Whether nothing is left of some computed number."""
    numbers = (launching.number(term, values) for term in launching.computed)
    return any(_poverty(n, launching.row) == NOTHING for n in numbers)


def _poverty(number: int | float | None, row: int) -> int:
    """How little a computed number shows: nothing where it is no count, little in a short row."""
    if number is None or number < 1 or number >= WRAPPED:
        return NOTHING
    return 4 if number < 2 else 1 if number < row else 0


def _threads(launching: Launching, values: Sequence[int | float]) -> float:
    """The threads of a launch, as far as its extents hang on roots."""
    extents = (launching.number(t, values) for t in (*launching.extents, *launching.block))
    return launching.threads * prod(e for e in extents if e is not None)
