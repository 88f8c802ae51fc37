"""From the tree of an instruction or call to a plan that adds it to a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from perflint.grammar import table
from perflint.grammar.builder import FunctionBuilder
from perflint.grammar.errors import StatementError
from perflint.grammar.model import (
    Address,
    Call,
    Guard,
    Instruction,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)
from perflint.grammar.operands import Make, is_leaf, operand
from perflint.grammar.scopes import Names
from perflint.grammar.tokens import quote

#: Acts on a function: token texts, the function, the statement's line.
Statement = Callable[[Sequence[str], FunctionBuilder, int], None]
_Operands = Callable[[Sequence[str], Names], tuple[Operand, ...]]


class _Opcodes(dict[str, tuple[str, tuple[str, ...]]]):
    """`ld.global.f32` → opcode and modifiers, checked against the instruction table.

    Of instructions with `count` operands; None for calls, which have no operands of their own.
    """

    _MOST = 20_000

    def __init__(self, count: int | None) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, text: str) -> tuple[str, tuple[str, ...]]:
        opcode, *modifiers = text.split(".")
        split = opcode, tuple(modifiers)
        row = table.find(*split)
        if row is None:
            raise StatementError(f"unknown instruction {quote(text)}", text)
        if self._count is not None and self._count < row.required:
            names = row.notation.partition(" ")[2]
            raise StatementError(
                f"{quote(text)} has {self._count} of its {row.required} operands ({names})", text
            )
        if len(self) > self._MOST:
            self.clear()
        self[text] = split
        return split


@cache
def _opcodes(count: int | None) -> _Opcodes:
    return _Opcodes(count)


def instruction(tree: Any) -> Statement:
    guard, children = _guard(tree)
    at, *parts = (node.start_pos for node in children[0].children)
    operands = _operands(children[1:])
    opcodes = _opcodes(min(len(children) - 1, 16))

    def plain(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        opcode, modifiers = opcodes[texts[at]]
        made = function.instructions
        made.append(
            Instruction(
                opcode,
                modifiers,
                operands(texts, function.names),
                len(made),
                line,
                None,
                function.location,
            )
        )

    def guarded(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        opcode, modifiers = opcodes[texts[at]]
        made = function.instructions
        predicate = guard(texts, function.names) if guard else None
        made.append(
            Instruction(
                opcode,
                modifiers,
                operands(texts, function.names),
                len(made),
                line,
                predicate,
                function.location,
            )
        )

    plan: Statement = plain if guard is None else guarded
    if any(not is_leaf(node) and node.data == "subscript" for node in children[1:]):
        plan = _indexed(plan)
    return _joined(plan, at, parts) if parts else plan


def _joined(plan: Statement, at: int, parts: Sequence[int]) -> Statement:
    """The plan of an opcode in several tokens, `ld .global.f32`, as if it were one."""

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        whole = list(texts)
        whole[at] = "".join([texts[each] for each in (at, *parts)])
        plan(whole, function, line)

    return carry_out


def _guard(
    tree: Any,
) -> tuple[Callable[[Sequence[str], Names], Guard] | None, list[Any]]:
    """The maker of the guard, and the children behind it."""
    children = list(tree.children)
    if is_leaf(children[0]) or children[0].data != "guard":
        return None, children
    _, *bang, name = children.pop(0).children
    negated, at = bool(bang), name.start_pos

    def make(texts: Sequence[str], names: Names) -> Guard:
        register = names[texts[at]]
        if not isinstance(register, Register):
            raise StatementError(f"{quote(texts[at])} is no predicate register", texts[at])
        return Guard(register, negated)

    return make, children


def _operands(nodes: Sequence[Any]) -> _Operands:
    """The maker of all operands. Most statements have single tokens only: one look-up each."""
    if not nodes:
        return lambda texts, names: ()
    if all(map(is_leaf, nodes)):
        at = [node.start_pos for node in nodes]
        if len(at) == 1:
            only = at[0]
            return lambda texts, names: (names[texts[only]],)
        pick = itemgetter(*at)
        return lambda texts, names: tuple(map(names.__getitem__, pick(texts)))
    makes = [operand(node) for node in nodes]
    if len(makes) == 2:
        first, second = makes
        return lambda texts, names: (first(texts, names), second(texts, names))
    return lambda texts, names: tuple([make(texts, names) for make in makes])


def _indexed(plan: Statement) -> Statement:
    """`ld.global.f32 %f1, a[3];`: an element stands for its address in brackets (6.4.2)."""

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        plan(texts, function, line)
        made = function.instructions.pop()
        operands = tuple(
            Address(Symbol(value.name), value.offset)
            if isinstance(value, Symbol) and role.address
            else value
            for role, value in zip(table.row(made).operands, made.operands, strict=False)
        )
        function.instructions.append(
            Instruction(
                made.opcode,
                made.modifiers,
                operands + made.operands[len(operands) :],
                made.index,
                line,
                made.guard,
                made.location,
            )
        )

    return carry_out


def call(tree: Any) -> Statement:
    guard, children = _guard(tree)
    lists: dict[str, list[Make]] = {"results_passed": [], "arguments_passed": []}
    names_at = []
    for node in children[1:]:
        if is_leaf(node):
            names_at.append(node.start_pos)
        else:
            lists[node.data] = [operand(each) for each in node.children]
    opcodes = _opcodes(None)
    opcode_at, *parts = (node.start_pos for node in children[0].children)
    target_at = names_at[0]
    prototype_at = names_at[1] if len(names_at) > 1 else None

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        names = function.names
        opcode, modifiers = opcodes[texts[opcode_at]]
        written = Call(
            tuple([make(texts, names) for make in lists["results_passed"]]),
            names[texts[target_at]],
            tuple([make(texts, names) for make in lists["arguments_passed"]]),
            None if prototype_at is None else named(names[texts[prototype_at]]),
        )
        function.instructions.append(
            Instruction(
                opcode,
                modifiers,
                (),
                len(function.instructions),
                line,
                guard(texts, names) if guard else None,
                function.location,
                written,
            )
        )

    return _joined(carry_out, opcode_at, parts) if parts else carry_out


def named(value: Operand) -> str:
    if isinstance(value, Symbol | Register | SpecialRegister):
        return value.name
    raise StatementError("a label or a name is needed here")
