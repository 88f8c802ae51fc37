"""What an identifier means: a local, a global, a constant, a built-in variable."""

from __future__ import annotations

from typing import Any

from perflint.frontend.csubset.lowering import Lowering
from perflint.frontend.csubset.types import INT, UINT, Array, Pointer, Type, typed
from perflint.frontend.csubset.values import Place, Value, Variable, number

_BUILTINS = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}
_CONSTANTS = {"true": 1, "false": 0, "nullptr": 0, "NULL": 0, "warpSize": 32}


def builtin_member(x: Lowering, node: Any) -> Value | None:
    """`threadIdx.x` and its like; None for any other member."""
    if type(node.name).__name__ != "ID" or node.type != ".":
        return None
    special = _BUILTINS.get(node.name.name)
    if special is None or x.local(node.name.name) is not None or node.field.name not in "xyz":
        return None
    return Value(UINT, x.builder.special(f"%{special}.{node.field.name}"))


def place_of_name(x: Lowering, node: Any) -> Place:
    """The place of an identifier. Raises OutsideError for one that is not known."""
    name = node.name
    variable = x.local(name) or _known(x, name) or global_variable(x, name)
    if variable is None:
        raise x.outside(f"`{name}`, which is declared nowhere in sight", node)
    return variable.place


def _known(x: Lowering, name: str) -> Variable | None:
    """An enumerator or a built-in constant."""
    found = x.unit.enumerator(name)
    if found is None:
        found = _CONSTANTS.get(name)
    return None if found is None else constant(name, found, INT)


def constant(name: str, value: int | float, type: Type) -> Variable:
    """A name for a number."""
    assert not isinstance(type, (Array, Pointer))
    held = number(value, type)  # type: ignore[arg-type]
    variable = Variable(name, type, Place(type), (), held.number)
    variable.place = Place(type, (held.text,), None, variable)
    return variable


def global_variable(x: Lowering, name: str) -> Variable | None:
    """A variable at file scope: device memory, or a constant of the host's."""
    if name in x.globals:
        return x.globals[name]
    declared = x.unit.variable(name)
    if declared is None:
        return None
    type = typed(declared.node.type, x.unit)
    x.volatile = x.volatile or declared.item.has("volatile")
    if not declared.space:
        if "const" not in declared.node.quals or declared.node.init is None:
            raise x.outside(f"`{name}`, a variable of the host")
        found = x.unit.fold(declared.node.init)
        if found is None or isinstance(type, (Array, Pointer)):
            raise x.outside(f"`{name}`, a constant whose value is not known here")
        variable = constant(name, found, type)
    else:
        if isinstance(type, Array) and not type.count and declared.node.init is not None:
            type = Array(type.element, len(declared.node.init.exprs))
        symbol = f"{name}_" if name in ("_", "") else name
        address = Value(Pointer(type), symbol, None, declared.space)
        variable = Variable(name, type, Place(type, (), address))
    x.globals[name] = variable
    return variable
