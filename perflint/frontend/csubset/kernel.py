"""One kernel: its parameters, its body, what it calls, the text of its entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from perflint.base.records import dataclass
from perflint.frontend.csubset import builtin_functions, functions
from perflint.frontend.csubset.c_parser import Definition
from perflint.frontend.csubset.emission import Chain, Line
from perflint.frontend.csubset.functions import addressed_names, parameter_type
from perflint.frontend.csubset.items import Item
from perflint.frontend.csubset.kernel_state import (
    Function,
    Lowering,
    Memory,
    aligned_bytes,
    needs_memory,
)
from perflint.frontend.csubset.lower_expressions import VALUES
from perflint.frontend.csubset.memory import store
from perflint.frontend.csubset.redundancy import without_redundant_loads
from perflint.frontend.csubset.statements import statement
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import (
    VOID,
    Pointer,
    Struct,
    Type,
    alignment_of,
    leaves,
    typed,
)
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.csubset.values import (
    Value,
    Variable,
    memory_suffix,
    register_class,
    unsigned_suffix,
)
from perflint.frontend.source.language.tokens import Token

#: Attempts at settling where pointer variables point; each makes one more of them generic.
_ATTEMPTS = 12


@dataclass(frozen=True, eq=False)
class Entry:
    """A lowered kernel."""

    name: str  #: in the PTX
    item: Item
    parameters: tuple[str, ...]  #: `.param` declarations
    registers: tuple[str, ...]
    memory: tuple[Memory, ...]
    lines: tuple[Line, ...]
    globals: Mapping[str, Variable]  #: variables at file scope that it uses
    place: Token


def lower_kernel(unit: Unit, library: Unit, item: Item, name: str) -> Entry:
    """Lower a kernel. Raises OutsideError where it leaves the subset."""
    definition = unit.definition(item)
    if definition.references:
        raise OutsideError("reference parameter of a kernel", item.tokens[0])
    if typed(definition.node.decl.type.type, unit) != VOID:
        raise OutsideError("kernel that returns a value", item.tokens[0])
    spaces: dict[tuple[object, ...], str] = {}
    for _ in range(_ATTEMPTS):
        x = Lowering(unit, library, name, spaces=spaces)
        parameters = _lower(x, definition)
        if not x.unstable:
            break
    else:
        raise OutsideError("pointer into many kinds of memory", item.tokens[0])
    improve = None if x.volatile else without_redundant_loads
    lines = tuple(x.builder.finished(improve))
    used = {o for line in lines for o in line.operands}
    text = " ".join(used)
    return Entry(
        name,
        item,
        tuple(parameters),
        tuple(x.builder.declarations()),
        tuple(m for m in x.memory.values() if m.symbol in text),
        lines,
        {n: v for n, v in x.globals.items() if v.place.address is not None and n in text},
        item.name_token,
    )


def _lower(x: Lowering, definition: Definition) -> list[str]:
    b = x.builder
    x.volatile = definition.is_volatile
    function = Function(definition, (), None, b.label(), addressed_names(definition))
    x.functions.append(function)
    declared = []
    for index, node in enumerate(definition.parameters):
        type_ = parameter_type(x, node)
        symbol = f"{x.kernel}_param_{index}"
        declared.append(_parameter(symbol, type_))
        value = _argument(x, symbol, type_)
        variable = (
            x.in_memory(node.name, type_, "local")
            if needs_memory(type_) or node.name in function.addressed
            else x.in_registers(node.name or f"_{index}", type_, node)
        )
        store(x, x.declare(variable).place, value)
    statement(x, definition.node.body)
    b.place, b.chain = definition.tokens[-1], ()
    b.set_label(function.end)
    b.put("ret")
    return declared


def _parameter(symbol: str, type_: Type) -> str:
    if isinstance(type_, Struct):
        return f".param .align {alignment_of(type_)} .b8 {symbol}[{type_.size}]"
    return f".param .{unsigned_suffix(type_)} {symbol}"


def _argument(x: Lowering, symbol: str, type_: Type) -> Value:
    """A parameter's value. What a host passes as a pointer points into global memory."""
    b, parts = x.builder, []
    for offset, leaf in leaves(type_):
        name = (memory_suffix if leaf.size < 4 else unsigned_suffix)(leaf)
        at = f"[{symbol}+{offset}]" if offset else f"[{symbol}]"
        text = b.emit(f"ld.param.{name}", register_class(leaf), at)
        if isinstance(leaf, Pointer):
            text = b.emit("cvta.to.global.u64", "rd", text)
        parts.append(Value(leaf, text, None, "global" if isinstance(leaf, Pointer) else ""))
    return Value(type_, parts=tuple(parts)) if isinstance(type_, Struct) else parts[0]


def entry_text(
    entry: Entry,
    file_of: Mapping[str, int],
    name_of: Mapping[str, int],
    bounds: Sequence[int] = (),
) -> Iterator[str]:
    """The lines of a kernel's PTX; `file_of` and `name_of` number files and functions."""
    yield f".visible .entry {entry.name}("
    yield ",\n".join(f"\t{p}" for p in entry.parameters)
    yield ")"
    if bounds:
        yield f".maxntid {bounds[0]}, 1, 1"
        if len(bounds) > 1:
            yield f".minnctapersm {bounds[1]}"
    yield "{"
    yield from (f"\t{r}" for r in entry.registers)
    start = entry.place
    yield f"\t.loc\t{file_of[str(start.path)]} {start.line} 0"
    yield from (f"\t{aligned_bytes(m)}" for m in entry.memory if not m.extern)
    last: tuple[object, ...] = ()
    for line in entry.lines:
        if not line.opcode:
            yield f"{line.operands[0]}:"
            continue
        here = (line.place, line.chain)
        if line.place is not None and here != last:
            yield from _location(line.place, line.chain, file_of, name_of)
            last = here
        guard = f"{line.guard} " if line.guard else ""
        operands = f" \t{', '.join(line.operands)}" if line.operands else ""
        yield f"\t{guard}{line.opcode}{operands};"
    yield "}"


def _location(
    place: Token, chain: Chain, file_of: Mapping[str, int], name_of: Mapping[str, int]
) -> Iterator[str]:
    """`.loc`, and for an inlined statement one for each call around it, outermost first."""
    at = f"{file_of[str(place.path)]} {place.line} {place.column}"
    if not chain:
        yield f"\t.loc\t{at}"
        return
    (call, name), outer = chain[0], chain[1:]
    yield from _location(call, outer, file_of, name_of)
    where = f"{file_of[str(call.path)]} {call.line} {call.column}"
    label = f"$L__info_string{name_of[name]}"
    yield f"\t.loc\t{at}, function_name {label}, inlined_at {where}"


def call(x: Lowering, node: Any) -> Value:
    """The value of a call. Raises OutsideError for a function that nobody knows."""
    if type(node.name).__name__ != "ID":
        raise x.outside("call through a pointer or an object", node)
    name = node.name.name
    if found := functions.call(x, name, node) or builtin_functions.call(x, name, node):
        return found
    raise x.outside(f"the function {name}, which is nowhere in sight", node)


VALUES["FuncCall"] = call
