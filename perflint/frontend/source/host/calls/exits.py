"""Where control leaves a function: the `return` that is taken, or all that may be.

Statements are walked in order, branches by their conditions. A loop or a `try` with a `return` in
it tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.values.branch_values import is_reached
from perflint.frontend.source.host.values.choices import UndecidedError
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.every_way import ends_program
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: Statements that are walked for one call, and `return`s of one function that are told apart.
_STATEMENTS, RETURNS = 400, 64
_NEVER = ("throw_statement",)


@dataclass(frozen=True, eq=False)
class Exit:
    """A place where a function is left."""

    at: int  #: byte offset; what is known there is known to the caller
    value: Node | None  #: what it returns


class _UnknownError(Exception):
    """Which way is taken cannot be told."""


@dataclass(frozen=True)
class _Leaves:
    """How a statement ends other than by falling through."""

    how: str  #: `return`, `never`, `break`
    exit: Exit | None = None


def exit_of(place: Environment) -> Exit | None:
    """The exit that a function takes; `place` lies in it. None where nobody can tell.

    Raises UndecidedError for a condition that is out of sight and not chosen yet.
    """
    body = place.function.body if place.function is not None else None
    if body is None:
        return None
    key = ("exit", body.id, place.frame_key, place.session.mode)
    return place.session.remembered(key, lambda: _exit(body, place))


def _exit(body: Node, place: Environment) -> Exit | None:
    try:
        left = _walk(body, place, [_STATEMENTS])
    except _UnknownError:
        return None
    if left is None:
        return Exit(body.end_byte - 1, None)
    return left.exit


def exits_of(place: Environment) -> tuple[list[Exit], int]:
    """Every exit with a value that a function may take, and how many `return`s were left out."""
    body = place.function.body if place.function is not None else None
    if body is None:
        return [], 0
    try:
        taken = exit_of(place)
        if taken is not None:
            return ([taken] if taken.value is not None else []), 0
    except UndecidedError:
        pass
    found: list[Exit] = []
    left_out = 0
    for node in _returns(body):
        values = children_of(node)
        if not values or values[0].type in ("null", "nullptr"):
            continue
        if len(found) >= RETURNS:
            left_out += 1
        elif is_reached(place.moved(node.start_byte)):
            found.append(Exit(node.start_byte, values[0]))
    return found, left_out


def _returns(node: Node) -> Iterator[Node]:
    """The `return` statements in a statement, in text order, those of lambdas left out."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "return_statement":
            yield each
        elif each.type != "lambda_expression":
            waiting += reversed(each.named_children)


def _walk(node: Node, place: Environment, budget: list[int]) -> _Leaves | None:
    """How a statement ends; None if control goes on behind it."""
    budget[0] -= 1
    if budget[0] < 0:
        raise _UnknownError
    kind = node.type
    if kind == "return_statement":
        values = children_of(node)
        return _Leaves("return", Exit(node.start_byte, values[0] if values else None))
    if kind in _NEVER or _is_end(node, place):
        return _Leaves("never")
    if kind == "break_statement":
        return _Leaves("break")
    if kind in ("compound_statement", "else_clause"):
        return _sequence(children_of(node), place, budget)
    if kind == "if_statement":
        return _branch(node, place, budget)
    if kind == "switch_statement":
        return _switch(node, place, budget)
    if kind in ("expression_statement", "declaration"):
        return None
    if next(_returns(node), None) is not None:
        raise _UnknownError  # in a loop, a try block, under a label
    return None


def _sequence(nodes: Sequence[Node], place: Environment, budget: list[int]) -> _Leaves | None:
    for node in nodes:
        left = _walk(node, place, budget)
        if left is not None:
            return left
    return None


def _branch(node: Node, place: Environment, budget: list[int]) -> _Leaves | None:
    arms = [node.child_by_field_name(f) for f in ("consequence", "alternative")]
    if not any(arm is not None and _may_leave(arm, place) for arm in arms):
        return None
    condition = node.child_by_field_name("condition")
    if condition is None:
        raise _UnknownError
    text = place.file.source.text_of(condition)
    there = place.moved(condition.start_byte)
    if any(c.type == "declaration" for c in condition.named_children):
        raise _UnknownError
    value = fold(text, there)
    if value is not None and value.term is not None and value.term.turns:
        raise _UnknownError  # in each turn of a loop another way
    if value is not None:
        holds: bool | None = bool(value.number)
    elif (only := _survivor(arms, place)) is not None:
        holds = only
    else:
        holds = there.holds(text)
    if holds is None:
        raise _UnknownError
    arm = arms[0] if holds else arms[1]
    return None if arm is None else _walk(arm, place, budget)


def _survivor(arms: Sequence[Node | None], place: Environment) -> bool | None:
    """Which arm of a check is taken where the other one ends the program; None if none does."""
    ends = [arm is not None and _ends(arm, place) for arm in arms]
    return None if ends[0] == ends[1] else not ends[0]


def _ends(arm: Node, place: Environment) -> bool:
    last = arm
    while last.type in ("compound_statement", "else_clause") and children_of(last):
        last = children_of(last)[-1]
    return last.type in _NEVER or _is_end(last, place)


def _may_leave(arm: Node, place: Environment) -> bool:
    return next(_returns(arm), None) is not None or _ends(arm, place) or _has_break(arm)


def _has_break(node: Node) -> bool:
    if node.type == "break_statement":
        return True
    inner = ("for_statement", "while_statement", "do_statement", "switch_statement")
    return node.type not in inner and any(_has_break(c) for c in node.named_children)


def _is_end(node: Node, place: Environment) -> bool:
    return ends_program(node, place.file.source)


def _switch(node: Node, place: Environment, budget: list[int]) -> _Leaves | None:
    """The case that is taken; where its value is not known each case is a choice."""
    if next(_returns(node), None) is None:
        return None
    condition = node.child_by_field_name("condition")
    cases = [c for c in children_of(node.child_by_field_name("body")) if c.type == "case_statement"]
    if condition is None or not cases or len(cases) > RETURNS:
        raise _UnknownError
    source = place.file.source
    text = source.text_of(condition)
    value = fold(text, place.moved(condition.start_byte))
    if value is not None and value.term is not None and value.term.turns:
        raise _UnknownError
    labels = [case.child_by_field_name("value") for case in cases]
    if value is None:
        key = ("switch", node.id, place.frame_key)
        index = place.session.choose(key, len(cases)) if place.session.asks(key) else None
        if index is None:
            raise _UnknownError
        label = labels[index]
        if label is not None:
            stated = f"{text.strip('() ')} == {source.text_of(label)}"
            place.session.note("stated", stated, True)
    else:
        found = [
            at
            for at, label in enumerate(labels)
            if label is not None
            and (known := fold(source.text_of(label), place.moved(label.start_byte))) is not None
            and known.number == value.number
        ]
        found = found or [at for at, label in enumerate(labels) if label is None]
        if not found:
            return None
        index = found[0]
    for case in cases[index:]:
        label = case.child_by_field_name("value")
        inner = [c for c in children_of(case) if label is None or c.id != label.id]
        left = _sequence(inner, place, budget)
        if left is not None:
            return None if left.how == "break" else left
    return None
