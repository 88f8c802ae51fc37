"""What a loop does with the run of elements that its thread walks along: how lanes may share it."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.ssa import registers_of

COMBINES = "and combine what they have by shuffles"
EACH = "an element to each lane"


def shared_how(facts: KernelFacts, run: AccessSite) -> str:
    """What the lanes of a warp do that take a run together; "" where it is not in a loop.

    Where a register that one turn leaves to the next hangs on what is loaded, each lane has a part
    of it in the end, and the parts are combined. Else nothing is: what is stored elsewhere, or sent
    (`atomicMin(&distance[edge[j]], d)`), is so by whichever lane.
    """
    inside = _innermost(facts, run)
    if run.kind != "load" or not inside:
        return EACH if inside else ""
    reads, writes = registers_of(facts.kernel)
    loaded = _hanging_on(inside, frozenset(run.pcs), reads, writes)
    return COMBINES if _left_to_the_next(inside, reads, writes) & loaded else EACH


def _innermost(facts: KernelFacts, site: AccessSite) -> tuple[int, ...]:
    """The instructions of the innermost loops around an access, in their order."""
    found: set[int] = set()
    for pc in site.pcs:
        around = [loop for loop in facts.loops if pc in loop.pcs]
        found.update(max(around, key=lambda loop: loop.depth).pcs if around else ())
    return tuple(sorted(found))


def _hanging_on(
    inside: Sequence[int],
    loads: frozenset[int],
    reads: Sequence[Sequence[str]],
    writes: Sequence[Sequence[str]],
) -> frozenset[str]:
    """The registers that instructions compute of what some of them load."""
    found: set[str] = set()
    while True:
        more = {
            register
            for pc in inside
            if pc in loads or not found.isdisjoint(reads[pc])
            for register in writes[pc]
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _left_to_the_next(
    inside: Sequence[int], reads: Sequence[Sequence[str]], writes: Sequence[Sequence[str]]
) -> frozenset[str]:
    """The registers that a turn reads before it writes them."""
    written: set[str] = set()
    found: set[str] = set()
    for pc in inside:
        found |= set(reads[pc]) - written
        written |= set(writes[pc])
    return frozenset(found & written)
