"""Whether every way through statements passes one of some places, where it goes on behind them.

`if (a) n = 1; else if (b) n = 2; else exit(1);` sets n, whatever a and b are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: Functions that do not come back: C's and C++'s, MPI's, the compiler's, and what programs call
#: the one that prints how to run them.
_ENDS = frozenset(
    {"exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "MPI_Abort", "usage"}
    | {"__builtin_unreachable", "__builtin_trap"}
)


def is_passed(node: Node, places: Collection[int], source: Source) -> bool:
    """Whether every way that goes on behind a statement passes one of the places (offsets)."""
    if node.type == "compound_statement":
        return any(is_passed(each, places, source) for each in children_of(node))
    if node.type == "if_statement":
        arms = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        return all(arm is not None and is_passed(arm, places, source) for arm in arms)
    if node.type == "else_clause":
        return any(is_passed(each, places, source) for each in children_of(node))
    if node.type == "switch_statement":
        body = node.child_by_field_name("body")
        cases = [c for c in children_of(body) if c.type == "case_statement"]
        return _is_passed_by_cases(cases, places, source)
    if node.type in ("return_statement", "throw_statement"):
        return True
    if node.type not in ("expression_statement", "declaration"):
        return False
    return ends_program(node, source) or any(node.start_byte <= at < node.end_byte for at in places)


def _is_passed_by_cases(cases: Sequence[Node], places: Collection[int], source: Source) -> bool:
    """As `is_passed`, of a switch: one of its cases is `default`, and each is passed by itself, or
    falls through to one that is.
    """
    if all(case.child_by_field_name("value") is not None for case in cases):
        return False
    behind = False
    for case in reversed(cases):
        inside = children_of(case)
        falls = not any(each.type == "break_statement" for each in _plain(inside))
        own = any(is_passed(each, places, source) for each in inside)
        behind = own or (falls and behind)
        if not behind:
            return False
    return True


def _plain(nodes: Sequence[Node]) -> list[Node]:
    """Statements with those of the blocks that stand among them."""
    found: list[Node] = []
    for node in nodes:
        found += _plain(children_of(node)) if node.type == "compound_statement" else [node]
    return found


def ends_program(node: Node, source: Source) -> bool:
    """Whether a statement is a call that does not come back."""
    inner = children_of(node)[:1] if node.type == "expression_statement" else []
    called = inner[0].child_by_field_name("function") if inner else None
    return called is not None and does_not_return(source.text_of(called))


def does_not_return(function: str) -> bool:
    """Whether a function of this name (`std::exit`) ends the program."""
    return function.rsplit("::", 1)[-1] in _ENDS
