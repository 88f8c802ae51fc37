"""Access sites: the memory instructions of a kernel, put together as the source wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from perflint.analysis.addresses import Addresses
from perflint.analysis.cfg import ControlFlow
from perflint.analysis.model import AccessSite, Array
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.provenance import UNKNOWN, Bases, Scope, address_bases
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.strides import is_affine, strides, thread_part
from perflint.analysis.symbols import (
    LANES,
    LOADED,
    ROUNDED,
    TOLD,
    Base,
    Loop,
    Opaque,
    Parameter,
    Symbol,
)
from perflint.analysis.uniformity import Dependence, left_loops
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Instruction, Register

UNKNOWN_ARRAY = Array("unknown", "")


@dataclass(frozen=True)
class RawAccess:
    """One access of one instruction, before copies are put together."""

    pc: int
    block: int
    access: table.MemoryAccess
    base: Symbol | None  #: the variable or parameter it points into
    candidates: Bases  #: all that it may point into
    space: str
    address: Polynomial | None
    depends: int  #: what the address depends on, at this place


def address_definitions(
    scope: Scope, flow: ControlFlow, ssa: StaticSingleAssignment
) -> Iterable[int]:
    """The definitions that hold addresses."""
    for pc, access in _accesses(scope, flow):
        base = access.address.base
        if isinstance(base, Register) and base.name in ssa.uses[pc]:
            yield ssa.uses[pc][base.name]


def _accesses(scope: Scope, flow: ControlFlow) -> Iterable[tuple[int, table.MemoryAccess]]:
    for block in sorted(flow.blocks, key=lambda b: b.start):
        for pc in block.pcs:
            for access in table.accesses(scope.function.instructions[pc]):
                # A bulk copy is the warp's, not a lane's: nothing to say about lanes.
                if access.space != "param" and access.size:
                    yield pc, access


def raw_accesses(
    scope: Scope,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    dependence: Dependence,
    bases: Sequence[Bases],
    pointers: frozenset[Parameter],
    addresses: Addresses,
) -> list[RawAccess]:
    """Every access of the kernel that a lane makes, in instruction order."""
    out = []
    for pc, access in _accesses(scope, flow):
        block = flow.block_of[pc]
        assert block is not None
        address = addresses.of(pc, access.address)
        base = _pointed_to(address, pointers)
        found = (
            frozenset((base,))
            if base is not None
            else address_bases(scope, ssa, bases, pointers, pc, access.address)
        )
        if base is None and len(found) == 1:
            base = next(iter(found))
        space = _resolved_space(access.space, base, pointers)
        if space == "param":
            continue
        depends = _dependence(flow, ssa, dependence, pc, block, access, address)
        out.append(RawAccess(pc, block, access, base, found, space, address, depends))
    return out


def _pointed_to(address: Polynomial | None, pointers: frozenset[Parameter]) -> Symbol | None:
    """The only symbol of an address that is a pointer by itself."""
    if address is None:
        return None
    found = [
        s
        for s in address.symbols
        if address.terms.get((s,)) == 1 and (isinstance(s, Base) or s in pointers)
    ]
    return found[0] if len(found) == 1 else None


def _resolved_space(space: str, base: Symbol | None, pointers: frozenset[Parameter]) -> str:
    if space != "generic" or base is None or base == UNKNOWN:
        return space
    # What a host passes to a kernel points into global memory.
    return base.space if isinstance(base, Base) else "global" if base in pointers else space


def _dependence(
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    dependence: Dependence,
    pc: int,
    block: int,
    access: table.MemoryAccess,
    address: Polynomial | None,
) -> int:
    """What an address depends on where it is used: loops left by then included."""
    if address is None:
        name = getattr(access.address.base, "name", "")
        definition = ssa.uses[pc].get(name)
        return LOADED | LANES if definition is None else dependence.of_use(definition, block)
    out = address.depends
    for atom in address.atoms:
        at = atom.header if isinstance(atom, Loop) else getattr(atom, "pc", None)
        defined = flow.block_of[at] if at is not None else None
        if defined is not None:
            for header in left_loops(flow, defined, block):
                out |= dependence.of_leaving(header)
    return out


def array_of(scope: Scope, base: Symbol | None) -> Array:
    """What a base means to a reader."""
    if isinstance(base, Parameter):
        parameter = scope.function.parameters[base.index]
        struct = bool(parameter.dimensions)
        return Array("parameter", parameter.name, base.index, base.offset if struct else None)
    if isinstance(base, Base) and base != UNKNOWN:
        return Array("variable", base.name)
    return UNKNOWN_ARRAY


def access_sites(
    scope: Scope, flow: ControlFlow, dependence: Dependence, accesses: Sequence[RawAccess]
) -> tuple[AccessSite, ...]:
    """Sites in order of their first instruction; copies made by unrolling share one."""
    names = _Names(scope, accesses)
    groups: dict[object, AccessSite] = {}
    for raw in accesses:
        site = _site(scope, flow, dependence, raw)
        key = (names.of(raw), site.data_dependent and raw.address is None)
        known = groups.get(key)
        if known is None:
            groups[key] = site
        else:
            added = () if raw.pc in known.pcs else (raw.pc,)
            groups[key] = replace(
                known,
                pcs=(*known.pcs, *added),
                addresses=(*known.addresses, *(raw.address for _ in added)),
                loaded_address=known.loaded_address or site.loaded_address,
                rounded_address=known.rounded_address or site.rounded_address,
                told_address=known.told_address or site.told_address,
                data_dependent=known.data_dependent or site.data_dependent,
                loop_depth=max(known.loop_depth, site.loop_depth),
            )
    return tuple(groups.values())


class _Names:
    """Identities of accesses modulo unrolling (docs/architecture.md, "Sites")."""

    def __init__(self, scope: Scope, accesses: Sequence[RawAccess]) -> None:
        self.scope = scope
        self.by_pc = {raw.pc: raw for raw in accesses}
        self.known: dict[int, str] = {}

    def of(self, raw: RawAccess) -> tuple[object, ...]:
        instruction = self._instruction(raw.pc)
        shape = None if raw.address is None else thread_part(raw.address, self._leaf)
        base = "" if raw.base is None else raw.base.text
        return (instruction.location or instruction.index, raw.access.kind, raw.space, base,
                raw.access.size, table.vector(instruction), shape)  # fmt: skip

    def _instruction(self, pc: int) -> Instruction:
        return self.scope.function.instructions[pc]

    def _leaf(self, leaf: Opaque) -> str:
        """A loaded value is told by where the source loaded it, not by the copy of the load."""
        if not leaf.is_loaded:
            return leaf.text
        if leaf.pc not in self.known:
            self.known[leaf.pc] = leaf.text  # what a cycle of loads ends in
            raw = self.by_pc.get(leaf.pc)
            if raw is not None:
                self.known[leaf.pc] = repr(self.of(raw))
        return self.known[leaf.pc]


def _site(scope: Scope, flow: ControlFlow, dependence: Dependence, raw: RawAccess) -> AccessSite:
    instruction = scope.function.instructions[raw.pc]
    control = dependence.of_control(raw.block)
    if instruction.guard is not None:
        guard = dependence.ssa.uses[raw.pc].get(instruction.guard.register.name)
        control |= 0 if guard is None else dependence.of_use(guard, raw.block)
    steps = strides(raw.address, exact=not _left_at_different_turns(raw))
    return AccessSite(
        pcs=(raw.pc,),
        location=instruction.location,
        kind=raw.access.kind,
        space=raw.space,
        size=raw.access.size,
        array=array_of(scope, raw.base),
        address=raw.address,
        strides=steps,
        loaded_address=bool(raw.depends & LOADED),
        rounded_address=bool(raw.depends & ROUNDED),
        told_address=bool(raw.depends & TOLD),
        data_dependent=bool(control & LOADED),
        uniformity=_uniformity(raw),
        loop_depth=flow.depth(raw.block),
        addresses=(raw.address,),
    )


def _uniformity(raw: RawAccess) -> str:
    if not raw.depends & LANES:
        return "uniform"
    if raw.address is None or _left_at_different_turns(raw) or not is_affine(raw.address):
        return "divergent"
    return "affine"


def _left_at_different_turns(raw: RawAccess) -> bool:
    """Whether lanes left a loop at different turns: they differ by more than their strides."""
    return raw.address is not None and bool(raw.depends & ~raw.address.depends & LANES)
