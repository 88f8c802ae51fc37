"""What of a kernel decides its addresses, branches and barriers: a backward slice.

Pure functions over instructions. Registers are followed by name, memory by allocation: a load whose
value is wanted wants the values of all stores that may lead to the same place.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction, Register, Symbol
from perflint.sim.computation import CARRY, PURE, inlineable
from perflint.sim.pointers import BODY, SHARED, TENSOR, TENSOR_COLUMNS, Places, Pointers, meet


class Part(Enum):
    """How much of an instruction a sliced run carries out. All are counted as issued."""

    WHOLE = "whole"
    ADDRESS = "address"  #: its access is traced and checked, no byte is moved
    NOTHING = "nothing"


@dataclass(frozen=True, eq=False)
class Slice:
    """The part of each instruction, by position, and the registers whose values it then needs."""

    parts: tuple[Part, ...]
    reads: tuple[tuple[str, ...], ...]


#: Instructions that only compute, beside those whose cost class says so. No fetch is traced, and
#: before a run each is found to go through a texture that is bound.
_COMPUTES = frozenset(
    ("shfl", "vote", "match", "redux", "activemask", "mma", "movmatrix", "tex", "tld4")
)
#: Accesses that can be traced without being carried out.
_TRACEABLE = frozenset(("ld", "ldu", "ldmatrix", "st", "atom", "red"))
#: Calls that have no effect in a simulation.
_SILENT = frozenset(("vprintf",))
_NOWHERE: Places = frozenset()
#: What instructions of the fifth generation's tensor cores read and write beside registers; none of
#: it is traced. Where cells are wanted, so is their allocation, and with it all allocations.
_CELLS, _COLUMNS, _SHARED = frozenset((TENSOR,)), frozenset((TENSOR_COLUMNS,)), frozenset((SHARED,))
_TENSOR_CORE: dict[str, tuple[Places, Places]] = {
    "alloc": (_COLUMNS, _COLUMNS | _SHARED),
    "dealloc": (_NOWHERE, _COLUMNS),
    "ld": (_COLUMNS | _CELLS, _NOWHERE),
    "st": (_COLUMNS, _CELLS),
    "cp": (_COLUMNS | _SHARED, _CELLS),
    "shift": (_COLUMNS | _CELLS, _CELLS),
    "mma": (_COLUMNS | _CELLS | _SHARED, _CELLS),
}


@dataclass(frozen=True, eq=False)
class _Role:
    """What an instruction does, as far as a slice asks."""

    least: Part  #: what is carried out of it where nobody wants its values
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    needs: tuple[str, ...]  #: the registers read where nobody wants its values
    loads: Places = _NOWHERE
    stores: Places = _NOWHERE
    calls: bool = False


def sliced(kernel: Function, spaces: Mapping[str, str]) -> Slice:
    """The slice of a kernel with its calls written out; `spaces` are those of its variables."""
    pointers = Pointers(kernel, spaces)
    roles = [_role(each, pointers) for each in kernel.instructions]
    wanted = {name for role in roles for name in role.needs}
    #: whose contents are wanted: at first, what functions of the run-time system are given
    places = _NOWHERE.union(*(r.loads for r in roles if r.least is Part.WHOLE and r.calls))
    left = list(range(len(roles)))
    found = True
    while found:
        found = False
        later = []
        for at in reversed(left):
            role = roles[at]
            if wanted.isdisjoint(role.writes) and not meet(role.stores, places):
                later.append(at)
                continue
            found = True
            wanted.update(role.reads)
            places |= role.loads
        left = later[::-1]
    unwanted = set(left)
    return Slice(
        tuple(r.least if at in unwanted else Part.WHOLE for at, r in enumerate(roles)),
        tuple(r.needs if at in unwanted else r.reads for at, r in enumerate(roles)),
    )


def _role(i: Instruction, pointers: Pointers) -> _Role:
    carry = table.carry(i)
    reads = (*table.reads(i), *((CARRY,) if "reads" in carry else ()))
    writes = (*table.writes(i), *((CARRY,) if "writes" in carry else ()))
    guard = () if i.guard is None else (i.guard.register.name,)
    blended = i.guard is not None and inlineable(i)
    if blended:  # lanes that the guard leaves out keep what they had
        reads = (*reads, *writes)
    loads, stores = _NOWHERE, _NOWHERE
    for access in table.accesses(i):
        there = pointers.places(access.space, access.address)
        loads |= there if access.kind != "store" else _NOWHERE
        stores |= there if access.kind != "load" else _NOWHERE
    least, needs = Part.WHOLE, reads
    if i.call is not None:  # its arguments and results are variables of the kernel's body
        loads = stores = frozenset((BODY,))
        target = i.call.target
        if isinstance(target, Symbol) and target.name in _SILENT:
            least, needs = Part.NOTHING, guard
    elif i.opcode == "tcgen05" and i.modifiers[:1] and i.modifiers[0] in _TENSOR_CORE:
        loads, stores = _TENSOR_CORE[i.modifiers[0]]
        least, needs = Part.NOTHING, guard
    elif _only_computes(i):
        least, needs = Part.NOTHING, () if blended else guard
    elif i.opcode == "ld" and "param" in i.modifiers:
        least, needs = Part.NOTHING, guard
    elif i.opcode in _TRACEABLE or (i.opcode == "wmma" and (loads or stores)):
        least, needs = Part.ADDRESS, (*guard, *_places_named(i))
    elif i.opcode == "stmatrix":
        needs = (*guard, *_places_named(i))
    elif i.opcode == "cp" and i.modifiers[:2] in (("async", "ca"), ("async", "cg")):
        least = Part.ADDRESS
    return _Role(least, writes, reads, needs, loads, stores, i.call is not None)


def _only_computes(i: Instruction) -> bool:
    computes = table.cost(i) in PURE or i.opcode in _COMPUTES or i.modifiers[:1] == ("mma",)
    return computes and table.control(i) is None and not table.accesses(i)


def _places_named(i: Instruction) -> tuple[str, ...]:
    """The registers that say where an access goes: of its address, and the stride of matrices."""
    strided = i.opcode == "wmma"
    named = (o.base if isinstance(o, Address) else o if strided else None for o in i.operands)
    return tuple(each.name for each in named if isinstance(each, Register))
