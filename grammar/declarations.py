"""From the trees of declarations to variables, parameters and function headers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from perflint.grammar.model import TYPE_SIZE, Immediate, Operand, Symbol, Variable, Vector
from perflint.grammar.operands import OperandError, Scope, operand
from perflint.grammar.syntax import Text

_MAX_REGISTERS = 1 << 20  #: of one declaration


@dataclass
class _Qualifiers:
    """What stands before a declared name."""

    linkage: str = ""
    space: str = ""
    type: str = ""
    vector: int = 1
    align: int | None = None
    pointer: bool = False
    pointer_space: str | None = None
    pointer_align: int | None = None


@dataclass
class Header:
    """A function's header."""

    name: str
    kind: str
    linkage: str = ""
    parameters: tuple[Variable, ...] = ()
    results: tuple[Variable, ...] = ()
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)
    pragmas: tuple[str, ...] = ()


def evaluate(node: Any, text: Text, scope: Scope) -> Operand:
    """The operand at a node whose leaves carry token indices of the whole text."""
    return operand(node, 0)(text.values, scope)


def constant(node: Any, text: Text, scope: Scope) -> int:
    value = evaluate(node, text, scope)
    if not isinstance(value, Immediate) or value.kind != "int":
        raise OperandError("an integer constant is needed here")
    return value.bits


def variables(tree: Any, text: Text, scope: Scope) -> Iterator[Variable]:
    """The variables of a `variable` or `parameter` tree; a register range gives each register."""
    q = _Qualifiers()
    for node in tree.children:
        if hasattr(node, "data") and node.data == "declarator":
            yield from _declared(node, q, text, scope)
        else:
            _qualify(q, node, text, scope)


def _qualify(q: _Qualifiers, node: Any, text: Text, scope: Scope) -> None:
    if hasattr(node, "data"):
        if node.data == "align":
            align = constant(node.children[-1], text, scope)
            if q.pointer:
                q.pointer_align = align
            else:
                q.align = align
    elif node.type == "LINKAGE":
        q.linkage = node[1:]
    elif node.type == "SPACE":
        space = node[1:].partition("::")[0]
        if q.pointer:
            q.pointer_space = space
        else:
            q.space = space
    elif node.type == "TYPE":
        q.type = node[1:]
    elif node.type == "VECTOR":
        q.vector = int(node[2:])
    elif node.type == "PTR":
        q.pointer = True


def _declared(node: Any, q: _Qualifiers, text: Text, scope: Scope) -> Iterator[Variable]:
    name, *rest = node.children
    if not q.type:
        raise OperandError(f"`{name}` has no type", name.start_pos)
    extents: list[int] = []
    initialiser = None
    numbered = None
    for part in rest:
        data = getattr(part, "data", None)
        if data == "range":
            numbered = int(part.children[0])
        elif data == "extent":
            extents.append(constant(part.children[0], text, scope) if part.children else 0)
        else:
            initialiser = tuple(_flat(evaluate(part, text, scope), name.start_pos))
    if numbered is not None and numbered > _MAX_REGISTERS:
        raise OperandError(f"{numbered} registers in one declaration", name.start_pos)
    if extents and extents[0] == 0 and initialiser is not None:
        inner = q.vector
        for extent in extents[1:]:
            inner *= extent
        extents[0] = -(-len(initialiser) // max(1, inner))
    variable = Variable(
        name=str(name),
        space=q.space,
        type=q.type,
        align=q.align or TYPE_SIZE[q.type] * q.vector,
        dimensions=tuple(extents),
        vector=q.vector,
        initialiser=initialiser,
        linkage=q.linkage,  # type: ignore[arg-type]
        pointer=q.pointer,
        pointer_space=q.pointer_space,
        pointer_align=q.pointer_align,
    )
    if numbered is None:
        yield variable
    for i in range(numbered or 0):
        yield Variable(f"{name}{i}", q.space, q.type, variable.align, vector=q.vector)


def _flat(value: Operand, at: int) -> Iterator[Immediate | Symbol]:
    if isinstance(value, Vector):
        for element in value.elements:
            yield from _flat(element, at)
    elif isinstance(value, Immediate | Symbol):
        yield value
    else:
        raise OperandError("an initialiser holds constants and variables", at)


def header(tree: Any, text: Text, scope: Scope) -> Header:
    """The function that a `header` tree declares."""
    children = list(tree.children)
    linkage = ""
    while children and getattr(children[0], "type", "") == "LINKAGE":
        linkage = children.pop(0)[1:]
    kind = "entry" if children.pop(0).type == "ENTRY" else "func"
    out = Header("", kind, linkage)
    for node in children:
        data = getattr(node, "data", None)
        if data is None:
            out.name = str(node)
        elif data in ("parameters", "results"):
            found = tuple(v for p in node.children for v in variables(p, text, scope))
            setattr(out, data, found)
        elif data == "directive":
            name, *numbers = node.children
            out.directives[name[1:]] = tuple(constant(n, text, scope) for n in numbers)
        elif data == "pragma":
            out.pragmas += strings(node)
    return out


def strings(node: Any) -> tuple[str, ...]:
    """The strings of a `pragma` tree."""
    return tuple(t[1:-1] for t in node.children if getattr(t, "type", "") == "STRING")
