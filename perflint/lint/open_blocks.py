"""Blocks whose shape the host code leaves open: in which others a kernel is tried beside them.

A kernel that counts its threads along two axes may have its lanes along either. Where the block is
one value that cannot be read, as a tuner picks it, where a tuner's loops go through its extents, or
where an invented number makes it narrow, what holds for one shape is no matter of the program's.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from perflint.lint.launch_record import BLOCK_2D, LaunchRecord, block_roots, number
from perflint.lint.world_model import ASSUMED, World, root_of
from perflint.sim.launch import Dim3

#: Lanes along y: what a tuner picks where neighbours along y are neighbours in memory.
LANES_ALONG_Y: Dim3 = (1, 256, 1)
#: Threads along x from which on the lanes of a warp are neighbours along x, if not all of them.
NARROW = 16


def other_shapes(
    record: LaunchRecord, world: World, block: Dim3, most_threads: int
) -> tuple[LaunchRecord, ...]:
    """A launch with blocks of other shapes, where nothing tells the one that it is tried with."""
    shapes: tuple[Dim3, ...] = ()
    if _is_one_unread_value(record, world) or _is_picked(record):
        shapes = (*BLOCK_2D, LANES_ALONG_Y)
    elif block[0] < NARROW and _is_invented(record, world, axis=0):
        shapes = BLOCK_2D[:1]
    return tuple(
        _with_block(record, world, shape)
        for shape in shapes
        if shape != block and prod(shape) <= most_threads
    )


def _is_one_unread_value(record: LaunchRecord, world: World) -> bool:
    """Whether a block is a value of which not even the type can be read: it may have three axes."""
    x, y, z = record.block
    root = root_of(x.term)
    if root is None or x.value is not None or world.origins[root].kind != ASSUMED:
        return False
    return not record.roots[root].typed and y.value == z.value == 1


def _is_picked(record: LaunchRecord) -> bool:
    """Whether loops go through what the threads along x and y may be."""
    roots = [root_of(extent.term) for extent in record.block[:2] if extent.value is None]
    return len(roots) == 2 and all(r is not None and record.roots[r].picked for r in roots)


def _is_invented(record: LaunchRecord, world: World, axis: int) -> bool:
    """Whether threads along an axis are counted from numbers that are invented."""
    term = record.block[axis].term
    return term is not None and any(world.origins[root].kind == ASSUMED for root in term.roots)


def _with_block(record: LaunchRecord, world: World, shape: Dim3) -> LaunchRecord:
    names = " and ".join(f"`{record.roots[root].name}`" for root in block_roots(record))
    text = "×".join(map(str, shape[: 3 if shape[2] > 1 else 2]))
    x, y, z = map(number, shape)
    assumed = f"{text} threads assumed: {names} could not be read"
    return replace(record, block=(x, y, z), assumed=assumed)
