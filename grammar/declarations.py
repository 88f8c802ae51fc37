"""From the trees of variables and function headers to functions that declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Literal

from perflint.base.records import dataclass
from perflint.grammar.errors import StatementError
from perflint.grammar.model import (
    TYPE_SIZE,
    Immediate,
    Operand,
    SpecialRegister,
    Symbol,
    Variable,
    Vector,
)
from perflint.grammar.operands import Integer, constant, expression, folded, is_leaf
from perflint.grammar.scopes import Names

#: Elements of one initialiser, with the zeros that nested braces leave out.
_MAX_ELEMENTS = 1 << 24


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable; with a `count`, `name<count>` registers."""

    variable: Variable
    count: int | None = None


@dataclass(slots=True)
class Header:
    """What stands before a function's body."""

    name: str = ""
    kind: Literal["entry", "func"] = "func"
    linkage: str = ""
    parameters: tuple[Declared, ...] = ()
    results: tuple[Declared, ...] = ()
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)
    pragmas: tuple[str, ...] = ()


Declare = Callable[[Sequence[str], Names], list[Declared]]


@dataclass(frozen=True, slots=True)
class _Described:
    """What stands before a declared name."""

    linkage: Literal["", "extern", "visible", "weak", "common"] = ""
    space: str = ""
    type: str = ""
    vector: int = 1
    align: int = 0
    pointer: bool = False
    pointer_space: str | None = None
    pointer_align: int | None = None


def declaration(children: Sequence[Any]) -> Declare:
    """The maker of a `variable` or `parameter` tree's variables; it may raise StatementError."""
    kinds: list[str] = []
    words: list[Callable[[Sequence[str], Names], str | int]] = []
    declarators: list[Callable[[_Described, Sequence[str], Names], Declared]] = []
    for node in children:
        if is_leaf(node):
            kinds.append(node.type)
            words.append(partial(_word, node.start_pos))
        elif node.data == "declarator":
            declarators.append(_declarator(node))
        elif node.data == "align":
            kinds.append("ALIGN")
            words.append(constant(node.children[-1]))
    known: dict[tuple[str | int, ...], _Described] = {}

    def make(texts: Sequence[str], names: Names) -> list[Declared]:
        written = tuple([word(texts, names) for word in words])
        described = known.get(written)
        if described is None:
            described = known[written] = _describe(kinds, written)
        return [declare(described, texts, names) for declare in declarators]

    return make


def _word(at: int, texts: Sequence[str], names: Names) -> str:
    return texts[at][1:]


def _describe(kinds: Sequence[str], written: Sequence[Any]) -> _Described:
    """Put the words together, each without its dot, an alignment as its number.

    Behind `.ptr` a space and an alignment are the pointer's (PTX ISA 5.1.6.3).
    """
    said: dict[str, Any] = {}
    for kind, word in zip(kinds, written, strict=True):
        where = "pointer_" if "pointer" in said else ""
        if kind == "TYPE":
            said["type"] = word
        elif kind == "SPACE":
            said[f"{where}space"] = word.partition("::")[0]
        elif kind == "ALIGN":
            if word <= 0 or word & (word - 1):
                raise StatementError("an alignment is a power of two")
            said[f"{where}align"] = word
        elif kind == "LINKAGE":
            said["linkage"] = word
        elif kind == "VECTOR":
            said["vector"] = int(word[1:])
        elif kind == "PTR":
            said["pointer"] = True
    return _Described(**said)


