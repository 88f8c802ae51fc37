"""From the tree of a statement, header or module item to a plan that carries it out.

A plan is a function of token texts, the builder it acts on and the line. It depends on the tree's
shape alone, not on its texts: statements of one shape share one plan (reader.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from perflint.grammar.builder import FunctionBuilder, ModuleBuilder
from perflint.grammar.declarations import declaration, strings
from perflint.grammar.errors import StatementError
from perflint.grammar.instructions import Statement, call, instruction, named
from perflint.grammar.locations import Place
from perflint.grammar.operands import constant, is_leaf
from perflint.grammar.tokens import quote

Item = Callable[[Sequence[str], ModuleBuilder, int], None]


def statement(tree: Any) -> Statement:
    """The plan of a `statement` tree; carrying it out may raise StatementError."""
    return _STATEMENTS[tree.data](tree)


def item(tree: Any) -> Item:
    """The plan of an `item` tree; carrying it out may raise StatementError."""
    return _ITEMS[tree.data](tree)


# --- statements


def _label(tree: Any) -> Statement:
    at = tree.children[0].start_pos
    return lambda texts, function, line: function.label(texts[at])


def _variable(tree: Any) -> Statement:
    make = declaration(tree.children)

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        function.declare(make(texts, function.names))

    return carry_out


def _location(tree: Any) -> Statement:
    whole = tree.children[0].type == "PLACE"
    at = tree.children[0].start_pos
    numbers_at = [node.start_pos for node in tree.children[1:4] if is_leaf(node)]
    function_at: list[int] = []
    call_at: list[int] = []
    for node in tree.children[1 + len(numbers_at) :]:
        positions = [each.start_pos for each in node.children[1:]]
        if node.data == "function_name":
            function_at = positions
        else:
            call_at = positions

    def one_token(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        function.location = function.locations.written(texts[at])

    def plain(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        place = _numbers(texts[at].split()[1:4] if whole else [texts[k] for k in numbers_at])
        function.location = function.locations.plain(place)

    def inlined(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        place = _numbers(texts[at].split()[1:4] if whole else [texts[k] for k in numbers_at])
        name = "".join([texts[each] for each in function_at])
        call = _numbers([texts[each] for each in call_at])
        function.location = function.locations.inlined(place, name, call)

    if call_at:
        return inlined
    return one_token if whole else plain


def _numbers(texts: Sequence[str]) -> Place:
    file, line, column = texts
    return file.rstrip(","), line.rstrip(","), column.rstrip(",")


def _pragma(tree: Any) -> Statement:
    at = strings(tree)

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        function.pragmas += tuple([texts[each][1:-1] for each in at])

    return carry_out


def _targets(tree: Any) -> Statement:
    at = [node.start_pos for node in tree.children[1:]]

    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        label = function.take_label()
        if label is None:
            raise StatementError(f"`{texts[at[0] - 1]}` needs a label before it")
        names = tuple([named(function.names[texts[each]]) for each in at])
        function.branch_targets[label] = names

    return carry_out


def _prototype(tree: Any) -> Statement:
    def carry_out(texts: Sequence[str], function: FunctionBuilder, line: int) -> None:
        if function.take_label() is None:
            raise StatementError("`.callprototype` needs a label before it", ".callprototype")

    return carry_out


def _nothing(tree: Any) -> Callable[[Sequence[str], Any, int], None]:
    """`.file` and `.section` are read before all else (tokens.py)."""
    return lambda texts, builder, line: None


_STATEMENTS: dict[str, Callable[[Any], Statement]] = {
    "instruction": instruction,
    "call": call,
    "label": _label,
    "variable": _variable,
    "location": _location,
    "pragma": _pragma,
    "targets": _targets,
    "prototype": _prototype,
    "file": _nothing,
    "empty": _nothing,
}


# --- module items


def _version(tree: Any) -> Item:
    at = tree.children[1].start_pos

    def carry_out(texts: Sequence[str], module: ModuleBuilder, line: int) -> None:
        major, _, minor = texts[at].partition(".")
        if not (major.isdigit() and minor.isdigit()) or len(texts[at]) > 8:
            raise StatementError(f"{quote(texts[at])} is no version of PTX", texts[at])
        module.version = int(major), int(minor)

    return carry_out


def _target(tree: Any) -> Item:
    at = [node.start_pos for node in tree.children[1:]]

    def carry_out(texts: Sequence[str], module: ModuleBuilder, line: int) -> None:
        module.target = tuple([texts[each] for each in at])

    return carry_out


def _address_size(tree: Any) -> Item:
    at = tree.children[1].start_pos
    bits = constant(tree.children[1])

    def carry_out(texts: Sequence[str], module: ModuleBuilder, line: int) -> None:
        module.address_size = bits(texts, module.names)
        if module.address_size not in (32, 64):
            raise StatementError("an address has 32 or 64 bits", texts[at])

    return carry_out


def _module_variable(tree: Any) -> Item:
    make = declaration(tree.children)

    def carry_out(texts: Sequence[str], module: ModuleBuilder, line: int) -> None:
        module.declare(make(texts, module.names))
        module.seek(line)

    return carry_out


def _module_pragma(tree: Any) -> Item:
    at = strings(tree)

    def carry_out(texts: Sequence[str], module: ModuleBuilder, line: int) -> None:
        module.pragmas += tuple([texts[each][1:-1] for each in at])

    return carry_out


_ITEMS: dict[str, Callable[[Any], Item]] = {
    "version": _version,
    "target": _target,
    "address_size": _address_size,
    "variable": _module_variable,
    "pragma": _module_pragma,
    "file": _nothing,
    "location": _nothing,
    "section": _nothing,
    "alias": _nothing,
    "empty": _nothing,
}
