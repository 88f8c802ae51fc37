"""How tensor maps and copies of tensor tiles are compiled: the copies are done at once."""

from __future__ import annotations

from dataclasses import replace

from perflint.grammar.model import Address, Immediate, Instruction, Register, Vector
from perflint.sim import mbarrier_emission
from perflint.sim.emission import elements, handles, space_of
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.meaning.tensor_map import FIELDS, MARK, MARK_AT, SIZE, TileCopy
from perflint.sim.site import Site
from perflint.sim.values import DTYPE

_PLAIN = {"async", "bulk", "tensor", "tile", "global", "shared::cta", "shared::cluster",
          "bulk_group", "mbarrier::complete_tx::bytes", "L2::cache_hint"}  # fmt: skip


def _site(e: Emitter, i: Instruction, space: str, kind: str, held: str, width: int = 1) -> Site:
    site: Site = e.names[e.site(i, space, kind, held, width)]
    return replace(site, traced=False)


@handles("tensormap")
def _tensormap(e: Emitter, i: Instruction) -> None:
    if i.modifiers[0] == "cp_fenceproxy":
        _copy_map(e, i)
    elif i.modifiers[:2] == ("replace", "tile") and i.modifiers[2] in FIELDS:
        _replace(e, i)
    else:
        raise NoMeaningError


def _replace(e: Emitter, i: Instruction) -> None:
    address, *operands = i.operands
    at, size = FIELDS[i.modifiers[2]]
    if not isinstance(address, Address):
        raise NoMeaningError
    if len(operands) == 2:
        number = operands.pop(0)
        if not isinstance(number, Immediate) or not 0 <= number.bits < 5:
            raise NoMeaningError
        at += number.bits * size
    space, held = space_of(e, i, address), f"b{8 * size}"
    for offset, type_, value in (
        (at, held, e.use(operands[0], held)),
        (MARK_AT, "b32", e.number(MARK, "int", DTYPE["b32"])),
    ):
        site = e.refer(_site(e, i, space, "store", type_))
        where = e.address(replace(address, offset=address.offset + offset), space)
        e.line(f"m.store(a, {site}, {where}, ({value},))")


def _copy_map(e: Emitter, i: Instruction) -> None:
    """`tensormap.cp_fenceproxy`: the warp copies the map; all its lanes write the same."""
    target, source = i.operands[:2]
    if not (isinstance(target, Address) and isinstance(source, Address)):
        raise NoMeaningError
    write = e.refer(_site(e, i, "global", "store", "b32", 4))
    read = e.refer(_site(e, i, "shared", "load", "b32", 4))
    for offset in range(0, SIZE, 16):
        here, there = (
            e.address(replace(operand, offset=operand.offset + offset), space)
            for operand, space in ((source, "shared"), (target, "global"))
        )
        e.line(f"m.store(a, {write}, {there}, m.load(a, {read}, {here}))")


def copy_tile(e: Emitter, i: Instruction) -> None:
    """`cp.async.bulk.tensor` in tile mode; not traced, as no lane has a share of its own."""
    modifiers = set(i.modifiers)
    to_shared = i.modifiers[4] == "shared::cta" or i.modifiers[4] == "shared::cluster"
    if modifiers - _PLAIN - {i.modifiers[3]}:
        raise NoMeaningError
    mapped, shared = (i.operands[1], i.operands[0]) if to_shared else i.operands[:2]
    if not (isinstance(mapped, Address) and isinstance(shared, Address)) or len(mapped.index) != 1:
        raise NoMeaningError
    at = mapped.index[0]
    if not isinstance(at, (Vector, Register)):
        raise NoMeaningError
    coordinates = ", ".join(e.use(each, "b32") for each in elements(at))
    kinds = ("load", "store") if to_shared else ("store", "load")
    copy = TileCopy(
        i.name,
        _site(e, i, "generic", "load", "b32", 4),
        _site(e, i, "global", kinds[0], "b32"),
        _site(e, i, "shared", kinds[1], "b32"),
        to_shared,
    )
    where = e.address(replace(mapped, index=()), "generic")
    call = f"{e.refer(copy)}(m, a, {where}, {e.address(shared, 'shared')}, ({coordinates},))"
    size = e.assign(call)
    if to_shared:
        mbarrier_emission.complete(e, i, i.operands[2], size)
