"""Calls of device functions, put into the caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from perflint.frontend.csubset.c_parser import Definition
from perflint.frontend.csubset.items import Item
from perflint.frontend.csubset.kernel_state import (
    INLINE_DEPTH,
    INLINE_LIMIT,
    Function,
    Lowering,
    needs_memory,
)
from perflint.frontend.csubset.lower_expressions import place, value
from perflint.frontend.csubset.memory import load, store
from perflint.frontend.csubset.statements import statement
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import VOID, Array, Pointer, Type, typed
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.csubset.values import Place, Value, Variable


def chosen(x: Lowering, unit: Unit, name: str, count: int, node: Any) -> Definition | None:
    """The function that a call means, or None. Raises OutsideError if it is overloaded."""
    found: list[Definition] = []
    reason: OutsideError | None = None
    items: Sequence[Item] = unit.functions.get(name, ())
    for item in items:
        try:
            definition = unit.definition(item)
        except OutsideError as error:
            reason = error
            continue
        if len(definition.parameters) == count:
            found.append(definition)
    if len(found) == 1 and reason is None:
        return found[0]
    if reason is not None:
        raise reason
    if found:
        raise x.outside(f"overloaded function {name}", node)
    if items:
        raise x.outside(f"default argument of {name}", node)
    return None


def call(x: Lowering, name: str, node: Any) -> Value | None:
    """The value of a call of one of the source's own functions; None if it has none so named."""
    nodes = node.args.exprs if node.args else ()
    definition = chosen(x, x.unit, name, len(nodes), node)
    if definition is None:
        return None
    arguments: list[Value | Place] = [
        place(x, n) if parameter.name in definition.references else value(x, n)
        for parameter, n in zip(definition.parameters, nodes, strict=True)
    ]
    return inline(x, definition, x.unit, arguments, node)


def inline(
    x: Lowering,
    definition: Definition,
    unit: Unit,
    arguments: Sequence[Value | Place],
    node: Any,
) -> Value:
    """The call's value, the function's body put here."""
    name = definition.item.name
    depth = len(x.functions)
    if depth >= INLINE_DEPTH or any(f.definition is definition for f in x.functions):
        raise x.outside(f"recursive function {name}", node)
    x.inlined += 1
    if x.inlined > INLINE_LIMIT:
        raise x.outside("code that grows too large", node)
    library = unit is x.library
    token = x.token(node)
    key = (*x.function.key, name, getattr(node.coord, "line", 0))
    x.volatile = x.volatile or definition.is_volatile
    function = Function(definition, key, None, x.builder.label(), addressed_names(definition))
    b, outer_unit, frozen = x.builder, x.unit, x.frozen
    place_before, chain_before = b.place, b.chain
    x.unit = unit
    x.functions.append(function)
    try:
        return_type = typed(definition.node.decl.type.type, unit)
        if return_type != VOID:
            function.result = x.in_registers("", return_type).place
        for parameter, held in zip(definition.parameters, arguments, strict=True):
            bind(x, parameter, held, parameter.name in definition.references)
        if library or frozen:
            x.frozen = True
        elif b.place is not None:
            b.chain = ((b.place, name), *chain_before)
        statement(x, definition.node.body)
        b.place, b.chain = place_before, chain_before
        b.set_label(function.end)
        result = function.result
        return Value(VOID) if result is None else load(x, result)
    except OutsideError as error:
        at = token if library else error.token or token
        raise OutsideError(error.construct, at, error.syntax) from error
    finally:
        x.functions.pop()
        x.unit, x.frozen = outer_unit, frozen
        b.place, b.chain = place_before, chain_before


def bind(x: Lowering, parameter: Any, held: Value | Place, reference: bool) -> None:
    """Give a parameter its argument."""
    name = parameter.name or ""
    type_ = parameter_type(x, parameter)
    if isinstance(held, Place):
        assert reference and isinstance(type_, Pointer)
        if held.type != type_.target:
            raise OutsideError(f"reference {name} to another type")
        x.declare(Variable(name, held.type, held))
        return
    variable = (
        x.in_memory(name, type_, "local")
        if needs_memory(type_) or name in x.function.addressed
        else x.in_registers(name, type_, parameter)
    )
    store(x, x.declare(variable).place, held)


def parameter_type(x: Lowering, parameter: Any) -> Type:
    """A parameter's type; an array is a pointer (C17 6.7.6.3)."""
    if type(parameter.type).__name__ == "ArrayDecl":
        return Pointer(typed(parameter.type.type, x.unit))
    found = typed(parameter.type, x.unit)
    return Pointer(found.element) if isinstance(found, Array) else found


def addressed_names(definition: Definition) -> frozenset[str]:
    """The names in a function whose address is taken."""
    return frozenset(_addressed(definition.node.body))


def _addressed(node: Any) -> Iterator[str]:
    if type(node).__name__ == "UnaryOp" and node.op == "&":
        inner = node.expr
        while type(inner).__name__ == "StructRef" and inner.type == ".":
            inner = inner.name
        if type(inner).__name__ == "ID":
            yield inner.name
    for _, child in node.children():
        yield from _addressed(child)
