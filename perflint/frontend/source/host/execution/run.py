"""One run of a program from `main` on: its statements, and what is read in it.

What cannot be followed is UNKNOWN, and so is all that may hang on it: what either arm of a branch
may write, what a loop writes whose turns are too many, what a function that is not in sight is
given to write to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution.interpreter import parts_of_block
from perflint.frontend.source.host.execution.loops import Loops
from perflint.frontend.source.host.execution.nth_turn import period_of
from perflint.frontend.source.host.execution.reading import STEPS
from perflint.frontend.source.host.execution.run_state import (
    WAYS_OUT,
    BrokenError,
    ContinuedError,
    EndedError,
    Frame,
    JumpedError,
    ReturnedError,
    StoppedError,
    Visit,
    until_stopped,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Call, Cells
from perflint.frontend.source.language.declarations import call_of
from perflint.frontend.source.language.every_way import ends_program
from perflint.frontend.source.language.model import Turns
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.files import File


MOST_AHEAD = 200  #: functions that are looked for behind the place where a run stops
_NOTHING = (
    *("comment", ";", "using_declaration", "alias_declaration", "type_definition", "catch_clause"),
    *("struct_specifier", "class_specifier", "enum_specifier", "static_assert_declaration"),
    *("delete_expression", "preproc_call", "preproc_def", "preproc_include", "empty_statement"),
)
_SCOPES = ("compound_statement", "for_statement", "for_range_loop", "if_statement",
           "while_statement", "switch_statement")  # fmt: skip


class Run(Loops):
    """One run."""

    def go(self, near: Environment, file: File) -> None:
        """Run the program whose `main` is in a file, as far as it goes; `near`: some place."""
        found = [f for f in file.declarations.by_name.get("main", ()) if not f.method]
        if len(found) != 1 or found[0].body is None:
            return
        function = found[0]
        place = near.under(self.session).elsewhere(file, function.node.start_byte)
        held = Cells()
        given: list[Any] = [len(self.words) + 1, ["", *self.words]]
        for parameter, value in zip(function.parameters, given, strict=False):
            held[parameter.name] = value
        self._running.enter(function.node.id, None)
        try:
            self.run(function.body, Call(place, held))  # type: ignore[arg-type]
        except (EndedError, ReturnedError):
            return
        except (StoppedError, RecursionError):
            self.doubt_since(max(self._loops, default=0))  # their other turns are not seen
            for visit in (*self._visits, *self._ahead()):
                self.doubt_before(visit)  # what it reads this time is not seen
            self._left_out()

    def _ahead(self) -> Iterator[Visit]:
        """The functions that are yet to be called, as the text has it, where the run stops."""
        seen: set[str] = set()
        waiting = self._behind
        while waiting and len(seen) < MOST_AHEAD:
            file, node = waiting.pop()
            for call in self._parts(node, file, ("call_expression",)):
                called = call_of(file.source, call)
                if called is None or called.name in seen:
                    continue
                seen.add(called.name)
                for there in file.family:
                    for found in there.declarations.by_name.get(called.name, ()):
                        if found.body is not None:
                            body = found.body
                            yield Visit(str(there.path), body.start_byte, body.end_byte, 0)
                            waiting.append((there, body))

    def _run(self, node: Node, kind: str, frame: Frame) -> None:
        if kind in _SCOPES:
            with self._scope(frame):
                self._run_inside(node, kind, frame)
        else:
            self._run_inside(node, kind, frame)

    def _one_by_one(self, statements: Sequence[Node], frame: Frame) -> None:
        """The statements of a block, among which `goto` may jump."""
        if not statements:
            return
        span = statements[0].start_byte, statements[-1].end_byte
        visit = Visit(str(frame.place.file.path), *span, self._left)
        at = 0
        with until_stopped(self._visits, visit):
            while at < len(statements):
                try:
                    self.run(statements[at], frame)
                    at += 1
                except JumpedError as jump:
                    labels = [
                        _label(s, frame) if s.type == "labeled_statement" else ""
                        for s in statements
                    ]
                    if jump.label not in labels:
                        raise
                    at = labels.index(jump.label)
                except WAYS_OUT:
                    raise
                except StoppedError:
                    self._behind += [(frame.place.file, each) for each in statements[at + 1 :]]
                    raise

    def _may_jump(self, label: str, node: Node, frame: Frame) -> None:
        """`goto` where nobody can tell whether it is reached: to what stands further below."""
        body = _body(frame)
        targets = (
            [] if body is None else self._parts(body, frame.place.file, ("labeled_statement",))
        )
        ahead = any(t.start_byte > node.start_byte for t in targets if _label(t, frame) == label)
        if body is None or not ahead:
            self.doubt_since(STEPS)  # what was read so far is read again
            raise StoppedError
        self._jumps.add((body.id, label))
        self.unsure = True

    def _run_inside(self, node: Node, kind: str, frame: Frame) -> None:
        if kind == "throw_statement":
            raise EndedError
        if kind == "goto_statement":
            raise JumpedError(_label(node, frame))
        if kind == "labeled_statement":
            body = _body(frame)
            if body is not None and (body.id, _label(node, frame)) in self._jumps:
                self._forget(body, frame)
            for each in children_of(node)[1:]:
                self.run(each, frame)
        elif kind in ("compound_statement", "case_statement"):
            self._one_by_one(list(parts_of_block(node)), frame)
        elif kind == "ERROR" or kind.startswith("preproc_"):
            self._forget(node, frame)
        elif kind not in _NOTHING:
            super()._run(node, kind, frame)

    def _branch(self, node: Node, frame: Frame) -> None:
        first = node.child_by_field_name("initializer")
        if first is not None:
            self.run(first, frame)
        condition = node.child_by_field_name("condition")
        holds = self._truth(condition, frame)
        if condition is not None:
            self._saw(condition, holds, frame)
        arms = [node.child_by_field_name(f) for f in ("consequence", "alternative")]
        if holds is not UNKNOWN:
            arm, other = arms if holds else reversed(arms)
            self.chosen += not self._is_data(other, frame)
            if arm is not None:
                try:
                    self.run(arm, frame)
                except ContinuedError:
                    self.chosen += 1  # what is behind it is its other arm
                    raise
            return
        arm, other = arms
        if arm is not None:
            with self.launches.turn(lambda: self._of_turns(condition, frame)):
                self._either([arm], frame)
        if other is not None:
            self._either([other], frame)

    def _of_turns(self, condition: Node | None, frame: Frame) -> Turns:
        """In what part of the turns that one stands for a condition holds."""
        source = frame.place.file.source

        def value(node: Node) -> Any:
            return self.value(node, frame)

        self._muted += 1
        found = [
            each.share(period_of(condition, each.counter, source, value))
            for each in self._counted
            if each.frame is frame
        ]
        self._muted -= 1
        return min(found, key=lambda turns: turns.most, default=Turns())

    def _either(self, arms: Sequence[Node], frame: Frame) -> None:
        """Arms of which nobody can tell whether they run: what they may change is not known."""
        for arm in arms:
            if (way := _leaves(arm, frame)) == "ends":
                self._pass_over(arm, frame)
                continue  # the program goes on where this is not so
            if way == "returns":
                self.unsure = True
                self._pass_over(arm, frame)
                continue
            try:
                with self.in_doubt(True):
                    self.run(arm, frame)
            except (BrokenError, ContinuedError):
                self.loose = True
            except ReturnedError:
                self.unsure = True
            except JumpedError as jump:
                self._may_jump(jump.label, arm, frame)
            except EndedError:
                pass
            self._forget(arm, frame)

    def _switch(self, node: Node, frame: Frame) -> None:
        asked = self._asked(node.child_by_field_name("condition"), frame)
        if asked is not UNKNOWN:
            super()._switch(node, frame)
            return
        body = node.child_by_field_name("body")
        before, self.loose = self.loose, False
        self._either([c for c in children_of(body) if c.type == "case_statement"], frame)
        self.loose = before


def _body(frame: Frame) -> Node | None:
    """Of the function that runs."""
    return frame.place.function.body if frame.place.function is not None else None


def _label(node: Node, frame: Frame) -> str:
    """What a `goto`, or a statement, is labelled."""
    label = node.child_by_field_name("label")
    return "" if label is None else frame.place.file.source.text_of(label)


def _leaves(arm: Node, frame: Frame) -> str:
    """How an arm leaves: it `ends` the program, `returns`, or not at all ("")."""
    body = children_of(arm) if arm.type in ("compound_statement", "else_clause") else [arm]
    last = body[-1] if body else None
    if last is None:
        return ""
    if last.type in ("compound_statement", "else_clause"):
        return _leaves(last, frame)
    if last.type == "throw_statement":
        return "ends"
    if last.type == "return_statement":
        function = frame.place.function
        in_main = function is not None and function.name == "main" and frame.around is None
        return "ends" if in_main else "returns"
    if last.type == "expression_statement" and children_of(last):
        return "ends" if ends_program(last, frame.place.file.source) else ""
    return ""
