"""Whether the blocks of a grid can see each other's writes and act on them.

An accumulation (`red`, an `atomicAdd` whose result nobody looks at, a compare-and-swap that only
retries) does not count: it makes no block's control or addresses depend on another's.
"""

from __future__ import annotations

from collections.abc import Iterable

from perflint.analysis.cfg import ControlFlow, Loop
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import ATOMIC
from perflint.analysis.uniformity import Dependence
from perflint.grammar import table
from perflint.grammar.model import Function, Symbol

#: Orderings of a load that waits for another thread's write (PTX ISA, ld: .weak is the default).
_WAITING = {"volatile", "acquire", "relaxed", "mmio"}
_WATCHED = _WAITING | {"release"}


def communicates(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    dependence: Dependence,
    address_dependences: Iterable[int],
) -> bool:
    """Whether control or an address depends on a global atomic's result, or a loop waits."""
    if any(depends & ATOMIC for depends in address_dependences):
        return True
    if any(dependence.of_branch(block) & ATOMIC for block in dependence.conditions):
        return True
    if any(_waits(function, flow, ssa, dependence, loop) for loop in flow.loops.values()):
        return True
    return any(_synchronises_grid(i.call.target) for i in function.instructions if i.call)


def _synchronises_grid(target: object) -> bool:
    """A call of the device runtime's grid barrier (cooperative groups)."""
    return isinstance(target, Symbol) and target.name.startswith("cudaCGSynchronize")


def _waits(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    dependence: Dependence,
    loop: Loop,
) -> bool:
    """Whether leaving a loop depends on a load in it that expects others to write."""
    seen = {dependence.conditions[b] for b in loop.exits if b in dependence.conditions}
    pending = list(seen)
    while pending:
        definition = ssa.definitions[pending.pop()]
        if definition.block not in loop.body:
            continue
        if definition.pc is not None:
            instruction = function.instructions[definition.pc]
            waiting = not _WAITING.isdisjoint(instruction.modifiers)
            if instruction.opcode == "ld" and waiting:
                return table.space(instruction) in ("global", "generic")
        for source in definition.inputs:
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return False


def is_watched(kernel: Function, pcs: Iterable[int]) -> bool:
    """Whether some of the instructions must go to memory, since others see or make the value."""
    return any(_WATCHED & set(kernel.instructions[pc].modifiers) for pc in pcs)
