"""Whether a run's warps print: what a kernel prints takes longer than all that rules speak of."""

from __future__ import annotations

from functools import lru_cache

from perflint.analysis.model import KernelFacts
from perflint.grammar.model import Instruction, Symbol
from perflint.rules.protocol import Trial

PRINTS = "most of its warps print, as is done for debugging, and that takes longer"
_PRINT = "vprintf"  #: what the compiler makes of `printf`
_ENDS = frozenset({"bra", "brx", "call", "ret", "exit"})


def prints(trial: Trial) -> bool:
    """Whether most warps of a run came to a `printf` of some values."""
    requests, warps = trial.run.requests, trial.run.warps
    return any(2 * requests.get(pc, 0) > warps for pc in _printed(trial.facts))


@lru_cache(maxsize=64)
def _printed(facts: KernelFacts) -> tuple[int, ...]:
    """The stores to local memory of what is printed, one before each `printf`."""
    found: list[int] = []
    stored: int | None = None
    for each in facts.kernel.instructions:
        if _is_print(each) and stored is not None:
            found.append(stored)
        if each.opcode == "st" and "local" in each.modifiers:
            stored = each.index
        elif each.opcode in _ENDS:
            stored = None
    return tuple(found)


def _is_print(instruction: Instruction) -> bool:
    call = instruction.call
    return call is not None and isinstance(call.target, Symbol) and call.target.name == _PRINT
