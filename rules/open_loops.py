"""Loops of which a run does not tell how long they take: what stands beside them may be little."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from perflint.analysis.model import AccessSite, LoopFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Opaque, Parameter
from perflint.rules.case import Case
from perflint.rules.protocol import Kernel, Trial

BESIDE = "each thread does it once, and the trip counts of the kernel's loops are not known"
#: What is said of a loop's accesses in the place of how many they are.
UNCOUNTED = "how often the loop turns depends on values that are not known"
#: Instructions of loops that do more than compute a value.
_BEYOND_VALUES = ("ld", "st", "atom", "red", "call", "bar", "barrier", "tex", "shfl", "vote")


def beside_open_loops(case: Case) -> Case:
    """A case of accesses, in doubt where they are made once beside loops of unknown length."""
    kernel, shown = case.suspicion.kernel, case.worst
    if kernel is None or shown is None:
        return case
    once = once_beside_loops(kernel, shown.trial, case.suspicion.pcs)
    return replace(case, data=BESIDE) if once and not (case.data or case.doubt) else case


def once_beside_loops(kernel: Kernel, trial: Trial, pcs: Collection[int]) -> bool:
    """Whether instructions stand in no loop, and beside one whose trip count is not known.

    Loops within them, as the slow paths of functions have them, are their own. Those that functions
    of the compiler's have, as `fmodf` does, turn as often as it takes to compute one value.
    """
    own = set(pcs)
    around = [loop for loop in kernel.facts.loops if not own.issuperset(loop.pcs)]
    around = [loop for loop in around if not computes_a_value(kernel, loop)]
    if any(not own.isdisjoint(loop.pcs) for loop in around):
        return False
    return any(is_open(kernel, trial, loop) for loop in around)


def computes_a_value(kernel: Kernel, loop: LoopFacts) -> bool:
    """Whether a loop is arithmetic alone, of a statement that no loop of the source is around.

    Or it is of a function that the compiler adds, without lines: `sin` of doubles takes a large
    angle apart by a table.
    """
    every = kernel.facts.kernel.instructions
    instructions = [every[pc] for pc in loop.pcs]
    if all(each.location is None for each in instructions):
        return any(each.location is not None for each in every)
    if any(each.opcode in _BEYOND_VALUES for each in instructions):
        return False
    places = {kernel.statement(each.location) for each in instructions}
    at = next(iter(places))
    constructs = kernel.constructs(str(at.path)) if len(places) == 1 and at is not None else None
    if constructs is None or at is None:
        return False
    return not any(each.span.line <= at.line <= each.span.end_line for each in constructs.loops)


def is_open(kernel: Kernel, trial: Trial, loop: LoopFacts) -> bool:
    """Whether data, or an argument that no launch gives, say how often a loop turns."""
    if loop.data_dependent or trial.exact:
        return loop.data_dependent
    if loop.last is None:
        return not _ends_by_the_block(kernel, loop)
    return hangs_on_unknown(kernel, loop.last)


def _ends_by_the_block(kernel: Kernel, loop: LoopFacts) -> bool:
    """Whether a loop with no counter ends by what the block and such arguments say that are given.

    So do the steps of a reduction: `for (int s = 1; s < blockDim.x; s *= 2)`.
    """
    own = set(loop.pcs)
    ways = [b.condition for b in kernel.facts.branches if b.leaves_loop and b.pc in own]
    conditions = [condition for condition in ways if condition is not None]
    if not ways or len(conditions) < len(ways):
        return False
    opaque = any(isinstance(atom, Opaque) for each in conditions for atom in each.atoms)
    return not opaque and not any(hangs_on_unknown(kernel, each) for each in conditions)


def is_counted(kernel: Kernel, site: AccessSite, trial: Trial) -> bool:
    """Whether it is known how often the loops around an access turn, or was seen in a real run."""
    around = (loop for loop in kernel.facts.loops if not set(loop.pcs).isdisjoint(site.pcs))
    real = trial.run.launch.image is not None
    return real or not any(is_open(kernel, trial, loop) for loop in around)


def hangs_on_unknown(kernel: Kernel, formula: Polynomial) -> bool:
    """Whether an argument that no launch gives, and that is invented here, is in a formula."""
    asked = {atom.index for atom in formula.atoms if isinstance(atom, Parameter)}
    given = [launch.values.keys() for launch in kernel.launches]
    known = set.intersection(*map(set, given)) if given else set()
    return not asked <= known
