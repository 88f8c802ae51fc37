"""What a loop does with the run of elements that its thread walks along: how lanes may share it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.ssa import registers_of
from perflint.base.records import dataclass

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
    turn = _turn(facts, inside)
    return COMBINES if turn.left and turn.left & turn.hanging_on(run.pcs) else EACH


def _innermost(facts: KernelFacts, site: AccessSite) -> tuple[int, ...]:
    """The instructions of the innermost loops around an access, in their order."""
    found: set[int] = set()
    for pc in site.pcs:
        around = [loop for loop in facts.loops if pc in loop.pcs]
        found.update(max(around, key=lambda loop: loop.depth).pcs if around else ())
    return tuple(sorted(found))


@dataclass(frozen=True, eq=False)
class _Turn:
    """What the instructions of loops do in one turn."""

    left: frozenset[str]  #: the registers that it reads before it writes them
    readers: Mapping[str, Sequence[int]]  #: the instructions that read a register
    writes: Mapping[int, Sequence[str]]

    def hanging_on(self, loads: Iterable[int]) -> frozenset[str]:
        """The registers that it computes of what some instructions load."""
        found: set[str] = set()
        waiting = [*loads]
        while waiting:
            more = set(self.writes.get(waiting.pop(), ())) - found
            found |= more
            waiting += (pc for register in more for pc in self.readers.get(register, ()))
        return frozenset(found)


@lru_cache(maxsize=16)
def _turn(facts: KernelFacts, inside: tuple[int, ...]) -> _Turn:
    """Made once for all accesses of a loop."""
    reads, writes = _registers(facts)
    readers: defaultdict[str, list[int]] = defaultdict(list)
    written: set[str] = set()
    found: set[str] = set()
    for pc in inside:
        found |= set(reads[pc]) - written
        written |= set(writes[pc])
        for register in reads[pc]:
            readers[register].append(pc)
    return _Turn(frozenset(found & written), readers, {pc: writes[pc] for pc in inside})


@lru_cache(maxsize=4)
def _registers(facts: KernelFacts) -> tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]:
    return registers_of(facts.kernel)
