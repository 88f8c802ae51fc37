"""From an instruction's tokens to the instruction, by shape.

The shape of a statement is its terminals, with the opcode's text: all statements of one shape have
one tree, so that it is parsed once and made of other tokens afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Call,
    Guard,
    Location,
    Operand,
    Register,
    Symbol,
)
from perflint.grammar.model import Instruction as Model
from perflint.grammar.operands import Make, OperandError, Scope, operand
from perflint.grammar.syntax import Text

#: Longer statements (tables) are parsed each time: their shapes do not come again.
_LONGEST_SHAPE = 64
#: Instructions whose memory operand may be written as an array element without brackets (6.4.2).
_INDEXABLE = frozenset({"ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu", "cvta"})


@dataclass(frozen=True, slots=True)
class Shape:
    """How to make an instruction of a statement's token values."""

    opcode: str
    modifiers: tuple[str, ...]
    guard: int | None  #: token of the predicate
    negated: bool
    operands: tuple[Make, ...]
    call: Callable[[Sequence[str], Scope], Call] | None = None

    def make(
        self, values: Sequence[str], scope: Scope, index: int, line: int, at: Location | None
    ) -> Model:
        """Raises OperandError."""
        guard = None
        if self.guard is not None:
            register = scope.name(values[self.guard])
            if not isinstance(register, Register):
                raise OperandError(f"`{values[self.guard]}` is no predicate", self.guard)
            guard = Guard(register, self.negated)
        call = self.call(values, scope) if self.call else None
        operands = tuple([make(values, scope) for make in self.operands])
        if self.opcode in _INDEXABLE and self.opcode != "cvta":
            operands = tuple(map(_as_address, operands))
        return Model(self.opcode, self.modifiers, operands, index, line, guard, at, call)


def _as_address(value: Operand) -> Operand:
    return Address(Symbol(value.name), value.offset) if isinstance(value, Symbol) else value


_shapes: dict[tuple[object, ...], Shape] = {}
_MAX_SHAPES = 20_000


def shape_of(text: Text, first: int, end: int, *, cache: bool = True) -> Shape:
    """The shape of the instruction at tokens [first, end). Raises PtxSyntaxError."""
    kinds = text.kinds
    guarded = kinds[first] == "AT"
    opcode = first + (3 if guarded and kinds[first + 1 : first + 2] == ["BANG"] else 2 * guarded)
    name = text.values[opcode] if opcode < end else ""
    if not cache or end - first > _LONGEST_SHAPE:
        return _shape(text, first, end)
    key = (name, *kinds[first:end])
    shape = _shapes.get(key)
    if shape is None:
        shape = _shape(text, first, end)
        if len(_shapes) >= _MAX_SHAPES:
            _shapes.clear()
        _shapes[key] = shape
    return shape


def _shape(text: Text, first: int, end: int) -> Shape:
    return from_tree(text.tree("statement", first, end), text, first)


def from_tree(tree: Any, text: Text, first: int) -> Shape:
    """The shape of an `instruction` or `call` tree. Raises PtxSyntaxError for anything else."""
    children = list(tree.children)
    guard, negated = None, False
    if children and getattr(children[0], "data", "") == "guard":
        *bang, register = children.pop(0).children
        guard, negated = register.start_pos - first, bool(bang)
    if tree.data == "call":
        return Shape("call", _modifiers(children[0]), guard, negated, (), _call(children, first))
    if tree.data != "instruction":
        raise text.error_at(first, f"unexpected `{text.values[first]}`, expected an instruction")
    name, *operands = children
    opcode, *modifiers = name.split(".")
    if not table.known(opcode):
        raise text.error_at(name.start_pos, f"unknown instruction `{name}`")
    makers = tuple(operand(node, first) for node in operands)
    return Shape(opcode, tuple(modifiers), guard, negated, makers)


def _modifiers(name: str) -> tuple[str, ...]:
    return tuple(name.split(".")[1:])


def _call(children: list[Any], first: int) -> Callable[[Sequence[str], Scope], Call]:
    """`call (results), target, (arguments), prototype;` behind the guard."""
    results: tuple[Make, ...] = ()
    arguments: tuple[Make, ...] = ()
    names: list[Any] = []
    for node in children[1:]:
        data = getattr(node, "data", None)
        if data == "results_passed":
            results = tuple(operand(n, first) for n in node.children)
        elif data == "arguments_passed":
            arguments = tuple(operand(n, first) for n in node.children)
        else:
            names.append(node)
    target = operand(names[0], first)
    prototype = names[1].start_pos - first if len(names) > 1 else None

    def make(values: Sequence[str], scope: Scope) -> Call:
        return Call(
            tuple(r(values, scope) for r in results),
            target(values, scope),
            tuple(a(values, scope) for a in arguments),
            values[prototype] if prototype is not None else None,
        )

    return make
