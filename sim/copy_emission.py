"""How asynchronous copies are compiled (PTX ISA 9.7.9.25): they copy at once.

Committing and waiting then mean nothing, and an mbarrier hears of a copy as it is issued: an order
that the hardware may choose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Address, Immediate, Instruction, Register
from perflint.sim import mbarrier_emission, tensor_emission
from perflint.sim.emission import handles
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.lanes import Lanes
from perflint.sim.site import Site
from perflint.sim.values import DTYPE, Value

_NOTHING = (
    ("async", "commit_group"),
    ("async", "wait_group"),
    ("async", "wait_all"),
    ("async", "bulk", "commit_group"),
    ("async", "bulk", "wait_group"),
    ("async", "bulk", "prefetch"),
)


def copy(
    memory: Any,
    lanes: Lanes,
    read: Site,
    wrote: Site,
    target: Value,
    source: Value,
    used: Value = None,
) -> None:
    """`cp.async`: bytes behind the `used` ones are zero."""
    values = memory.load(lanes, read, source)
    if used is not None:
        keep = [used > np.uint32(4 * k) for k in range(len(values))]
        values = tuple(np.where(p, v, np.uint32(0)) for p, v in zip(keep, values, strict=True))
    memory.store(lanes, wrote, target, values)


def copy_bulk(
    memory: Any, lanes: Lanes, read: Site, wrote: Site, target: Value, source: Value, size: Value
) -> None:
    """`cp.async.bulk`: each lane copies `size` bytes, a multiple of 16."""
    left = lanes.array(size).astype(np.int64)
    targets, sources = lanes.array(target), lanes.array(source)
    for done in range(0, int(left.max(initial=0)), 16):
        chosen = np.flatnonzero(left > done)
        some = lanes.subset(chosen)
        values = memory.load(some, read, sources[chosen] + sources.dtype.type(done))
        memory.store(some, wrote, targets[chosen] + targets.dtype.type(done), values)


@handles("cp")
def _cp(e: Emitter, i: Instruction) -> None:
    if any(i.modifiers[: len(each)] == each for each in _NOTHING):
        return
    if i.modifiers[:3] == ("async", "mbarrier", "arrive"):
        mbarrier_emission.arrive_for_copies(e, i)
    elif i.modifiers[:2] in (("async", "ca"), ("async", "cg")):
        _cp_async(e, i)
    elif i.modifiers[:3] == ("async", "bulk", "tensor"):
        tensor_emission.copy_tile(e, i)
    elif i.modifiers[:2] == ("async", "bulk"):
        _cp_async_bulk(e, i)
    else:
        raise NoMeaningError


def _cp_async(e: Emitter, i: Instruction) -> None:
    target, source, size = i.operands[:3]
    if not (isinstance(target, Address) and isinstance(source, Address)):
        raise NoMeaningError
    if not isinstance(size, Immediate) or size.bits not in (4, 8, 16):
        raise NoMeaningError
    width = size.bits // 4
    read = e.site(i, "global", "load", "b32", width)
    wrote = e.site(i, "shared", "store", "b32", width)
    operands = [e.address(target, "shared"), e.address(source, "global")]
    if e.touches:
        e.line(f"m.touch(a, {read}, {operands[1]})")
        return e.line(f"m.touch(a, {wrote}, {operands[0]})")
    cached = any("cache_hint" in m for m in i.modifiers)
    if len(i.operands) > (4 if cached else 3):
        operands.append(_used(e, i, size.bits))
    e.line(f"{e.refer(copy)}(m, a, {read}, {wrote}, {', '.join(operands)})")


def _used(e: Emitter, i: Instruction, size: int) -> str:
    """How many bytes are read: the source size, or none where `ignore-src` holds."""
    operand = i.operands[3]
    if isinstance(operand, Register) and e.program.kernel.registers.get(operand.name) == "pred":
        e.names["where"] = np.where
        some, none = (e.number(n, "int", DTYPE["u32"]) for n in (size, 0))
        return f"where({e.use(operand, 'pred')}, {none}, {some})"
    return e.use(operand, "u32")


def _cp_async_bulk(e: Emitter, i: Instruction) -> None:
    """One lane's copy for all; not traced, as no lane has a share of its own."""
    target, source, size = i.operands[:3]
    spaces = table.spaces(i)
    multicast = any("multicast" in m for m in i.modifiers)
    if len(spaces) != 2 or multicast or "cp_mask" in i.modifiers:
        raise NoMeaningError
    if not (isinstance(target, Address) and isinstance(source, Address)):
        raise NoMeaningError
    sites = []
    for space, kind in zip(spaces, ("store", "load"), strict=True):
        site: Site = e.names[e.site(i, space, kind, "b32", 4)]
        sites.append(e.refer(replace(site, traced=False)))
    length = e.use(size, "u32")
    where = f"{e.address(target, spaces[0])}, {e.address(source, spaces[1])}, {length}"
    e.line(f"{e.refer(copy_bulk)}(m, a, {sites[1]}, {sites[0]}, {where})")
    if any(m.startswith("mbarrier") for m in i.modifiers):
        mbarrier_emission.complete(e, i, i.operands[3], length)
