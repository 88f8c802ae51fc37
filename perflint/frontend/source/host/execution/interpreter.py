"""Host statements run one after the other, with text and numbers: what a loop over options does.

Functions that are called are run, too. What cannot be followed is `UNKNOWN`, and so is all that a
branch on it may change. Nothing but text, numbers, and what is made of them is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution.run_state import (
    BrokenError,
    ContinuedError,
    Frame,
    ReturnedError,
    StoppedError,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.values.evaluator import TEXT, Evaluator
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node


class Interpreter(Evaluator):
    """One run of some statements."""

    def run(self, node: Node, frame: Frame) -> None:
        """Run a statement. Raises StoppedError where the program ends, or too much is done."""
        self._enter()
        try:
            self._run(node, node.type, frame)
        finally:
            self._nested -= 1

    def _run(self, node: Node, kind: str, frame: Frame) -> None:
        if kind in ("compound_statement", "case_statement", "else_clause", "try_statement"):
            for each in parts_of_block(node):
                self.run(each, frame)
        elif kind == "expression_statement":
            for each in children_of(node):
                self.value(each, frame)
        elif kind == "declaration":
            self._declare(node, frame)
        elif kind == "if_statement":
            self._branch(node, frame)
        elif kind in ("for_statement", "while_statement", "do_statement"):
            self._loop(node, frame)
        elif kind == "for_range_loop":
            self._go_through(node, frame)
        elif kind == "switch_statement":
            self._switch(node, frame)
        elif kind == "break_statement":
            raise BrokenError
        elif kind == "continue_statement":
            raise ContinuedError
        elif kind == "return_statement":
            found = children_of(node)
            raise ReturnedError(self.value(found[0], frame) if found else None)
        elif kind not in ("comment", ";", "using_declaration", "catch_clause"):
            raise StoppedError

    def _declare(self, node: Node, frame: Frame) -> None:
        source = frame.place.file.source
        words = source.text_of(node.child_by_field_name("type")).split() or [""]  # type: ignore[arg-type]
        for child in node.children_by_field_name("declarator"):
            value, name = child.child_by_field_name("value"), child
            while (inner := name.child_by_field_name("declarator")) is not None:
                name = inner
            if child.type == "array_declarator" or name.type != "identifier":
                named = children_of(name)
                name = named[0] if named and name.type == "reference_declarator" else name
            given: Any = "" if TEXT.search(words[-1]) else UNKNOWN
            if value is not None and value.type == "argument_list":
                parts = children_of(value)
                given = self.value(parts[0], frame) if len(parts) == 1 else UNKNOWN
                if "vector" in words[0] and len(parts) == 2:
                    first = self.value(parts[0], frame)
                    given = list(first) if isinstance(first, list) else UNKNOWN
            elif value is not None:
                made = child.child_by_field_name("declarator")
                is_alias = made is not None and made.type == "reference_declarator"
                alias = self._alias(value, frame) if is_alias else None
                given = alias or self.value(value, frame)
            frame.held[source.text_of(name)] = given

    def _branch(self, node: Node, frame: Frame) -> None:
        arm: Node | None = node
        while arm is not None and arm.type == "if_statement":  # a chain of many is no deep one
            holds = self._truth(arm.child_by_field_name("condition"), frame)
            if holds is UNKNOWN:
                self._forget(arm, frame)
                return
            arm = arm.child_by_field_name("consequence" if holds else "alternative")
            inside = children_of(arm) if arm is not None and arm.type == "else_clause" else []
            arm = inside[0] if len(inside) == 1 else arm
        if arm is not None:
            self.run(arm, frame)

    def _loop(self, node: Node, frame: Frame) -> None:
        start, update = (node.child_by_field_name(f) for f in ("initializer", "update"))
        condition, body = (node.child_by_field_name(f) for f in ("condition", "body"))
        if start is not None:
            self.run(start, frame) if start.type == "declaration" else self.value(start, frame)
        first = node.type == "do_statement"
        while True:
            holds = True if condition is None or first else self._truth(condition, frame)
            first = False
            if holds is UNKNOWN:
                self._forget(node, frame)
                return
            if not holds:
                return
            try:
                if body is not None:
                    self.run(body, frame)
            except BrokenError:
                return
            except ContinuedError:
                pass
            if update is not None:
                self.value(update, frame)

    def _go_through(self, node: Node, frame: Frame) -> None:
        over = self.value(node.child_by_field_name("right"), frame)
        declarator, body = (node.child_by_field_name(f) for f in ("declarator", "body"))
        if not isinstance(over, list) or declarator is None or body is None:
            self._forget(node, frame)
            return
        name = frame.place.file.source.text_of(declarator).lstrip("& ")
        for each in over:
            frame.held[name] = each
            try:
                self.run(body, frame)
            except BrokenError:
                return
            except ContinuedError:
                continue

    def _switch(self, node: Node, frame: Frame) -> None:
        asked = self._asked(node.child_by_field_name("condition"), frame)
        body = node.child_by_field_name("body")
        cases = [c for c in children_of(body) if c.type == "case_statement"] if body else []
        if asked is UNKNOWN:
            self._forget(node, frame)
            return
        labels = [c.child_by_field_name("value") for c in cases]
        values = [UNKNOWN if label is None else self.value(label, frame) for label in labels]
        if any(v is UNKNOWN and label is not None for v, label in zip(values, labels, strict=True)):
            self._forget(node, frame)
            return
        default = next((i for i, label in enumerate(labels) if label is None), len(cases))
        first = next((i for i, v in enumerate(values) if v is not UNKNOWN and v == asked), default)
        try:
            for case in cases[first:]:
                self.run(case, frame)
        except BrokenError:
            return


def parts_of_block(node: Node) -> Iterator[Node]:
    """The statements of a block, a case or an arm."""
    label = node.child_by_field_name("value") if node.type == "case_statement" else None
    for each in children_of(node):
        if label is None or each.start_byte != label.start_byte:
            yield each
