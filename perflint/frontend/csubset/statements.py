"""Statements and declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from perflint.frontend.csubset.conversions import convert, in_register
from perflint.frontend.csubset.kernel_state import Lowering, needs_memory
from perflint.frontend.csubset.lower_expressions import advance, constant, jump, type_names, value
from perflint.frontend.csubset.memory import store
from perflint.frontend.csubset.respell import EXTERN, INFERRED, SHARED
from perflint.frontend.csubset.types import (
    INT,
    Array,
    Struct,
    Type,
    is_integer,
    leaves,
    promoted,
    typed,
)
from perflint.frontend.csubset.values import Place, Variable, number, suffix
from perflint.frontend.source.language.c_types import CType


def statement(x: Lowering, node: Any) -> None:
    """Lower a statement. Raises OutsideError where the subset ends."""
    if node is None:
        return
    handler = _STATEMENTS.get(type(node).__name__)
    if handler is not None:
        handler(x, node)
    else:
        x.at(node)
        _effect(x, node)


def _effect(x: Lowering, node: Any) -> None:
    """An expression whose value nobody wants: `i++` is `++i`."""
    if type(node).__name__ == "UnaryOp" and node.op in ("p++", "p--"):
        advance(x, node)
    elif type(node).__name__ == "ExprList":
        for part in node.exprs:
            _effect(x, part)
    else:
        value(x, node)


def _block(x: Lowering, node: Any) -> None:
    with x.scope():
        for item in node.block_items or ():
            statement(x, item)


def _if(x: Lowering, node: Any) -> None:
    x.at(node)
    other = x.builder.label()
    jump(x, node.cond, other, when=False)
    statement(x, node.iftrue)
    if node.iffalse is not None:
        end = x.builder.label()
        x.builder.branch(end)
        x.builder.set_label(other)
        statement(x, node.iffalse)
        x.builder.set_label(end)
    else:
        x.builder.set_label(other)


def _loop(x: Lowering, node: Any) -> None:
    """A loop with its test at the end, as compilers turn it."""
    b, function = x.builder, x.function
    body, following, end = b.label(), b.label(), b.label()
    first, step = getattr(node, "init", None), getattr(node, "next", None)
    with x.scope():
        x.at(node)
        if first is not None:
            (_declarations if type(first).__name__ == "DeclList" else _effect)(x, first)
        x.at(node)
        if type(node).__name__ != "DoWhile" and node.cond is not None:
            jump(x, node.cond, end, when=False)
        b.set_label(body)
        function.breaks.append(end)
        function.continues.append(following)
        statement(x, node.stmt)
        function.breaks.pop()
        function.continues.pop()
        b.set_label(following)
        if step is not None:
            x.at(step)
            _effect(x, step)
        x.at(node)
        if node.cond is None:
            b.branch(body)
        else:
            jump(x, node.cond, body, when=True)
        b.set_label(end)


def _switch(x: Lowering, node: Any) -> None:
    x.at(node)
    b, function = x.builder, x.function
    held = value(x, node.cond)
    type_ = held.type
    if not isinstance(type_, CType) or not is_integer(type_):
        raise x.outside("switch over what is no integer", node)
    type_ = promoted(type_)
    subject = x.in_registers("", type_)
    store(x, subject.place, held)
    end = b.label()
    cases = [(case, b.label()) for case in _cases(node.stmt)]
    default = next((at for case, at in cases if type(case).__name__ == "Default"), end)
    for case, label in cases:
        if type(case).__name__ == "Case":
            expected = in_register(b, convert(b, value(x, case.expr), type_))
            register = subject.place.registers[0]
            test = b.emit(f"setp.eq.{suffix(type_)}", "p", register, expected)
            b.branch(label, test)
    b.branch(default)
    function.breaks.append(end)
    with x.scope():
        for item in node.stmt.block_items or () if hasattr(node.stmt, "block_items") else ():
            _case_body(x, item, {id(case): label for case, label in cases})
    function.breaks.pop()
    b.set_label(end)


def _cases(item: Any) -> Iterator[Any]:
    """The labels in a body of a switch: `case 1: case 2: s;` nests as a tree."""
    labelled = type(item).__name__ in ("Case", "Default")
    if labelled:
        yield item
    for inner in (item.stmts if labelled else getattr(item, "block_items", None)) or ():
        if labelled or type(inner).__name__ in ("Case", "Default"):
            yield from _cases(inner)


def _case_body(x: Lowering, item: Any, labels: Mapping[int, str]) -> None:
    if id(item) not in labels:
        statement(x, item)
        return
    x.builder.set_label(labels[id(item)])
    for inner in item.stmts or ():
        _case_body(x, inner, labels)


def _break(x: Lowering, node: Any) -> None:
    x.at(node)
    x.builder.branch(x.function.breaks[-1])


def _continue(x: Lowering, node: Any) -> None:
    x.at(node)
    x.builder.branch(x.function.continues[-1])


def _goto(x: Lowering, node: Any) -> None:
    x.at(node)
    x.builder.branch(_source_label(x, node.name))


def _label(x: Lowering, node: Any) -> None:
    x.builder.set_label(_source_label(x, node.name))
    statement(x, node.stmt)


def _source_label(x: Lowering, name: str) -> str:
    labels = x.function.labels
    return labels.get(name) or labels.setdefault(name, x.builder.label())


def _return(x: Lowering, node: Any) -> None:
    x.at(node)
    result = x.function.result
    if node.expr is not None:
        held = value(x, node.expr)
        if result is not None:
            store(x, result, held)
    x.builder.branch(x.function.end)


# --- declarations ---------------------------------------------------------------------------------


def declare(x: Lowering, node: Any) -> None:
    """A local declaration with its initial value."""
    x.at(node)
    if SHARED in node.storage:
        _shared(x, node)
        return
    if node.name is None:
        raise x.outside("type inside a function", node)
    names = type_names(x)
    if _is_inferred(node.type):
        held = value(x, node.init)
        variable = x.declare(x.in_registers(node.name, held.type, node))
        store(x, variable.place, held)
        return
    type_ = typed(node.type, names)
    if isinstance(type_, Array) and not type_.count and node.init is not None:
        type_ = Array(type_.element, len(getattr(node.init, "exprs", None) or ()))
    if "const" in node.quals and node.init is not None and not needs_memory(type_):
        known = _known(x, node, type_)
        if known is not None:
            x.declare(known)
            return
    if needs_memory(type_) or node.name in x.function.addressed:
        variable = x.in_memory(node.name, type_, "local")
    else:
        variable = x.in_registers(node.name, type_, node)
    if node.init is not None and type(node.init).__name__ != "InitList":
        held = value(x, node.init)
        x.declare(variable)
        store(x, variable.place, held)
        return
    x.declare(variable)
    if node.init is not None:
        _initialise(x, variable.place, node.init)


def _is_inferred(node: Any) -> bool:
    words = getattr(getattr(node, "type", None), "names", None)
    return words == [INFERRED]


def _known(x: Lowering, node: Any, type_: Type) -> Variable | None:
    if not is_integer(type_):
        return None
    found = type_names(x).fold(node.init)
    return None if found is None else constant(node.name, int(found), type_)


def _shared(x: Lowering, node: Any) -> None:
    type_ = typed(node.type, type_names(x))
    extern = EXTERN in node.storage
    x.declare(x.in_memory(node.name, type_, "shared", extern))


def _initialise(x: Lowering, place: Place, node: Any) -> None:
    """`= {…}`: what is not named becomes zero (C17 6.7.9)."""
    if type(node).__name__ != "InitList":
        store(x, place, value(x, node))
        return
    parts = list(_parts(place))
    if not parts:
        if node.exprs:
            _initialise(x, place, node.exprs[0])
        else:
            _zero(x, place)
        return
    if len(node.exprs) > len(parts):
        raise x.outside("initial values beyond the end", node)
    for part, expression in zip(parts, node.exprs, strict=False):
        if type(expression).__name__ == "NamedInitializer":
            raise x.outside("designated initial value", node)
        _initialise(x, part, expression)
    for part in parts[len(node.exprs) :]:
        _zero(x, part)


def _parts(place: Place) -> Iterator[Place]:
    type_ = place.type
    if isinstance(type_, Array):
        assert place.address is not None
        for i in range(type_.count):
            address = place.address.at(i * type_.element.size, type_.element)
            yield Place(type_.element, (), address)
    elif isinstance(type_, Struct):
        at = 0
        for field in type_.fields:
            count = sum(1 for _ in leaves(field.type))
            if place.address is not None:
                yield Place(field.type, (), place.address.at(field.offset, field.type))
            else:
                yield Place(field.type, place.registers[at : at + count], None, place.variable)
            at += count


def _zero(x: Lowering, place: Place) -> None:
    parts = list(_parts(place))
    if not parts:
        store(x, place, number(0, INT))
    for part in parts:
        _zero(x, part)


def _nothing(x: Lowering, node: Any) -> None:
    return


def _declarations(x: Lowering, node: Any) -> None:
    for declaration in node.decls:
        declare(x, declaration)


_STATEMENTS: dict[str, Callable[[Lowering, Any], None]] = {
    "Compound": _block,
    "If": _if,
    **dict.fromkeys(("For", "While", "DoWhile"), _loop),
    "Switch": _switch,
    "Break": _break,
    "Continue": _continue,
    "Return": _return,
    "Goto": _goto,
    "Label": _label,
    "Decl": declare,
    "DeclList": _declarations,
    "EmptyStatement": _nothing,
    "Pragma": _nothing,
}
