"""One run of a program from `main` on: its statements, and what is read in it.

What cannot be followed is UNKNOWN, and so is all that may hang on it: what either arm of a branch
may write, what a loop writes whose turns are too many, what a function that is not in sight is
given to write to.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.calls import ENDS, EndedError
from perflint.frontend.source.host.execution.classes import methods
from perflint.frontend.source.host.execution.forgetting import Forgetting
from perflint.frontend.source.host.execution.interpreter import parts_of_block
from perflint.frontend.source.host.execution.launch_turns import uncounted
from perflint.frontend.source.host.execution.nth_turn import (
    WRITING,
    Counted,
    counter_of,
    period_of,
)
from perflint.frontend.source.host.execution.reading import STEPS
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    BrokenError,
    ContinuedError,
    Frame,
    JumpedError,
    Reference,
    ReturnedError,
    StoppedError,
    Visit,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Call,
    Cells,
    Record,
    Table,
    copied,
)
from perflint.frontend.source.language.declarations import call_of
from perflint.frontend.source.language.declarators import declarator_of, made_of
from perflint.frontend.source.language.model import Turns
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.files import File


TURNS, LATER_TURNS = 100, 2  #: of one loop; and where it has gone on for longer before
MOST_TURNS = 2000  #: of a loop that a small part of the steps that are left is enough for
FEW = 8  #: turns of a loop that are all run where no more are left
MOST_AHEAD = 200  #: functions that are looked for behind the place where a run stops
COUNTED = 64  #: turns of a loop of which only the head is run
_NOTHING = (
    *("comment", ";", "using_declaration", "alias_declaration", "type_definition", "catch_clause"),
    *("struct_specifier", "class_specifier", "enum_specifier", "static_assert_declaration"),
    *("delete_expression", "preproc_call", "preproc_def", "preproc_include", "empty_statement"),
)
_SCOPES = ("compound_statement", "for_statement", "for_range_loop", "if_statement",
           "while_statement", "switch_statement")  # fmt: skip
_STEPS = ("assignment_expression", "update_expression")
_NONE: Final = object()
_T = TypeVar("_T")
_WORDS = ("storage_class_specifier", "type_qualifier")  #: of a declaration, besides its type
_CONSTANT = {"const", "constexpr"}
#: A loop's step that is the same in every turn.
_STEADY = pattern(r"\s*(?:\+\+|--)?\s*\w+\s*(?:\+\+|--|[+-]=\s*\w+)?\s*")
_LEAVING = ("break_statement", "return_statement", "goto_statement", "throw_statement")
#: A condition that calls nothing and writes nothing.
_COMPARED = pattern(r"\s*\w+\s*(?:[<>]=?|!=)\s*[\w\s.*+-]*(?<![+-])\s*")


#: How control leaves statements where the run goes on, or the program has ended.
_WAYS_OUT = (ReturnedError, EndedError, BrokenError, ContinuedError, JumpedError)


@contextmanager
def _until_stopped(stack: list[_T], entry: _T) -> Iterator[None]:
    """What is on a stack while something runs, and stays there where the run stops in it."""
    stack.append(entry)
    try:
        yield
    except _WAYS_OUT:
        stack.pop()
        raise
    stack.pop()


class Run(Forgetting):
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

    @contextmanager
    def _turns(self) -> Iterator[None]:
        """A loop: where the run stops in it, what it read there is of some turns only."""
        with _until_stopped(self._loops, self._left):
            yield

    def _run(self, node: Node, kind: str, frame: Frame) -> None:
        if kind in _SCOPES:
            with self._scope(frame):
                self._run_inside(node, kind, frame)
        else:
            self._run_inside(node, kind, frame)

    @contextmanager
    def _turn(self, node: Node, frame: Frame, for_all: Turns | None) -> Iterator[None]:
        """One turn of a loop, which perhaps stands for all that are left."""
        stands_for_all = for_all is not None
        before, self._turning = self._turning, self._turning + stands_for_all
        counted = self._counted
        if for_all is not None and for_all.most < math.inf and not for_all.loops:
            update, body = (node.child_by_field_name(field) for field in ("update", "body"))
            file = frame.place.file
            name = counter_of(update, self._parts(body or node, file, WRITING), file.source)
            if name:
                self._counted = (*counted, Counted(name, for_all.most, frame))

        def times() -> Turns:
            last = uncounted(str(frame.place.file.path), node.start_byte)
            return for_all or (last if self.loose else Turns())

        try:
            with self.in_doubt(stands_for_all), self.launches.turn(times):
                yield
        finally:
            self._turning, self._counted = before, counted

    def _one_by_one(self, statements: Sequence[Node], frame: Frame) -> None:
        """The statements of a block, among which `goto` may jump."""
        if not statements:
            return
        span = statements[0].start_byte, statements[-1].end_byte
        visit = Visit(str(frame.place.file.path), *span, self._left)
        at = 0
        with _until_stopped(self._visits, visit):
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
                except _WAYS_OUT:
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

    @contextmanager
    def _scope(self, frame: Frame) -> Iterator[None]:
        """A block: what is declared in it hides what had the name, for as long as it lasts."""
        hidden: dict[str, Any] = {}
        self._hidden.append(hidden)
        kinds = frame.held.kinds if isinstance(frame.held, Cells) else {}
        try:
            yield
        finally:
            self._destroy([frame.held.get(name) for name in reversed(hidden)], frame)
            self._hidden.pop()
            for name, (value, kind) in hidden.items():
                frame.held.pop(name, None)
                kinds.pop(name, None)
                if isinstance(frame.held, Cells):
                    frame.held.constants.discard(name)
                if value is not _NONE:
                    dict.__setitem__(frame.held, name, value)
                    kinds |= {} if kind is None else {name: kind}

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

    def _declare(self, node: Node, frame: Frame) -> None:
        source = frame.place.file.source
        kind = node.child_by_field_name("type")
        written = source.text_of(kind) if kind is not None else ""
        if kind is not None and kind.child_by_field_name("body") is not None:
            written = self._named(kind, written, frame)
        words = {source.text_of(c) for c in node.children if not c.is_named or c.type in _WORDS}
        for child in node.children_by_field_name("declarator"):
            inner = child
            if child.type == "init_declarator":
                inner = child.child_by_field_name("declarator")  # type: ignore[assignment]
            value = child.child_by_field_name("value")
            if value is None and (given := made_of(node, child)) is not None:
                value, inner = given, inner.child_by_field_name("declarator")  # type: ignore[assignment]
            if value is None and inner.type == "function_declarator":
                continue
            bound = inner
            if inner.type == "reference_declarator" and children_of(inner):
                bound = children_of(inner)[0]
            if bound.type == "structured_binding_declarator":
                self._unpack(bound, self.value(value, frame), frame)
                continue
            name, pointers, reference, extents = declarator_of(inner)
            if name is None:
                continue
            text = source.text_of(name)
            if "static" in words:
                self._keep_static(text, written, pointers, extents, value, node, frame)
                continue
            if reference and value is not None:
                self._hold(text, None, self._alias_of(value, frame), frame)
                continue
            held = self._made(written, pointers, extents, value, frame)
            plain = not pointers and not extents
            kind_ = self._kind(written, frame.place) if plain else None
            constant = plain and isinstance(held, int | float) and bool(words & _CONSTANT)
            self._hold(text, kind_, held, frame, constant)

    def _destroy(self, values: Sequence[Any], frame: Frame) -> None:
        """The destructors of objects whose block ends."""
        for value in values:
            if isinstance(value, Record) and value.file is not None:
                name = f"~{value.class_}"
                found = methods(self.project, value.class_, name, 0, value.file)
                if len(found) == 1:
                    self._invoke(found[0], (), frame, value)

    def _named(self, type_: Node, written: str, frame: Frame) -> str:
        """The name of a structure that a declaration itself declares."""
        name = type_.child_by_field_name("name")
        if name is not None:
            return frame.place.file.source.text_of(name)
        if type_.type != "struct_specifier":
            return written
        ours = f"unnamed_{type_.start_byte}"
        self.unnamed[ours] = type_, frame.place
        return ours

    def _hold(self, name: str, kind: Any, value: Any, frame: Frame, constant: bool = False) -> None:
        kinds = frame.held.kinds if isinstance(frame.held, Cells) else {}
        if self._hidden and name not in self._hidden[-1]:
            self._hidden[-1][name] = frame.held.get(name, _NONE), kinds.get(name)
        if isinstance(frame.held, Cells):
            frame.held.declare(name, kind, value, constant)
        else:
            frame.held[name] = value

    def _keep_static(
        self,
        name: str,
        written: str,
        pointers: int,
        extents: Sequence[Node | None],
        value: Node | None,
        node: Node,
        frame: Frame,
    ) -> None:
        key = (str(frame.place.file.path), node.start_byte, name)
        function = frame.place.function
        if function is not None and function.template:  # each of its instances has one
            self._hold(name, None, UNKNOWN, frame)
        elif key not in self.globals:
            held = self._made(written, pointers, extents, value, frame)
            self.globals.declare(key, self._kind(written, frame.place) if not pointers else None,
                                 held)  # fmt: skip
        if key in self.globals:
            self._hold(name, None, Alias(self.globals, key), frame)

    def _unpack(self, names: Node, value: Any, frame: Frame) -> None:
        """`auto [a, b] = …`."""
        while isinstance(value, Reference):
            value = value.get()
        parts: list[Any] = []
        if isinstance(value, Record):
            parts = [value[member] for member in value]
        elif isinstance(value, Array):
            parts = [value[key] for key in value.items_in_order() or ()]
        listed = children_of(names)
        for index, each in enumerate(listed):
            one = copied(parts[index]) if len(parts) == len(listed) else UNKNOWN
            self._hold(frame.place.file.source.text_of(each), None, one, frame)

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

    def _loop(self, node: Node, frame: Frame) -> None:
        with self._turns():
            self._go_round(node, frame)

    def _go_round(self, node: Node, frame: Frame) -> None:
        start, update = (node.child_by_field_name(f) for f in ("initializer", "update"))
        condition, body = (node.child_by_field_name(f) for f in ("condition", "body"))
        stored = self.stored  # the loop's own counter is none of what its turns do
        if start is not None:
            self.run(start, frame) if start.type == "declaration" else self.value(start, frame)
        self.stored = stored
        key = (str(frame.place.file.path), node.start_byte)
        most = LATER_TURNS if key in self._long else TURNS
        first = node.type == "do_statement"
        before, self.loose = self.loose, False
        changed, left, counters = node, 0.0, dict[int, tuple[Reference, Any]]()
        far, began = self._distance(condition, frame), self._left
        for turn in range(MOST_TURNS + 1):
            holds = True if condition is None or first else self._truth(condition, frame)
            first = False
            if holds is not UNKNOWN and not holds:
                break
            if turn == most == TURNS:
                most += self._affordable(far, began, self._distance(condition, frame))
            if turn > 1 and self._left < began / 2:
                most = min(most, turn)  # what follows has the other half
            done = self.stored, self.chosen
            unsure = holds is UNKNOWN or turn == most or (condition is None and turn == 1)
            for_all = self._turns_left(node, turn, far, frame) if unsure else None
            if unsure:
                if changed is node:
                    self._long.add(key)
                self._forget(changed, frame)
            try:
                if body is not None:
                    with self._turn(node, frame, for_all):
                        self.run(body, frame)
            except BrokenError:
                break
            except ContinuedError:
                pass
            if unsure or self.loose:
                counters = {} if self.loose or changed is node else counters
                self._forget(node if self.loose else changed, frame)
                self._count_on(counters, condition, update, frame)
                break
            stored = self.stored
            if update is not None:
                self.value(update, frame)
            self.stored = stored
            if turn >= 2 or self.chosen != done[1]:
                continue
            if update and self.stored == done[0] and (turn == 1 or key in self._data):
                left = self._distance(condition, frame)
                if 0 < left * (turn + 1) <= FEW * (far - left):
                    continue
                self._data.add(key)  # its counter is all that its turns keep that is known
                changed, most, counters = update, turn + 1, self._counters(start, update, frame)
                continue
            earlier, left = left, self._distance(condition, frame)
            pace = earlier - left
            if turn == 1 and pace and left / pace > TURNS and pace <= far - earlier:
                most = turn + 1  # one that gets faster doubles: it ends soon
        self.loose = before

    def _turns_left(self, node: Node, turn: int, far: float, frame: Frame) -> Turns:
        """How often a loop goes round yet, after some turns in which its counter came nearer."""
        parts = (node.child_by_field_name(f) for f in ("condition", "update", "body"))
        condition, update, body = parts
        text = frame.place.file.source.text_of(update) if update is not None else ""
        left = self._distance(condition, frame)
        pace = (far - left) / turn if turn and _STEADY.fullmatch(text) else 0
        if not pace or left / pace <= 0:
            return uncounted(str(frame.place.file.path), node.start_byte)
        leaves = body is not None and self._parts(body, frame.place.file, _LEAVING)
        return Turns(1 if leaves else int(left / pace), int(left / pace) + 1)

    def _affordable(self, far: float, began: int, left: float) -> int:
        """How many turns more a loop may have, that has had TURNS: all that it needs, or none."""
        pace, spent = (far - left) / TURNS, (began - self._left) / TURNS
        more = int(left / pace) + 2 if pace > 0 and left > 0 else MOST_TURNS
        return more if more < MOST_TURNS - TURNS and more * spent < self._left / 4 else 0

    def _counters(
        self, start: Node | None, update: Node, frame: Frame
    ) -> dict[int, tuple[Reference, Any]]:
        """What a loop's head steps that outlives it, with what steps it, and the values there.

        None where there is nothing, or it calls something.
        """
        steps = self._parts(update, frame.place.file, _STEPS)
        own = start is not None and start.type == "declaration"
        if (own and len(steps) < 2) or self._parts(update, frame.place.file, ("call_expression",)):
            return {}
        found: dict[int, tuple[Reference, Any]] = {}
        for each in steps:
            field = "left" if each.type[0] == "a" else "argument"
            place = self._place(each.child_by_field_name(field), frame)
            if place is None:
                return {}
            while isinstance(value := place.get(), Alias):
                place = value
            found[each.id] = place, value
        return found

    def _count_on(
        self,
        counters: Mapping[int, tuple[Reference, Any]],
        condition: Node | None,
        update: Node | None,
        frame: Frame,
    ) -> None:
        """Take a loop's counters to its end, whose turns change nothing else that is known."""
        if not counters or update is None:
            return
        for place, value in counters.values():
            self._set(place, value, frame)
        self._muted += 1
        for _ in range(COUNTED):
            holds = self._truth(condition, frame)
            if holds is UNKNOWN or not holds:
                break
            self.value(update, frame)
        else:
            holds = UNKNOWN
        self._muted -= 1
        if holds is UNKNOWN:
            self._forget(update, frame)

    def _distance(self, condition: Node | None, frame: Frame) -> float:
        """What a loop's counter lacks to its bound; 0 where the condition is none of `i < n`."""
        while condition is not None and condition.type == "condition_clause":
            condition = next(iter(children_of(condition)), None)
        sides = [condition and condition.child_by_field_name(f) for f in ("left", "right")]
        if condition is None or condition.type != "binary_expression" or None in sides:
            return 0.0
        text = frame.place.file.source.text_of(condition)
        if not _COMPARED.fullmatch(text):
            return 0.0
        self._muted += 1
        values = [self.value(each, frame) for each in sides]
        self._muted -= 1
        known = all(isinstance(v, int | float) for v in values)
        return values[1] - values[0] if known else 0.0

    def _go_through(self, node: Node, frame: Frame) -> None:
        with self._turns():
            self._go_over(node, frame)

    def _go_over(self, node: Node, frame: Frame) -> None:
        over = self.value(node.child_by_field_name("right"), frame)
        while isinstance(over, Reference):
            over = over.get()
        declarator, body = (node.child_by_field_name(f) for f in ("declarator", "body"))
        if declarator is None or body is None:
            return
        places: list[Any] | None = None
        if isinstance(over, list):
            places = list(over)
        elif isinstance(over, Table) and not over.lost:
            places = []
            for name, held in over.items():
                pair = Record("pair", None)
                pair.update(first=name, second=held)
                places.append(pair)
        elif isinstance(over, Array) and (keys := over.items_in_order()) is not None:
            places = [Alias(over, k) for k in keys]
        letters = dict(enumerate(map(ord, over))) if isinstance(over, str) else None
        if letters is not None:
            places = [Alias(letters, at) for at in letters]
        by_reference = declarator.type == "reference_declarator"
        bound = children_of(declarator)[0] if by_reference else declarator
        name = frame.place.file.source.text_of(bound).lstrip("& ")
        type_ = None if by_reference else node.child_by_field_name("type")
        plain = type_ is not None and bound.type == "identifier"
        written = frame.place.file.source.text_of(type_) if plain and type_ is not None else ""
        kind = self._kind(written, frame.place) if written else None
        before, self.loose = self.loose, False
        unsure = places is None or len(places) > TURNS
        all_ = uncounted(str(frame.place.file.path), node.start_byte)
        if unsure:
            self._forget(body, frame)
        for each in [UNKNOWN] if unsure or places is None else places:
            if bound.type == "structured_binding_declarator":
                self._unpack(bound, each, frame)
            else:
                value = each if by_reference or not isinstance(each, Alias) else each.get()
                self._hold(name, kind, value if by_reference else copied(value), frame)
            try:
                with self._turn(node, frame, all_ if unsure else None):
                    self.run(body, frame)
            except BrokenError:
                break
            except ContinuedError:
                continue
            if unsure or self.loose:
                self._forget(body, frame)
                break
        self.loose = before
        if letters is not None and by_reference:
            codes = [] if unsure else [code for _, code in sorted(letters.items())]
            whole = [chr(code) for code in codes if isinstance(code, int) and code in range(256)]
            text = "".join(whole) if len(whole) == len(over) else UNKNOWN
            if text != over:
                self._put(node.child_by_field_name("right"), text, frame)

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
        call = children_of(last)[0]
        function_node = call.child_by_field_name("function")
        if call.type == "call_expression" and function_node is not None:
            name = frame.place.file.source.text_of(function_node).rpartition("::")[2]
            return "ends" if name in ENDS else ""
    return ""
