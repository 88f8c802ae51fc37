"""Loops of the source that some instructions of a kernel come from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from perflint.base.constructs import Constructs, LoopSource, contains
from perflint.base.span import Span
from perflint.rules.protocol import Kernel

#: What waits for a loop's turns, rather than where they are counted.
LOADED = "what each of its iterations loads first"


def loop_places(
    kernel: Kernel, path: Path, pcs: Iterable[int], why: str, behind: int = 0
) -> tuple[tuple[Span, str], ...]:
    """What goes round (the condition, where there is one) in a file, of loops behind some line.

    After each the first load of its innermost loops, where that stands on another line.
    """
    constructs = kernel.constructs(str(path))
    if constructs is None:
        return ()
    run = [(pc, at) for pc in pcs if (at := _statement(kernel, pc)) and at.path == path]
    loads = [at for pc, at in run if _loads(kernel, pc)]
    found: list[LoopSource] = []
    for loop in constructs.loops:
        inside = any(contains(loop.span, at) for _, at in run)
        below = loop.span.line > behind and not any(contains(o.span, loop.span) for o in found)
        if inside and below:
            found.append(loop)
    places = []
    for loop in found:
        head = loop.condition.span if loop.condition else loop.span
        places.append((head, why))
        turned = [at for at in loads if contains(loop.body, at) and at.line != head.line]
        first = min(turned, key=lambda at: (-_depth(constructs, at), at.line), default=None)
        places += [(first, LOADED)] if first is not None else []
    return tuple(places)


def _statement(kernel: Kernel, pc: int) -> Span | None:
    return kernel.statement(kernel.facts.kernel.instructions[pc].location)


def _loads(kernel: Kernel, pc: int) -> bool:
    instruction = kernel.facts.kernel.instructions[pc]
    return instruction.opcode == "ld" and "param" not in instruction.modifiers


def _depth(constructs: Constructs, at: Span) -> int:
    return sum(contains(loop.body, at) for loop in constructs.loops)
