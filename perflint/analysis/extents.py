"""Which scalar parameters are the size of something, so that they are not 1 where it matters.

`if (y < h)` and `for (k = 0; k < n; k++)` say that h and n count things. `a[x * h + y]` says that h
is the pitch of rows that y runs along: were it 1, rows would overlap. A bare stride, as in
`a[i * stride]`, says no such thing.
"""

from __future__ import annotations

from collections.abc import Iterable

from perflint.analysis.model import AccessSite
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import BLOCK, LANES, Loop, Parameter, Symbol
from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction
from perflint.grammar.model import Symbol as Name

#: What compilers make of a bound before they compare it: `n - 1`, `n & 3`, `n >> 2`, a copy.
_KEEPS_EXTENT = frozenset(
    {"mov", "cvt", "add", "sub", "neg", "and", "shr", "div", "rem", "min", "max"}
)


def extents(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[int]:
    """Indices of the parameters that an integer comparison's operand is made of."""
    pending = [
        definition
        for instruction in kernel.instructions
        if instruction.opcode == "setp" and table.types(instruction)[-1][0] in "sub"
        for definition in ssa.uses[instruction.index].values()
    ]
    found: set[int] = set()
    seen = set(pending)
    while pending:
        definition = ssa.definitions[pending.pop()]
        if not definition.phi:
            if definition.pc is None:
                continue
            instruction = kernel.instructions[definition.pc]
            if (index := _parameter(kernel, instruction)) is not None:
                found.add(index)
            if instruction.opcode not in _KEEPS_EXTENT:
                continue
        fresh = set(definition.inputs) - seen
        seen |= fresh
        pending += fresh
    return frozenset(found)


def _parameter(kernel: Function, instruction: Instruction) -> int | None:
    """The scalar parameter that an `ld.param` reads."""
    if instruction.opcode != "ld" or "param" not in instruction.modifiers:
        return None
    address = instruction.operands[1]
    if not isinstance(address, Address) or not isinstance(address.base, Name):
        return None
    index = kernel.parameter_index.get(address.base.name)
    return index if index is not None and not kernel.parameters[index].dimensions else None


def pitches(sites: Iterable[AccessSite]) -> frozenset[int]:
    """Indices of the parameters that separate rows along which another index runs."""
    found: set[int] = set()
    for site in sites:
        if site.address is None:
            continue
        varying = [m for m in site.address.terms if any(map(_varies, m))]
        for monomial in varying:
            factors = {s.index for s in monomial if isinstance(s, Parameter)}
            for other in varying:
                inner = {s.index for s in other if isinstance(s, Parameter)}
                found |= factors - inner
    return frozenset(found)


def _varies(symbol: Symbol) -> bool:
    return isinstance(symbol, Loop) or bool(symbol.depends & (LANES | BLOCK))
