"""What a run notes of the expressions that it reads: what each was in each statement.

An expression that was the same in a statement whenever that ran is known there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.arithmetic import Arithmetic
from perflint.frontend.source.host.execution.arrivals import Activations, Arrivals
from perflint.frontend.source.host.execution.effects import ALL, Effects
from perflint.frontend.source.host.execution.launch_turns import TurnCounter
from perflint.frontend.source.host.execution.run_state import Frame, Lambda, Visit
from perflint.frontend.source.host.execution.symbol_copies import SymbolCopies, copy_of
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Call, Callee, Record
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.language.c_types import ELEMENTS
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.project.sight import Project

MOST_SEEN = 64  #: numbers of one expression in one statement that are kept
_NOTHING: Final = object()
_PLAIN_INDICES = frozenset({"identifier", "number_literal"})  #: that may be read once more
_ELEMENT = pattern(r"\[\d+\](?:\.[xyz])?\Z")  #: what `_saw_element` keeps
#: What statements, and the parts of heads, stand in.
_AROUND = frozenset(
    [
        "compound_statement",
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "case_statement",
        "else_clause",
        "for_range_loop",
        "try_statement",
        "labeled_statement",
        "lambda_expression",
        "function_definition",
        "field_declaration_list",
        "declaration_list",
        "translation_unit",
        "field_initializer_list",
    ]
)
#: By file and text, what an expression was in each statement, by its bytes: a number, UNKNOWN, or
#: several of these; None where they are too many to be kept.
Read = dict[tuple[str, str], dict[tuple[int, int], Any]]


class Noting(Arithmetic):
    """What is read is noted; `Reading` reads."""

    def __init__(self, words: Sequence[str], project: Project) -> None:
        super().__init__(words, project, Session(project, resigned=True, executing=True))
        self.read: Read = {}
        self.launches = TurnCounter()
        self.arrivals = Arrivals()
        self.copies = SymbolCopies()
        self._running = Activations()
        self._calling: list[tuple[str, int] | None] = []  #: the calls whose functions run
        self._launching: list[tuple[str, Any]] | None = None  #: what the launch at hand reads
        self._noted: dict[tuple[str, str, tuple[int, int]], int] = {}  #: steps left at the last
        self._open: set[tuple[int, int, str]] = set()  #: fields of launches that were not known
        self._places: dict[tuple[int, int, int], tuple[str, str, tuple[int, int]]] = {}
        self._turning = 0  #: loops that run one turn for all that are left

    def _saw(self, node: Node, value: Any, frame: Frame) -> None:
        if self._muted or isinstance(value, (str, list, Lambda, Callee)):
            return
        if isinstance(value, Record) and value.class_ in ELEMENTS:
            for axis in "xyz":
                self._note(node, f".{axis}", value[axis], frame)
        elif isinstance(value, (int, float)) or value is UNKNOWN:
            self._note(node, "", value, frame)

    def _saw_fields(self, node: Node, value: Any, frame: Frame, path: str = "") -> None:
        """What a launch copies of a structure: nobody else names its fields where it stands.

        Of a field that is not known each time the source has the word.
        """
        if self._muted or not isinstance(value, Record) or value.class_ in ELEMENTS:
            return
        for name, held in value.items():
            field = f"{path}.{name}"
            key = id(frame.place.file), node.start_byte, field
            if held is UNKNOWN:
                self._open.add(key)
                self._forget_note(node, field, frame)
            elif not isinstance(held, (int, float)):
                self._saw_fields(node, held, frame, field)
            elif key not in self._open:
                self._note(node, field, held, frame)

    def _saw_element(self, node: Node, value: Any, frame: Frame) -> None:
        """What a launch takes from a table, by its indices: `grid[0][1]` of `grid[axis][i]`.

        A launch that is come to several times takes another element each time.
        """
        source, indices = frame.place.file.source, ""
        at: Node | None = node
        while at is not None and at.type == "subscript_expression":
            listed = at.child_by_field_name("indices") or at.child_by_field_name("index")
            parts = children_of(listed)
            index = parts[0] if len(parts) == 1 else listed
            if index is None or index.type not in _PLAIN_INDICES:
                return
            key = self.value(index, frame)
            if not isinstance(key, int):
                return
            indices = f"[{key}]{indices}"
            at = at.child_by_field_name("argument")
        if not indices or self._muted or at is None or at.type != "identifier":
            return
        is_vector = isinstance(value, Record) and value.class_ in ELEMENTS
        held = {f".{axis}": value[axis] for axis in "xyz"} if is_vector else {"": value}
        for axis, number in held.items():
            if isinstance(number, (int, float)) or number is UNKNOWN:
                text = f"{source.text_of(at)}{indices}{axis}"
                self._keep(str(frame.place.file.path), text, _statement(node), number)

    def _forget_note(self, node: Node, axis: str, frame: Frame) -> None:
        text = spelled(frame.place.file.source.text_of(node)) + axis
        self.read.get((str(frame.place.file.path), text), {}).pop(_statement(node), None)
        self._noted.pop((str(frame.place.file.path), text, _statement(node)), None)

    def _note(self, node: Node, axis: str, value: Any, frame: Frame) -> None:
        file = frame.place.file
        key = (id(file), node.start_byte, node.end_byte)
        if key not in self._places:
            text = spelled(file.source.text_of(node))
            self._places[key] = str(file.path), text, _statement(node)
        path, text, where = self._places[key]
        self._keep(path, text + axis, where, value)

    def _keep(self, path: str, text: str, where: tuple[int, int], value: Any) -> None:
        held = self.read.setdefault((path, text), {})
        self._noted[path, text, where] = self._left
        self._running.noted[path, text, where] = value
        if self._launching is not None:
            self._launching.append((text, value))
        known = held.get(where, _NOTHING)
        if known is value:
            return
        seen = known if isinstance(known, frozenset) else frozenset((known,))
        if value is UNKNOWN and self._turning and UNKNOWN not in seen:
            held[where] = None  # what it is in another turn
        elif known is _NOTHING:
            held[where] = value
        elif known is not None and value not in seen:
            held[where] = seen | {value} if len(seen) < MOST_SEEN else None

    def _begins_launch(self) -> None:
        self._launching = []

    def _launched(self, node: Node, frame: Frame) -> None:
        own, self._launching = tuple(self._launching or ()), None
        if self._muted:
            return
        launch = str(frame.place.file.path), node.start_byte
        self.launches.came(*launch, self._is_doubtful)
        if own:
            self.arrivals.add(launch, own, self._running)

    @property
    def _is_doubtful(self) -> bool:
        """Whether what runs now may not run in the program."""
        return self.perhaps > self._turning or bool(self.unsure or self.loose)

    def _copied_to_symbol(self, node: Node, values: Sequence[Any], frame: Frame) -> None:
        """What a call copies to a device variable."""
        if not self._muted:
            copy = None if self._is_doubtful else copy_of(values, frame.place)
            self.copies.add((str(frame.place.file.path), node.start_byte), self._left, copy)

    def _ran(self, body: Node, frame: Call, handed: Sequence[Any], effects: Effects = ALL) -> Any:
        function = frame.place.function
        called = self._calling[-1] if self._calling else None
        self._running.enter(None if function is None else function.node.id, called)
        self._calling.append(None)
        try:
            return super()._ran(body, frame, handed, effects)
        finally:
            self._calling.pop()
            self._running.leave()

    def doubt_since(self, left: int) -> None:
        """Doubt what was read since so many steps were left."""
        for (path, text, where), then in self._noted.items():
            if then <= left:
                del self.read[path, text][where]
        self.copies.doubt_since(left)

    def doubt_before(self, visit: Visit) -> None:
        """Doubt what was read in statements before they were come to again, but for elements."""
        for (path, text, where), then in self._noted.items():
            inside = path == visit.path and visit.start <= where[0] < visit.end
            if inside and then > visit.left and not _ELEMENT.search(text):
                self.read[path, text][where] = None
        self.copies.doubt_before(visit)


def spelled(text: str) -> str:
    """An expression's text as it is known by: members of the own object by their names."""
    words = "".join(text.split()).removeprefix("this->").removeprefix("(*this).")
    return words.replace("->", ".")


def _statement(node: Node) -> tuple[int, int]:
    """The bytes of the statement, or of the part of a branch's or loop's head, around a node."""
    around = node.parent
    while around is not None and around.type not in _AROUND:
        node, around = around, around.parent
    return node.start_byte, node.end_byte
