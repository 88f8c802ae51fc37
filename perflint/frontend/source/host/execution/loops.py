"""How a run goes round loops: turn by turn, or one turn for all that are left."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.declaring import Declaring
from perflint.frontend.source.host.execution.launch_turns import uncounted
from perflint.frontend.source.host.execution.nth_turn import WRITING, Counted, counter_of
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    BrokenError,
    ContinuedError,
    Frame,
    Reference,
    until_stopped,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, Record, Table, copied
from perflint.frontend.source.language.model import Turns
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.project.sight import Project

TURNS, LATER_TURNS = 100, 2  #: of one loop; and where it has gone on for longer before
MOST_TURNS = 2000  #: of a loop that a small part of the steps that are left is enough for
FEW = 8  #: turns of a loop that are all run where no more are left
_SHARE = 8  #: of the steps that are left, the part that a loop may have without more ado
_NESTED = 2  #: loops around each other whose turns are reckoned with
COUNTED = 64  #: turns of a loop of which only the head is run
_STEPS = ("assignment_expression", "update_expression")
#: A loop's step that is the same in every turn.
_STEADY = pattern(r"\s*(?:\+\+|--)?\s*\w+\s*(?:\+\+|--|[+-]=\s*\w+)?\s*")
_LEAVING = ("break_statement", "return_statement", "goto_statement", "throw_statement")
#: A condition that calls nothing and writes nothing.
_COMPARED = pattern(r"\s*\w+\s*(?:[<>]=?|!=)\s*[\w\s.*+-]*(?<![+-])\s*")


class Loops(Declaring):
    """Loops; `Run` has the other statements."""

    def __init__(self, words: Sequence[str], project: Project) -> None:
        super().__init__(words, project)
        self._idle: dict[tuple[int, int], bool] = {}  #: whether loops launch nothing

    @contextmanager
    def _turns(self) -> Iterator[None]:
        """A loop: where the run stops in it, what it read there is of some turns only."""
        with until_stopped(self._loops, self._left):
            yield

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
        fed, reads = self.fed, False
        for turn in range(MOST_TURNS + 1):
            holds = True if condition is None or first else self._truth(condition, frame)
            first = False
            if holds is not UNKNOWN and not holds:
                break
            # one that reads a file ends where that does
            reads, fed = self.fed != fed and (began - self._left) * 2 < began, self.fed
            if turn == most == TURNS:
                most += (
                    MOST_TURNS
                    if reads
                    else self._affordable(far, began, self._distance(condition, frame))
                )
            if turn > 1 and not reads and self._is_dear(node, far, began, frame):
                most = min(most, turn)
            is_long = (began - self._left) * self._rounds() > self._left * turn
            if turn and not reads and is_long:
                most = min(most, turn)  # those around it need as many turns of it
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
            if turn == 1 and not reads and self._is_endless(node, far, frame):
                most = turn + 1  # it would not be run to its end anyway
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
                needed = (began - self._left) / 2 * left / pace
                if needed * 4 > self._left or not self._is_idle(node, frame):
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

    def _rounds(self) -> int:
        """How often a turn of the innermost loop is run at least, until those around it end.

        Each of them has two turns, and one for those that are left.
        """
        return int((LATER_TURNS + 1) ** min(len(self._loops), _NESTED))

    def _is_dear(self, node: Node, far: float, began: int, frame: Frame) -> bool:
        """Whether a loop has had its share of the steps: half of them is for what follows it.

        One that launches nothing has an eighth, or a quarter if that takes it to its end.
        """
        spent = began - self._left
        if spent * _SHARE <= began:
            return False
        if spent * 2 > began:
            return True
        left = self._distance(node.child_by_field_name("condition"), frame)
        needed = spent * left / (far - left) if 0 < left < far else math.inf
        return (spent + needed) * 4 > began and self._is_idle(node, frame)

    def _is_endless(self, node: Node, far: float, frame: Frame) -> bool:
        """Whether a loop, behind two turns, has too many left, launches nothing, and is not left
        before its end."""
        condition, update = (node.child_by_field_name(f) for f in ("condition", "update"))
        left = self._distance(condition, frame)
        step = frame.place.file.source.text_of(update) if update is not None else ""
        if not (_STEADY.fullmatch(step) and 0 < far - left < 2 * left / MOST_TURNS):
            return False
        leaves = self._parts(node, frame.place.file, _LEAVING)
        return not leaves and self._is_idle(node, frame)

    def _is_idle(self, node: Node, frame: Frame) -> bool:
        """Whether nothing is launched in a loop, nor in what it calls."""
        key = id(frame.place.file), node.start_byte
        if key not in self._idle:
            first = next(self._launches_in(node, frame.place.file, set()), None)
            self._idle[key] = first is None
        return self._idle[key]

    def _affordable(self, far: float, began: int, left: float) -> int:
        """How many turns more a loop may have, that has had TURNS: all that it needs, or none."""
        pace, spent = (far - left) / TURNS, (began - self._left) / TURNS
        more = int(left / pace) + 2 if pace > 0 and left > 0 else MOST_TURNS
        return more if more < MOST_TURNS - TURNS and more * spent < self._left / 4 else 0

    def _counters(
        self, start: Node | None, update: Node, frame: Frame
    ) -> dict[int, tuple[Reference, Any]]:
        """What a loop's head steps that outlives it, with what steps it, and the values there.

        None of them where the head calls something, or steps what is no place.
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
        known = all(isinstance(v, (int, float)) for v in values)
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
