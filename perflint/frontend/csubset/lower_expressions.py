"""Expressions: from pycparser's trees to values and places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perflint.frontend.csubset import lower_operators
from perflint.frontend.csubset.conversions import convert, in_register, truth
from perflint.frontend.csubset.emission import CLASSES, copy_opcode
from perflint.frontend.csubset.kernel_state import Lowering
from perflint.frontend.csubset.memory import load, store
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import (
    INT,
    UINT,
    ULONG,
    Array,
    Pointer,
    Struct,
    Type,
    leaves,
    typed,
)
from perflint.frontend.csubset.values import (
    Place,
    Value,
    Variable,
    from_arithmetic,
    number,
    register_class,
)
from perflint.frontend.source.language import c_types


def value(x: Lowering, node: Any) -> Value:
    """The value of an expression. Raises OutsideError where the subset ends."""
    handler = VALUES.get(type(node).__name__)
    if handler is not None:
        return handler(x, node)
    if type(node).__name__ in ("ID", "ArrayRef"):
        return load(x, place(x, node))
    raise x.outside(f"expression ({type(node).__name__})", node)


def place(x: Lowering, node: Any) -> Place:
    """The place that an lvalue names. Raises OutsideError where the subset ends."""
    kind = type(node).__name__
    if kind == "ID":
        return place_of_name(x, node)
    if kind == "ArrayRef":
        base, index = value(x, node.name), value(x, node.subscript)
        if not isinstance(base.type, Pointer):
            base, index = index, base
        if not isinstance(base.type, Pointer):
            raise x.outside("subscript of what is no array", node)
        moved = lower_operators.moved(x.builder, base, index)
        return Place(base.type.target, (), moved)
    if kind == "UnaryOp" and node.op == "*":
        pointer = value(x, node.expr)
        if not isinstance(pointer.type, Pointer):
            raise x.outside("dereference of what is no pointer", node)
        return Place(pointer.type.target, (), pointer)
    if kind == "StructRef":
        return _member(x, node)
    if kind == "Cast":
        held = value(x, node)
        if isinstance(held.type, Struct):
            return _temporary(x, held)
    if kind in ("Assignment", "UnaryOp", "FuncCall", "TernaryOp", "CompoundLiteral"):
        return _temporary(x, value(x, node))
    raise x.outside(f"place ({kind})", node)


def _temporary(x: Lowering, held: Value) -> Place:
    """A value in registers of its own."""
    variable = x.in_registers("", held.type)
    store(x, variable.place, held)
    return variable.place


def _member(x: Lowering, node: Any) -> Place:
    if node.type == "->":
        pointer = value(x, node.name)
        if not isinstance(pointer.type, Pointer):
            raise x.outside("-> on what is no pointer", node)
        whole = Place(pointer.type.target, (), pointer)
    else:
        whole = place(x, node.name)
    struct = whole.type
    field = struct.field(node.field.name) if isinstance(struct, Struct) else None
    if field is None:
        raise x.outside(f"member {node.field.name}", node)
    if whole.address is not None:
        return Place(field.type, (), whole.address.at(field.offset, field.type))
    first = sum(1 for offset, _ in leaves(struct) if offset < field.offset)
    count = sum(1 for _ in leaves(field.type))
    return Place(field.type, whole.registers[first : first + count], None, whole.variable)


def _struct_ref(x: Lowering, node: Any) -> Value:
    found = builtin_member(x, node)
    return found if found is not None else load(x, place(x, node))


def _constant(x: Lowering, node: Any) -> Value:
    found = c_types.literal(node.type, node.value)
    if found is None:
        raise x.outside("string" if node.type == "string" else f"constant {node.value}", node)
    return from_arithmetic(found)


def _unary(x: Lowering, node: Any) -> Value:
    op = node.op
    if op in ("p++", "p--"):
        target = place(x, node.expr)
        old = _copied(x, load(x, target))
        store(x, target, lower_operators.binary(x.builder, op[1], old, number(1, INT)))
        return old
    if op in ("++", "--"):
        return advance(x, node)
    if op == "&":
        target = place(x, node.expr)
        if target.address is None:
            raise x.outside("address of a variable", node)
        return target.address.at(0, target.type)
    if op == "*":
        return load(x, place(x, node))
    if op == "sizeof":
        return number(_sizeof(x, node.expr), ULONG)
    if op in ("+", "-", "~", "!"):
        return lower_operators.unary(x.builder, op, value(x, node.expr))
    raise x.outside(f"operator {op}", node)


def advance(x: Lowering, node: Any) -> Value:
    """`++i` or `--i`, or `i++` whose value nobody wants."""
    target = place(x, node.expr)
    new = lower_operators.binary(x.builder, node.op[-1], load(x, target), number(1, INT))
    return store(x, target, new)


def _copied(x: Lowering, old: Value) -> Value:
    kind = register_class(old.type)
    text = x.builder.emit(copy_opcode(kind), kind, in_register(x.builder, old))
    return Value(old.type, text, None, old.space)


def _sizeof(x: Lowering, node: Any) -> int:
    if type(node).__name__ == "Typename":
        return typed(node, type_names(x)).size
    before = len(x.builder.lines)
    try:
        return place(x, node).type.size
    except OutsideError:
        return value(x, node).type.size
    finally:
        del x.builder.lines[before:]  # an operand of sizeof is not evaluated


def _binary(x: Lowering, node: Any) -> Value:
    if node.op in ("&&", "||"):
        return _logical(x, node)
    left = value(x, node.left)
    right = value(x, node.right)
    return lower_operators.binary(x.builder, node.op, left, right)


def _logical(x: Lowering, node: Any) -> Value:
    decisive = node.op == "||"
    left = truth(x.builder, value(x, node.left))
    if left.number is not None:
        if bool(left.number) == decisive:
            return number(int(decisive), INT)
        return truth(x.builder, value(x, node.right))
    if is_cheap(x, node.right):
        right = truth(x.builder, value(x, node.right))
        if right.number is not None:
            return left if bool(right.number) != decisive else number(int(decisive), INT)
        opcode = "or.pred" if decisive else "and.pred"
        return Value(INT, x.builder.emit(opcode, "p", left.text, right.text))
    result, end = x.builder.register("r"), x.builder.label()
    x.builder.move(result, "1" if decisive else "0")
    x.builder.branch(end, left.text, negated=not decisive)
    right = truth(x.builder, value(x, node.right))
    x.builder.move(result, in_register(x.builder, right))
    x.builder.set_label(end)
    return Value(INT, result)


def jump(x: Lowering, node: Any, label: str, when: bool) -> None:
    """Go to a label if a condition is `when`, else fall through."""
    kind = type(node).__name__
    if kind == "UnaryOp" and node.op == "!":
        jump(x, node.expr, label, not when)
        return
    if kind == "BinaryOp" and node.op in ("&&", "||") and not is_cheap(x, node.right):
        if (node.op == "||") == when:
            jump(x, node.left, label, when)
            jump(x, node.right, label, when)
        else:
            past = x.builder.label()
            jump(x, node.left, past, not when)
            jump(x, node.right, label, when)
            x.builder.set_label(past)
        return
    held = truth(x.builder, value(x, node))
    if held.number is not None:
        if bool(held.number) == when:
            x.builder.branch(label)
        return
    x.builder.branch(label, held.text, negated=not when)


def _assignment(x: Lowering, node: Any) -> Value:
    if node.op == "=":
        held = value(x, node.rvalue)
        return store(x, place(x, node.lvalue), held)
    target = place(x, node.lvalue)
    held = value(x, node.rvalue)
    new = lower_operators.binary(x.builder, node.op[:-1], load(x, target), held)
    return store(x, target, new)


def _ternary(x: Lowering, node: Any) -> Value:
    b = x.builder
    condition = truth(b, value(x, node.cond))
    if condition.number is not None:
        return value(x, node.iftrue if condition.number else node.iffalse)
    if is_cheap(x, node.iftrue) and is_cheap(x, node.iffalse):
        left, right = value(x, node.iftrue), value(x, node.iffalse)
        target = lower_operators.balanced(b, left, right)
        left, right = convert(b, left, target), convert(b, right, target)
        if not isinstance(target, (Struct, Pointer, Array)):
            kind = register_class(target)
            operands = (in_register(b, left), in_register(b, right), condition.text)
            return Value(target, b.emit(f"selp.{CLASSES[kind]}", kind, *operands))
    return _branches(x, node, condition)


def _branches(x: Lowering, node: Any, condition: Value) -> Value:
    """`c ? a : b` where evaluating both would be wrong, or dear."""
    b = x.builder
    other, end = b.label(), b.label()
    b.branch(other, condition.text, negated=True)
    left = value(x, node.iftrue)
    here = len(b.lines)
    b.branch(end)
    b.set_label(other)
    right = value(x, node.iffalse)
    target = lower_operators.balanced(b, left, right)
    result = x.in_registers("", target, node)
    store(x, result.place, right)
    b.set_label(end)
    # Only now is the type known to which the first arm converts.
    rest = b.lines[here:]
    del b.lines[here:]
    store(x, result.place, left)
    b.lines += rest
    return load(x, result.place)


def _cast(x: Lowering, node: Any) -> Value:
    target = typed(node.to_type, type_names(x))
    return convert(x.builder, value(x, node.expr), target)


def _list(x: Lowering, node: Any) -> Value:
    for part in node.exprs[:-1]:
        value(x, part)
    return value(x, node.exprs[-1])


class _LocalNames:
    """Types and constants as a function sees them."""

    def __init__(self, x: Lowering) -> None:
        self._x = x

    def type(self, name: str) -> Type:
        return self._x.unit.type(name)

    def fold(self, node: Any) -> int | float | None:
        lines = self._x.builder.lines
        before = len(lines)
        try:
            return value(self._x, node).number
        finally:
            del lines[before:]


def type_names(x: Lowering) -> _LocalNames:
    """Where a declaration inside a function looks up its names."""
    return _LocalNames(x)


def values(x: Lowering, node: Any) -> list[Value]:
    """The values of a call's arguments."""
    return [value(x, a) for a in (node.args.exprs if node.args else ())]


