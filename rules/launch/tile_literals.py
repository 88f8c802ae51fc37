"""A tile's extents where they are written as numbers: in the kernel's body, or as its template's.

`__shared__ float t[18][18]` goes with `blockIdx.x * 16` and blocks of 16×16: a number near a
block's extent is taken for that extent and a border. What comes of another block is compiled and
run beside the original, whose bytes it must leave.
"""

from __future__ import annotations

from dataclasses import replace

from perflint.base.constructs import Constructs, FunctionSource, LaunchSource, within
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span

#: A border on either side of a tile: `16 + 2`, `16 - 1`.
BORDER = 2
_NUMBER = pattern(r"\b\d+\b")


@dataclass(frozen=True)
class TilePart:
    """A number that the extent of a tile along an axis decides."""

    axis: int
    span: Span
    more: int = 0  #: what it is beyond the extent

    def text(self, extent: int) -> str:
        """It for another extent."""
        return str(extent + self.more)


def of_body(
    constructs: Constructs, function: FunctionSource, block: tuple[int, int]
) -> tuple[TilePart, ...]:
    """Numbers in a kernel's body, where it declares a shared array of about a block's extents."""
    numbers = [each for each in within(constructs.literals, function.body) if each.text.isdigit()]
    shared = [
        extent
        for declared in within(constructs.declarations, function.body)
        if "__shared__" in declared.qualifiers
        for extent in declared.extents
        if extent.text.isdigit() and _axes(int(extent.text), block)
    ]
    if len(shared) < 2:
        return ()
    return tuple(
        TilePart(axis, each.span, int(each.text) - block[axis])
        for each in numbers
        for axis in _axes(int(each.text), block)
    )


def _axes(number: int, block: tuple[int, int]) -> tuple[int, ...]:
    """The axes whose extent a number is, or is with a border."""
    return tuple(axis for axis in (0, 1) if abs(number - block[axis]) <= BORDER < block[axis] // 2)


def of_template(launch: LaunchSource, block: tuple[int, int]) -> tuple[TilePart, ...]:
    """Template arguments of a launch that are its block's extents: `copy<16>`, `copy<16, 8>`."""
    span, text = launch.callee_span, launch.callee
    width = span.end_column - span.column
    if span.line != span.end_line or width != len(text) or "<" not in text:
        return ()
    found = [m for m in _NUMBER.finditer(text, text.index("<")) if int(m[0]) in block]
    spans = [
        replace(span, column=span.column + m.start(), end_column=span.column + m.end())
        for m in found
    ]
    if len(spans) == 1 and block[0] == block[1]:
        return TilePart(0, spans[0]), TilePart(1, spans[0])
    if [int(m[0]) for m in found] == list(block):
        return TilePart(0, spans[0]), TilePart(1, spans[1])
    return ()
