"""What is done in every n-th turn of a loop alone: `if (step % 100 == 0)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.body_writes import operator_of
from perflint.frontend.source.language.model import Turns
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.execution.run_state import Frame
    from perflint.frontend.source.language.trees import Source

#: A step by one, of the only counter that a loop's head steps.
_BY_ONE = pattern(r"\s*(?:(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--|[+-]=\s*1))\s*")
#: What may give a counter another value in a body, or hide it there.
WRITING = ("assignment_expression", "update_expression", "init_declarator", "pointer_expression")
_WRITTEN = ("left", "argument", "declarator")
_AROUND = ("condition_clause", "parenthesized_expression")


@dataclass(frozen=True, eq=False)
class Counted:
    """The turns of a loop that one stands for, and what counts them."""

    counter: str
    turns: float
    frame: Frame

    def share(self, period: int) -> Turns:
        """What part of the turns one in so many is: there may be one more than divides them."""
        return Turns(0, math.ceil(self.turns / period) / self.turns)


def counter_of(update: Node | None, writing: list[Node], source: Source) -> str:
    """What a loop's head steps by one, if nothing in its body writes it; else ""."""
    step = _BY_ONE.fullmatch(source.text_of(update)) if update is not None else None
    name = (step[1] or step[2]) if step else ""
    for each in writing:
        places = (each.child_by_field_name(field) for field in _WRITTEN)
        if name in [source.text_of(place) for place in places if place is not None]:
            return ""
    return name


def period_of(
    condition: Node | None, counter: str, source: Source, value: Callable[[Node], Any]
) -> int:
    """In how many steps of a counter a condition holds once at most; 1: nobody can tell.

    `value` is what an expression has in every turn, no whole number where that is not known.
    """
    return max((_period(e, counter, source, value) for e in _conjuncts(condition)), default=1)


def _conjuncts(node: Node | None) -> Iterator[Node]:
    node = _inside(node)
    if node is not None and node.type == "binary_expression" and operator_of(node) == "&&":
        for side in ("left", "right"):
            yield from _conjuncts(node.child_by_field_name(side))
    elif node is not None:
        yield node


def _inside(node: Node | None) -> Node | None:
    while node is not None and node.type in _AROUND and len(children_of(node)) == 1:
        node = children_of(node)[0]
    return node


def _period(node: Node, counter: str, source: Source, value: Callable[[Node], Any]) -> int:
    sides: list[Node | None] = []
    if node.type == "unary_expression" and operator_of(node) == "!":
        sides = [node.child_by_field_name("argument")]
    elif node.type == "binary_expression" and operator_of(node) == "==":
        left, right = (_inside(node.child_by_field_name(side)) for side in ("left", "right"))
        sides = [s for s, other in ((left, right), (right, left)) if other and _whole(value(other))]
    for side in map(_inside, sides):
        if side is None or side.type != "binary_expression":
            continue
        counted, by = (_inside(side.child_by_field_name(each)) for each in ("left", "right"))
        if counted is None or by is None or not _steps(counted, counter, source, value):
            continue
        number = value(by)
        if operator_of(side) == "%" and _whole(number) and number:
            return abs(int(number))
        if operator_of(side) == "&" and _whole(number) and number > 0 and not number & (number + 1):
            return int(number) + 1
    return 1


def _steps(node: Node, counter: str, source: Source, value: Callable[[Node], Any]) -> bool:
    """Whether an expression steps by one with a counter: `i`, or `i + 1`."""
    if node.type != "binary_expression" or operator_of(node) not in ("+", "-"):
        return source.text_of(node) == counter
    left, right = (_inside(node.child_by_field_name(side)) for side in ("left", "right"))
    if left is None or right is None:
        return False
    mine, other = (left, right) if source.text_of(left) == counter else (right, left)
    return source.text_of(mine) == counter and _whole(value(other))


def _whole(number: Any) -> bool:
    return isinstance(number, int)