#: By the node's type, what lowers an expression; `kernel` adds what lowers a call.
VALUES: dict[str, Callable[[Lowering, Any], Value]] = {
    "Constant": _constant,
    "UnaryOp": _unary,
    "BinaryOp": _binary,
    "Assignment": _assignment,
    "TernaryOp": _ternary,
    "StructRef": _struct_ref,
    "Cast": _cast,
    "ExprList": _list,
}


# --- names ----------------------------------------------------------------------------------------

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


# --- purity ---------------------------------------------------------------------------------------

#: What an expression may cost that is evaluated though the program would not.
_LIMIT = 12


def is_cheap(x: Lowering, node: Any) -> bool:
    """Registers and constants combined by a few operators that cannot trap."""
    return _cost(x, node) <= _LIMIT


def _cost(x: Lowering, node: Any) -> int:
    kind = type(node).__name__
    if kind == "Constant":
        return 1
    if kind == "ID":
        variable = x.local(node.name)
        return 1 if variable is None or variable.place.address is None else _LIMIT + 1
    if kind == "StructRef":
        if type(node.name).__name__ == "ID" and node.type == ".":
            if node.name.name in _BUILTINS:
                return 1
            variable = x.local(node.name.name)
            return 1 if variable and variable.place.address is None else _LIMIT + 1
        return _LIMIT + 1
    if kind == "Cast":
        return 1 + _cost(x, node.expr)
    if kind == "UnaryOp" and node.op in ("-", "+", "!", "~"):
        return 1 + _cost(x, node.expr)
    if kind == "BinaryOp" and node.op not in ("/", "%"):
        return 1 + _cost(x, node.left) + _cost(x, node.right)
    return _LIMIT + 1
