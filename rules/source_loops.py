"""Loops of the source that some instructions of a kernel come from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from perflint.base.constructs import LoopSource, contains
from perflint.base.span import Span
from perflint.rules.protocol import Kernel


def outermost_loops(
    kernel: Kernel, path: Path, pcs: Iterable[int], behind: int = 0
) -> tuple[Span, ...]:
    """What goes round (the condition, where there is one) in a file, of loops behind some line."""
    constructs = kernel.constructs(str(path))
    instructions = kernel.facts.kernel.instructions
    run = {kernel.statement(instructions[pc].location) for pc in pcs} - {None}
    found: list[LoopSource] = []
    for loop in constructs.loops if constructs else ():
        inside = any(contains(loop.span, each) for each in run if each and each.path == path)
        below = loop.span.line > behind and not any(contains(o.span, loop.span) for o in found)
        if inside and below:
            found.append(loop)
    return tuple(each.condition.span if each.condition else each.span for each in found)
