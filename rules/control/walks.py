"""Loops that walk over memory: their turns are work that other lanes could take over."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from perflint.analysis.extents import conjuncts
from perflint.analysis.model import AccessSite, Branch, KernelFacts, LoopFacts
from perflint.analysis.symbols import ATOMIC, BLOCK, LANES, LOADED, Loop, Opaque, Symbol
from perflint.grammar import table
from perflint.grammar.model import Function
from perflint.rules.protocol import Trial
from perflint.sim.tracers.instruction import Instruction

WARP = 32
#: What a warp's threads, or a block's, exchange values with, or wait for each other.
EXCHANGES = frozenset({"shfl", "vote", "match", "redux", "activemask", "bar", "barrier"})
#: Where no work lies that may be dealt out: constants, a thread's own variables, and the tables of
#: CUDA's functions.
_NO_DATA = frozenset({"const", "local"})
_TABLES = "__cudart_"


@lru_cache(maxsize=64)  # asked of each arm by who suspects, and by each trial
def loops_over_memory(facts: KernelFacts, arm: tuple[int, ...]) -> frozenset[int]:
    """The instructions of an arm's loops that load another element each turn: work to be dealt out.

    The slow paths of sines and cosines have loops over a table, which are no such work. Neither is
    waiting for a flag, nor going from link to link of a list.
    """
    inside = set(arm)
    loads = [
        site
        for site in facts.sites
        if site.kind == "load" and site.space not in _NO_DATA and not inside.isdisjoint(site.pcs)
        if not site.array.name.startswith(_TABLES)
    ]
    return frozenset(
        pc
        for loop in facts.loops
        if inside.issuperset(loop.pcs) and any(_walks_in(facts.kernel, s, loop) for s in loads)
        for pc in loop.pcs
    )


def _walks_in(kernel: Function, site: AccessSite, loop: LoopFacts) -> bool:
    """Whether an access stands in a loop and takes from its address to the next by computing it."""
    own = set(loop.pcs)
    known = site.addresses or (site.address,) * len(site.pcs)
    here = [address for pc, address in zip(site.pcs, known, strict=True) if pc in own]
    return any(
        address is None or any(_moves(kernel, symbol, own) for symbol in address.atoms)
        for address in here
    )


def _moves(kernel: Function, symbol: Symbol, loop: Collection[int]) -> bool:
    """Whether a value is computed anew on each turn of a loop."""
    if isinstance(symbol, Loop):
        return symbol.header in loop
    return isinstance(symbol, Opaque) and symbol.pc in loop and not _is_link(kernel, symbol, loop)


def _is_link(kernel: Function, symbol: Opaque, loop: Collection[int]) -> bool:
    """Whether a value is what was loaded in a loop, on this turn or the one before."""
    if symbol.kind == "loaded":
        return True
    instructions = (kernel.instructions[pc] for pc in loop)
    made = [each.opcode for each in instructions if symbol.register in table.writes(each)]
    return bool(made) and set(made) == {"ld"}


def has_uniform_data(branch: Branch) -> bool:
    """Whether data have a say in a branch, but none in which lanes of a warp go which way.

    As in `if (filled && threadIdx.x == 0)`.
    """
    if branch.condition is None:
        return False
    for holds in (True, False):
        parts = [part for part, _ in conjuncts(branch.condition.symbol, holds)]
        depends = [part.depends if isinstance(part, Symbol) else LANES | LOADED for part in parts]
        if not any(each & LANES and each & (LOADED | ATOMIC) for each in depends):
            return True
    return False


def deals_roles(facts: KernelFacts, branch: Branch) -> bool:
    """Whether a bound picks threads by their number in their block, and these walk over memory.

    `if (threadIdx.x < classes)` gives work to some, where `if (i < n)` ends with the data.
    """
    depends = branch.condition.depends if branch.condition is not None else BLOCK
    return not depends & BLOCK and any(loops_over_memory(facts, arm) for arm in branch.arms)


def may_be_shared(trial: Trial, branch: Branch, arm: tuple[int, ...]) -> bool:
    """Whether each of a few threads has a walk of its own, in which others could take a part.

    It is longer than a warp has lanes. Those of a tree's last steps wait for each other, and where
    a branch has walks both ways, the others have their own.
    """
    facts = trial.facts
    if sum(bool(loops_over_memory(facts, each)) for each in branch.arms) > 1:
        return False
    loops = loops_over_memory(facts, arm)
    exchanged = any(facts.kernel.instructions[pc].opcode in EXCHANGES for pc in loops)
    long = any(_steps(trial, loop) > WARP for loop in facts.loops if loops.issuperset(loop.pcs))
    return long and not exchanged and deals_roles(facts, branch)


def _steps(trial: Trial, loop: LoopFacts) -> float:
    """Turns of the source's loop each time that it was entered: unrolled, it loads more often."""
    executed, own = trial.tracer(Instruction).executed, set(loop.pcs)
    entered = sum(executed.get(pc, (0, 0))[0] for pc in loop.entries)
    loads = (s for s in trial.facts.sites if s.kind == "load" and s.space not in _NO_DATA)
    copies = max((len(own.intersection(site.pcs)) for site in loads), default=1)
    return copies * executed.get(loop.header, (0, 0))[0] / max(1, entered)
