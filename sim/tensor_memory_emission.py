"""How `tcgen05` is compiled: all is done at once, so that waits and fences mean nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.grammar.model import Address, Immediate, Instruction, Operand, Register
from perflint.sim import mbarrier_emission
from perflint.sim.emission import elements, handles, space_of
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.meaning.tensor_core import KINDS, TensorProduct
from perflint.sim.site import Site
from perflint.sim.tensor_memory import Cells, cells
from perflint.sim.values import DTYPE

_NOTHING = ("wait::ld", "wait::st", "fence::before_thread_sync", "fence::after_thread_sync",
            "relinquish_alloc_permit")  # fmt: skip
_SHAPE = re.compile(r"\d+x\d+b(?:x2)?\Z")
_TIMES = re.compile(r"x(\d+)\Z")
_COMMIT = {"mbarrier::arrive::one", "shared::cluster", "b64"}
_MMA = {"collector::a::fill", "collector::a::lastuse", "collector::a::discard"}


@handles("tcgen05")
def _tcgen05(e: Emitter, i: Instruction) -> None:
    action, *modifiers = i.modifiers
    if "cta_group::2" in modifiers:
        raise NoMeaningError
    if action in _NOTHING:
        return
    if action == "alloc":
        _alloc(e, i)
    elif action == "dealloc":
        address, columns = (e.use(operand, "u32") for operand in i.operands)
        e.line(f"m.device.free_columns(a, {i.index}, {address}, {columns})")
    elif action in ("ld", "st"):
        _move(e, i, modifiers)
    elif action == "mma":
        _mma(e, i, modifiers)
    elif action == "commit":
        if len(i.operands) != 1 or set(modifiers) - _COMMIT - {"cta_group::1"}:
            raise NoMeaningError
        mbarrier_emission.arrive(e, i, i.operands[0])
    else:
        raise NoMeaningError


def _alloc(e: Emitter, i: Instruction) -> None:
    """Not traced: its store is no data."""
    address, columns = i.operands
    if not isinstance(address, Address):
        raise NoMeaningError
    space = space_of(e, i, address)
    site: Site = e.names[e.site(i, space, "store", "b32")]
    where = f"{e.address(address, space)}, {e.use(columns, 'u32')}"
    e.line(f"m.allocate_columns(a, {e.refer(replace(site, traced=False))}, {where})")


def _move(e: Emitter, i: Instruction, modifiers: list[str]) -> None:
    """`tcgen05.ld` and `tcgen05.st`."""
    operands = list(i.operands)
    address = operands.pop(1 if i.modifiers[0] == "ld" else 0)
    if i.modifiers[0] == "ld":
        operands.append(operands.pop(0))
    *split, vector = operands
    where, parts = _cells(modifiers, split), elements(vector)
    if len(parts) != where.registers:
        raise NoMeaningError
    named, place = f"a, {i.index}, {e.refer(where)}", _place(e, address)
    if i.modifiers[0] == "ld":
        values = [e.fresh() for _ in parts]
        e.line(f"{', '.join(values)}, = m.device.tensor.load({named}, {place})")
        for part, value in zip(parts, values, strict=True):
            e.write(part, value, "b32")
    else:
        stored = ", ".join(e.use(part, "b32") for part in parts)
        e.line(f"m.device.tensor.store({named}, {place}, ({stored},))")


def _cells(modifiers: list[str], split: list[Operand]) -> Cells:
    shapes = [m for m in modifiers if _SHAPE.match(m)]
    times = [int(found[1]) for m in modifiers if (found := _TIMES.match(m))]
    if len(shapes) != 1 or len(times) != 1 or len(modifiers) != 5 or modifiers[-1] != "b32":
        raise NoMeaningError  # `.red`, `.spcompress`, `.pack::16b`, `.unpack::16b`
    if (shapes[0] == "16x32bx2") != (len(split) == 1):
        raise NoMeaningError
    offset = 0
    if split:
        if not isinstance(split[0], Immediate):
            raise NoMeaningError
        offset = split[0].bits
    where = cells(shapes[0], times[0], offset)
    if where is None:
        raise NoMeaningError
    return where


def _place(e: Emitter, operand: Operand) -> str:
    """An address in tensor memory."""
    if not isinstance(operand, Address) or not isinstance(operand.base, Register):
        raise NoMeaningError
    base = e.use(operand.base, "u32")
    if not operand.offset:
        return base
    return f"({base} + {e.number(operand.offset, 'int', DTYPE['u32'])})"


def _mma(e: Emitter, i: Instruction, modifiers: list[str]) -> None:
    kinds = [m for m in modifiers if m in KINDS]
    others = set(modifiers) - set(kinds) - _MMA - {"cta_group::1"}
    if len(kinds) != 1 or others or len(i.operands) != 5:
        raise NoMeaningError
    d, a, b, shape, keep = i.operands
    if not isinstance(keep, (Register, Immediate)):
        raise NoMeaningError  # `disable-output-lane`
    held = isinstance(a, Address)
    site: Site = e.names[e.site(i, "shared", "load", "b32", 4)]
    product = TensorProduct(i.name, i.line, kinds[0], held, replace(site, traced=False))
    left = _place(e, a) if held else e.use(a, "u64")
    e.line(
        f"{e.refer(product)}(m.device, a, {_place(e, d)}, {left}, {e.use(b, 'u64')}, "
        f"{e.use(shape, 'u32')}, {e.use(keep, 'pred')})"
    )