def _declarator(tree: Any) -> Callable[[_Described, Sequence[str], Names], Declared]:
    """`name<8>`, `name[4][2] = { … }`."""
    name = tree.children[0].start_pos
    count: int | None = None
    extents: list[Integer] = []
    initialise: Callable[[Sequence[str], Names], Any] | None = None
    for node in tree.children[1:]:
        data = None if is_leaf(node) else node.data
        if data == "range":
            count = node.children[0].start_pos
        elif data == "extent":
            extents.append(constant(node.children[0]) if node.children else lambda _, __: 0)
        else:
            initialise = initialiser(node)

    def make(described: _Described, texts: Sequence[str], names: Names) -> Declared:
        if not described.type or not described.space:
            raise StatementError(f"`{texts[name]}` needs a type and a state space", texts[name])
        if described.type not in TYPE_SIZE:
            raise StatementError(
                f"`.{described.type}` is a type of instructions only", f".{described.type}"
            )
        width = TYPE_SIZE[described.type] * described.vector
        dimensions = tuple([extent(texts, names) for extent in extents])
        if any(extent < 0 for extent in dimensions):
            raise StatementError(f"`{texts[name]}` has an extent below zero", texts[name])
        values = None
        if initialise is not None:
            inner = (
                *dimensions[1:],
                *((described.vector,) if described.vector > 1 else ()),
            )
            made = initialise(texts, names)
            values = tuple(made) if isinstance(made, list) else tuple(_flat(made, inner))
            if dimensions and dimensions[0] == 0:
                dimensions = (
                    -(-len(values) // max(1, _product(inner))),
                    *dimensions[1:],
                )
        variable = Variable(
            texts[name],
            described.space,
            described.type,
            described.align or width,
            dimensions,
            described.vector,
            values,
            described.linkage,
            described.pointer,
            described.pointer_space,
            described.pointer_align,
        )
        number = None if count is None else names[texts[count]]
        return Declared(variable, number.bits if isinstance(number, Immediate) else None)

    return make


def initialiser(node: Any) -> Callable[[Sequence[str], Names], Any]:
    """The maker of an initialiser: a list of constants, or nested vectors of them.

    A list of plain integers is read up to its `}`, so that lists of all lengths have one shape.
    """
    if is_leaf(node) or node.data != "vector" or not node.children:
        return _nested(node)
    if not all(is_leaf(each) and each.type == "INTEGER" for each in node.children):
        return _nested(node)
    first = node.children[0].start_pos

    def integers(texts: Sequence[str], names: Names) -> list[Operand]:
        end = texts.index("}", first)
        return [names[text] for text in texts[first:end] if text[0].isdigit()]

    return integers


def _nested(node: Any) -> Callable[[Sequence[str], Names], Operand]:
    if is_leaf(node) or node.data != "vector":
        return expression(node)
    inner = [_nested(each) for each in node.children if is_leaf(each) or each.data != "field"]
    return lambda texts, names: Vector(tuple([each(texts, names) for each in inner]))


def _product(extents: Sequence[int]) -> int:
    out = 1
    for extent in extents:
        out *= extent
    return out


def _flat(value: Operand, extents: tuple[int, ...]) -> Iterator[Immediate | Symbol]:
    """In memory order; inner braces that hold too few elements are filled with zeros."""
    if isinstance(value, SpecialRegister):
        value = folded(value)
    if isinstance(value, Immediate | Symbol):
        yield value
        return
    if not isinstance(value, Vector):
        raise StatementError("an initialiser holds constants and addresses of variables")
    room = _product(extents)
    for at, element in enumerate(value.elements):
        given = 0
        for each in _flat(element, extents[1:]):
            yield each
            given += 1
        if isinstance(element, Vector) and at + 1 < len(value.elements):
            if room > _MAX_ELEMENTS:
                raise StatementError("this initialiser is too large")
            yield from [Immediate(0)] * (room - given)


def header(tree: Any) -> Callable[[Sequence[str], Names], Header]:
    """The maker of a function's header; it may raise StatementError."""
    steps = [_part_of_header(node) for node in tree.children]

    def make(texts: Sequence[str], names: Names) -> Header:
        out = Header()
        for step in steps:
            step(out, texts, names)
        return out

    return make


def _part_of_header(node: Any) -> Callable[[Header, Sequence[str], Names], None]:
    if is_leaf(node):
        return partial(_word_of_header, node.type, node.start_pos)
    if node.data in ("parameters", "results"):
        return partial(_listed, node.data, [declaration(each.children) for each in node.children])
    if node.data == "directive":
        numbers = [constant(each) for each in node.children[1:]]
        return partial(_directive, node.children[0].start_pos, numbers)
    if node.data == "pragma":
        return partial(_pragma, strings(node))
    return lambda out, texts, names: None


def _word_of_header(kind: str, at: int, out: Header, texts: Sequence[str], names: Names) -> None:
    if kind == "LINKAGE":
        out.linkage = texts[at][1:]
    elif kind == "ENTRY":
        out.kind = "entry"
    elif kind in ("NAME", "CALL"):
        out.name = texts[at]


def _listed(
    where: str, each: Sequence[Declare], out: Header, texts: Sequence[str], names: Names
) -> None:
    setattr(out, where, tuple([found for make in each for found in make(texts, names)]))


def _directive(
    at: int,
    numbers: Sequence[Integer],
    out: Header,
    texts: Sequence[str],
    names: Names,
) -> None:
    out.directives[texts[at][1:]] = tuple([number(texts, names) for number in numbers])


def _pragma(at: Sequence[int], out: Header, texts: Sequence[str], names: Names) -> None:
    out.pragmas += tuple([texts[each][1:-1] for each in at])


def strings(tree: Any) -> list[int]:
    """Where the strings of a `pragma` tree stand."""
    return [node.start_pos for node in tree.children if node.type == "STRING"]
