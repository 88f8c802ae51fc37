"""Edits of host code that give a launch blocks of full warps, for as many threads.

Where a block's extents are constants by name, these change, and what is computed of them with them;
else block and grid change where they are written. A part of the grid is run with both blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from perflint.base.constructs import LaunchSource
from perflint.base.patterns import pattern
from perflint.rules.launch.launch_edits import in_the_launch, where_written
from perflint.rules.protocol import Edit, Kernel, KnownLaunch, OtherLaunch, SourceEdit, Variant

_WORDS = pattern(r"[A-Za-z_]\w*")
#: Blocks that are tried, in turn, by how many axes the launch's have.
SHAPES = {1: ((128, 1), (256, 1), (64, 1)), 2: ((32, 8), (32, 4), (16, 8))}
#: Threads that are run along each axis, about.
REGION = (512, 32)


def fuller(kernel: Kernel, launch: KnownLaunch) -> tuple[Variant, ...]:
    """A part of the grid as it is, and in full warps; () where the kernel knows its blocks."""
    constructs = kernel.constructs(str(launch.span.path)) if launch.span is not None else None
    launches = constructs.launches if constructs is not None else ()
    written = next((each for each in launches if each.span == launch.span), None)
    _, y, z = launch.block
    if written is None or z > 1 or kernel.facts.communicates or None in launch.grid:
        return ()
    found: list[Variant] = []
    for shape in SHAPES[1 if y == 1 else 2]:
        asked = _same_threads(launch, shape)
        edits = tuple(_edits(kernel, launch, written, shape)) if asked is not None else ()
        if asked is not None and edits:
            own, other = asked
            found += [own, SourceEdit(edits, other, "rescaled", against=own)]
    return tuple(found)


def _same_threads(
    launch: KnownLaunch, shape: tuple[int, int]
) -> tuple[OtherLaunch, OtherLaunch] | None:
    """A part of the grid in a launch's blocks, and in others; None where it is too small."""
    grids = []
    plane = zip(launch.block[:2], shape, launch.grid[:2], REGION, strict=True)
    for now, then, blocks, most in plane:
        least = lcm(now, then)
        if blocks is None or least > now * blocks:
            return None
        threads = min(max(most // least, 1) * least, now * blocks // least * least)
        grids.append((threads // now, threads // then))
    (left, right), (up, down) = grids
    own = OtherLaunch(launch.block, (left, up, 1), None, "launch")
    return own, OtherLaunch((*shape, 1), (right, down, 1), None, "launch")


def _edits(
    kernel: Kernel, launch: KnownLaunch, written: LaunchSource, shape: tuple[int, int]
) -> Iterator[Edit]:
    """The constants by name that make the block, where all are such; else block and grid."""
    axes = [axis for axis in (0, 1) if launch.block[axis] != shape[axis]]
    constructs = kernel.own_constructs
    named = (*constructs.macros, *constructs.constants) if constructs is not None else ()
    values = {each.name: each for each in named}
    words = [written.block[axis].text if axis < len(written.block) else "" for axis in axes]
    made = [values.get(word) for word in words]
    now = launch.block[:2]
    told = values.get(written.or_told)
    if told is not None and told.body == str(now[0]) and axes == [0]:
        # the grid is computed of the variable, whichever value that has
        if any(written.configuration[1].text in _WORDS.findall(g.text) for g in written.grid):
            yield Edit(told.span, str(shape[0]))
        return
    if len(set(words)) == len(words) and all(
        each is not None and each.body == str(now[axis])
        for each, axis in zip(made, axes, strict=True)
    ):
        spans = {axis: each.span for axis, each in zip(axes, made, strict=True) if each is not None}
        yield from (Edit(span, str(shape[axis])) for axis, span in spans.items())
        yield from where_written(written, now, shape, words)
    elif {f"%ntid.{'xy'[axis]}" for axis in axes} <= kernel.facts.reads and len(
        written.grid
    ) > axes[-1]:
        yield from where_written(written, now, shape, ()) or in_the_launch(written, now, shape, ())
