"""Instructions by the source line they come from, and how often runs executed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.base.constructs import Constructs
from perflint.base.span import Span
from perflint.grammar import model as ptx
from perflint.grammar.model import Location
from perflint.rules.protocol import (
    Kernel,
    Trial,
)
from perflint.sim.final_memory import differing
from perflint.sim.launch import Buffer
from perflint.sim.tracers.instruction import Instruction


def pcs_at(facts: KernelFacts, kernel: Kernel, span: Span) -> tuple[int, ...]:
    """The instructions of a kernel, or of a variant of it, that come from the lines of a span.

    Edits move no line, so that a variant's lines are the original's.
    """
    lines = _by_line(facts, kernel).get(span.path, {})
    wanted = [n for n in lines if span.line <= n <= span.end_line]
    return tuple(sorted(pc for n in wanted for pc in lines[n]))


@lru_cache(maxsize=8)
def _by_line(facts: KernelFacts, kernel: Kernel) -> Mapping[Path, Mapping[int, list[int]]]:
    """The instructions that come from each line of the user's files."""
    out: dict[Path, dict[int, list[int]]] = {}
    for instruction in facts.kernel.instructions:
        at = kernel.statement(instruction.location)
        if at is not None:
            out.setdefault(at.path, {}).setdefault(at.line, []).append(instruction.index)
    return out


def doubles_at(facts: KernelFacts, kernel: Kernel, span: Span) -> tuple[int, ...]:
    """Those that compute in double precision."""
    doubles = {use.pc for use in facts.doubles}
    return tuple(pc for pc in pcs_at(facts, kernel, span) if pc in doubles)


def threads_at(trial: Trial, pcs: Collection[int]) -> int:
    """Thread instructions that a trial executed at some pcs."""
    executed = trial.tracer(Instruction).executed
    return sum(executed[pc][1] for pc in pcs if pc in executed)


def visits(trial: Trial, pcs: Collection[int], kernel: Kernel, *, by_warp: bool = False) -> int:
    """How often threads, or warps, came to a statement: as often as to its busiest instruction.

    A function is inlined at each of its calls, and what comes by each of them counts. The compiler
    unrolls loops, and each copy has a share of the turns. So copies of an operation on floats count
    together, those of the last turns behind the loop too, and of these operations the one that is
    done least: others may stand in the statement more than once. Loops within it, as the slow paths
    of functions have them, turn more often, and what is hoisted out of the loops around it is
    executed less often.
    """
    executed, own = trial.tracer(Instruction).executed, frozenset(pcs)
    instructions = trial.facts.kernel.instructions
    around = [loop for loop in trial.facts.loops if not own.issuperset(loop.pcs)]
    calls: dict[Location | None, dict[int, int]] = {}
    for pc in own & executed.keys():
        depth = sum(pc in loop.pcs for loop in around)
        calls.setdefault(_call(instructions[pc].location, kernel), {})[pc] = depth
    return sum(
        _visits(instructions, depths, {pc: executed[pc][0 if by_warp else 1] for pc in depths})
        for depths in calls.values()
    )


def _call(at: Location | None, kernel: Kernel) -> Location | None:
    """Where the function was inlined that a location's statement stands in; None: nowhere."""
    statement = kernel.statement(at)
    while at is not None and at.inlined_at is not None:
        at = at.inlined_at
        if kernel.statement(at) != statement:
            return at
    return None


def _visits(
    instructions: Sequence[ptx.Instruction], depths: Mapping[int, int], times: Mapping[int, int]
) -> int:
    """The same of the instructions of one call, of which the loops around each are counted."""
    most = max(depths.values())
    deepest = [pc for pc in depths if depths[pc] == most]
    copies = Counter[object]()
    for pc in (each for each in depths if _is_of_floats(instructions[each])):
        copies[_operation(instructions[pc])] += times[pc]
    operations = {_operation(instructions[pc]) for pc in deepest} & copies.keys()
    least = min((copies[each] for each in operations), default=0)
    return max(least, *(times[pc] for pc in deepest))


def _is_of_floats(instruction: ptx.Instruction) -> bool:
    """Whether an instruction computes, loads or stores floats.

    Copies share what makes indices, and what puts a constant into a register.
    """
    return instruction.opcode != "mov" and not {"f32", "f64"}.isdisjoint(instruction.modifiers)


def _operation(instruction: ptx.Instruction) -> object:
    """What an instruction and its copies in an unrolled loop have in common."""
    constants = [each for each in instruction.operands if isinstance(each, ptx.Immediate)]
    return instruction.opcode, instruction.modifiers, tuple(map(str, constants))


@lru_cache(maxsize=4)
def source_lines(kernel: Kernel) -> Mapping[Path, frozenset[int]]:
    """The lines of the user's files that a kernel's instructions come from."""
    lines: dict[Path, set[int]] = {}
    for location in dict.fromkeys(i.location for i in kernel.facts.kernel.instructions):
        span = kernel.statement(location)
        if span is not None:
            lines.setdefault(span.path, set()).update(range(span.line, span.end_line + 1))
    return {path: frozenset(found) for path, found in lines.items()}


def sources(kernel: Kernel) -> Iterator[tuple[Constructs, frozenset[int]]]:
    """What stands in each file that a kernel's code comes from, and the lines it comes from."""
    for path, lines in source_lines(kernel).items():
        constructs = kernel.constructs(str(path))
        if constructs is not None:
            yield constructs, lines


def reached(span: Span, lines: frozenset[int]) -> bool:
    """Whether some of a kernel's code comes from a place."""
    return any(line in lines for line in range(span.line, span.end_line + 1))


def same_bytes(original: Trial, variant: Trial) -> bool:
    """Whether two trials left the same in memory."""
    a, b = original.outputs, variant.outputs
    return a is not None and b is not None and a.keys() == b.keys() and not any(differing(a, b))


def difference_in_all(pairs: Sequence[tuple[Trial, Trial]]) -> float | None:
    """The largest difference over the worlds whose runs come to their end.

    None where there is no such world, or one whose results cannot be compared.
    """
    ended = [(one, other) for one, other in pairs if one.complete and other.complete]
    found = [largest_difference(one, other) for one, other in ended]
    known = [each for each in found if each is not None]
    return max(known) if known and len(known) == len(found) else None


def largest_difference(original: Trial, variant: Trial) -> float | None:
    """The largest relative difference of what two trials left in memory; 0.0 where it is the same.

    Buffers are compared as their elements, doubles or else floats, where all that differ are
    finite, else they must be equal. None where they cannot be compared: a run did not come to its
    end, a buffer is missing, or other than floats differ.
    """
    arguments = original.run.launch.arguments
    elements = {b.name: b.element for b in arguments if isinstance(b, Buffer)}
    worst = 0.0
    left, right = original.outputs, variant.outputs
    if left is None or right is None or left.keys() != right.keys():
        return None
    for name, mine, other in differing(left, right):
        kind = np.float64 if elements.get(name) == "f64" else np.float32
        with np.errstate(invalid="ignore", over="ignore"):
            a, b = (each.view(kind).astype(np.float64) for each in (mine, other))
        differ = a != b
        if not np.isfinite(a[differ]).all() or not np.isfinite(b[differ]).all():
            return None
        scale = np.maximum(np.abs(a[differ]), np.abs(b[differ]))
        worst = max(worst, float((np.abs(a[differ] - b[differ]) / scale).max(initial=0.0)))
    return worst
