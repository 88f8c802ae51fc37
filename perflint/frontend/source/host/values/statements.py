"""Statements of a loop's turn read as formulas: what they make of variables, arm by arm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.frontend.source.host.options.named_options import names_option
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, Value
from perflint.frontend.source.language.constant_folding import fold, select
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: What variables hold at one place; None where that is not known.
State = dict[str, Value | None]

STOPPED = "break"  #: among a loop's variables: whether `break` has ended it
_YES = Value(1, c_types.INT)
_CHANGES = ("assignment_expression", "update_expression")
_LEAVES = ("break_statement", "continue_statement")
#: What has no effect on variables, but for the changes inside, which are looked for.
_PLAIN = ("expression_statement", "comma_expression", "parenthesized_expression", "call_expression")


class UnfollowedError(Exception):
    """A statement that cannot be read as formulas."""


def ran(nodes: Sequence[Node], state: State, place: Environment) -> State:
    """The state when statements have run, one after the other."""
    for number, node in enumerate(nodes):
        if node.type in ("compound_statement", "else_clause"):
            return ran([*children_of(node), *nodes[number + 1 :]], state, place)
        if node.type in _LEAVES:
            return {**state, STOPPED: _YES} if node.type == "break_statement" else state
        if node.type == "if_statement":
            return _branched(node, nodes[number + 1 :], state, place)
        state = _after(node, state, place)
    return state


def _branched(node: Node, rest: Sequence[Node], state: State, place: Environment) -> State:
    """Both ways through a branch, with all that follows where one of them leaves the loop."""
    arms = [node.child_by_field_name(f) for f in ("consequence", "alternative")]
    condition, state = folded_condition(node.child_by_field_name("condition"), state, place)
    if condition is not None and condition.term is None:
        arm = arms[0 if condition.number else 1]
        return ran([*([arm] if arm is not None else []), *rest], state, place)
    leaves = any(arm is not None and _may_leave(arm) for arm in arms)
    behind = rest if leaves else ()
    one, other = (ran([*([arm] if arm is not None else []), *behind], state, place) for arm in arms)
    if leaves and condition is None:
        raise UnfollowedError
    merged: State = {}
    for name in state:
        left, right = one.get(name), other.get(name)
        if left is right:
            merged[name] = left
        elif left is None or right is None or condition is None:
            merged[name] = None
        else:
            merged[name] = select(condition, left, right)
    return merged if leaves else ran(rest, merged, place)


@lru_cache(maxsize=4096)
def _may_leave(node: Node) -> bool:
    return node.type in _LEAVES or any(_may_leave(c) for c in node.named_children)


def folded_condition(
    node: Node | None, state: State, place: Environment
) -> tuple[Value | None, State]:
    """A condition's value, and the state when it has been computed: `while (n >>= 1)`."""
    if node is None:
        return _YES, state
    if node.type == "condition_clause" and node.child_by_field_name("value") is not None:
        node = node.child_by_field_name("value")
    assert node is not None
    changes = _changes_in(node)
    source = place.file.source
    text = source.text_of(node)
    if len(changes) > 1 or any(name is None for name in map(_changed_name, changes)):
        raise UnfollowedError
    if changes:
        change = changes[0]
        target = _changed_name(change)
        assert target is not None
        if change.type == "update_expression" and change.children[0].is_named:  # `n--`
            value = folded(text.replace(source.text_of(change), source.text_of(target), 1), node,
                           state, place)  # fmt: skip
            return value, _after(change, state, place)
        state = _after(change, state, place)
        text = text.replace(source.text_of(change), source.text_of(target), 1)
    if names_option(text):
        return None, state
    return folded(text, node, state, place), state


def folded(text: str, node: Node, state: State, place: Environment) -> Value | None:
    """An expression's value where variables hold what the state says."""
    there = place.knowing(node.start_byte, state)
    return fold(spell(bare(tokenize(text))), there)


def _changes_in(node: Node) -> list[Node]:
    """The assignments and steps in an expression or statement, the outermost ones."""
    if node.type in _CHANGES:
        return [node]
    return [found for child in node.named_children for found in _changes_in(child)]


def _changed_name(node: Node) -> Node | None:
    """The variable that is changed, or the member of one."""
    target = node.child_by_field_name("left" if node.type == _CHANGES[0] else "argument")
    of = target
    if target is not None and target.type == "field_expression":
        of = target.child_by_field_name("argument")
    return target if of is not None and of.type == "identifier" else None


def _after(node: Node, state: State, place: Environment) -> State:
    """The state behind a statement without branches."""
    if node.type == "declaration":
        return _declared(node, state, place)
    if node.type in _CHANGES:
        return _assigned(node, state, place)
    if node.type in ("comment", ";"):
        return state
    if node.type in _PLAIN:
        for child in _changes_in(node):
            state = _assigned(child, state, place)
        return state
    if _changes_in(node) or any(c.type == "return_statement" for c in _all(node)):
        raise UnfollowedError  # a loop in the loop, a switch, a jump
    return state


def _all(node: Node) -> list[Node]:
    return [node, *(found for child in node.named_children for found in _all(child))]


def _assigned(node: Node, state: State, place: Environment) -> State:
    target = _changed_name(node)
    if target is None:
        return state  # an element or a member: none of the variables that are followed
    source = place.file.source
    name = "".join(source.text_of(target).split())
    text = step_text(node, place)
    right = node.child_by_field_name("right")
    if right is not None and (inner := _changes_in(right)):
        if inner[0] is not right and inner[0].id != right.id:
            return {**state, name: None}
        state = _assigned(right, state, place)  # `a = b = 4`
        other = _changed_name(right)
        text = source.text_of(other) if other is not None else ""
    value = folded(text, node, state, place) if text else None
    variable, _, member = name.partition(".")
    words = place.moved(node.start_byte).declared_words(variable)[0]
    kind = ELEMENTS.get(words) if member else type_of_words(words.split(), place)
    return {**state, name: None if kind is None else c_types.convert(value, kind)}


def step_text(node: Node, place: Environment) -> str:
    """What an assignment or step gives its target, as an expression: `n *= 2` is `(n) * (2)`."""
    source = place.file.source
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator is not None else "="
    if node.type == "update_expression":
        target = node.child_by_field_name("argument")
        return f"({source.text_of(target)}) {sign[:1]} 1" if target is not None else ""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return ""
    if sign == "=":
        return source.text_of(right)
    return f"({source.text_of(left)}) {sign[:-1]} ({source.text_of(right)})"


def _declared(node: Node, state: State, place: Environment) -> State:
    """The state behind a declaration inside the loop."""
    kind = node.child_by_field_name("type")
    words = place.file.source.text_of(kind) if kind is not None else ""
    type_ = type_of_words(words.split(), place)
    for child in node.children_by_field_name("declarator"):
        value = child.child_by_field_name("value")
        inner = child.child_by_field_name("declarator") if value is not None else child
        if inner is None or inner.type != "identifier":
            continue
        name = place.file.source.text_of(inner)
        if value is None or _changes_in(value):
            state = {**state, name: None}
            continue
        found = folded(place.file.source.text_of(value), value, state, place)
        if words != "auto":
            found = None if type_ is None else c_types.convert(found, type_)
        state = {**state, name: found}
    return state
