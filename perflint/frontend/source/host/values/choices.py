"""One evaluation of a launch, under one set of choices among what really happens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from perflint.base.records import dataclass
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.project.answers import OWN, Answer, Note
from perflint.frontend.source.project.callers import Entrance
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project

if TYPE_CHECKING:
    from perflint.frontend.source.host.execution.arrivals import Arrival

#: Look-ups one launch may cost; real ones need some dozens.
STEP_LIMIT = 3_000


DEPTH_LIMIT = 24

#: Alternatives of one choice that are looked at.
ALTERNATIVES = 24

Found = TypeVar("Found")


BRANCH = "branch"


#: The choice of the run of the program that a launch stands in, by its number.
RUN = ("run",)
#: The choice of the program that a launch stands in, by its `main`.
PROGRAM = "program"
#: The choice of the time that the program's run came to a launch.
ARRIVAL = "arrival"
#: That the program was told some variables, by function, without which it launches nothing.
UNSET = "unset"
#: Conditions that one launch may rest on before those in called functions are not asked for.
SUPPOSITIONS = 4


def is_branch(key: object) -> bool:
    """Whether a choice is about a condition: both may happen, but hardly equally often."""
    return isinstance(key, tuple) and key[:1] == (BRANCH,)


def _branch(function: object, text: str) -> object:
    return (BRANCH, function, "".join(text.split()))


class UndecidedError(Exception):
    """The answer needs a choice among several alternatives that all really happen."""

    def __init__(self, key: object, count: int, only: int | None = None) -> None:
        super().__init__(key, count, only)
        self.key, self.count = key, count
        self.only = only  #: the one that others, which are chosen already, leave


#: Answers to one question that are kept for other launches, under different choices.
_KEPT = 8


@dataclass
class Session:
    """One evaluation under one set of choices."""

    project: Project
    choices: Mapping[object, int] = field(default_factory=dict)
    pins: dict[tuple[object, str, object], Value] = field(default_factory=dict)
    answers: dict[object, Answer] = field(default_factory=dict)  #: by question
    entered: dict[int, Entrance] = field(default_factory=dict)  #: the calls that values came from
    #: what conditions that are not chosen are worth, for they stand around the launch
    presumed: dict[object, int] = field(default_factory=dict)
    stated: dict[str, bool] = field(default_factory=dict)  #: conditions that were chosen
    runs: dict[str, None] = field(default_factory=dict)  #: how the program is run, where that tells
    running: set[object] = field(default_factory=set)
    #: where each was asked for: (its text, the Environment there)
    asked: list[tuple[str, object]] = field(default_factory=list)
    invention: Invention | None = None  #: what stands for values that reading cannot tell
    steps: int = 0
    spare: bool = False  #: a dispatch macro's later type was chosen
    never: bool = False  #: choices that contradict each other
    asking: bool = True  #: conditions in functions that are called are choices: for blocks only
    bounding: bool = False  #: a known bound stands for `min(bound, unknown)`: for blocks, not grids
    answering: bool = True  #: conditions that hold as a GPU answers are looked for
    resigned: bool = False  #: what is not chosen is not known, and asked for no more
    deciding: bool = False  #: whether a branch is taken: what only its defaults tell does not say
    executing: bool = False  #: it is part of a run of the program: no other is asked
    launch: tuple[str, int] | None = None  #: what is evaluated, by its file and first byte
    mains: tuple[File, ...] = ()  #: those of the programs that come to it, where there are several
    left_out: int = 0  #: kernels that a chooser may return, beyond those that are read
    notes: list[Note] = field(default_factory=list)  #: what evaluation saw and told, in order
    cuts: int = 0  #: look-ups that a limit, or one that was running, stood in the way of

    def choose(self, key: object, count: int) -> int | None:
        """Which of `count` alternatives holds in this session; None if there are none.

        Raises UndecidedError where there are several and none is chosen yet.
        """
        self.note("choice", key, self.choices.get(key))
        if key in self.choices:
            index = self.choices[key]
            return index if self.invention is None else min(index, count - 1) if count else None
        if self.invention is not None:
            return min(self.presumed.get(key, 0), count - 1) if count else None
        if count > 1 and self.resigned:
            return None
        if count > 1:
            raise UndecidedError(key, count)
        return 0 if count == 1 else None

    def run(self) -> int | None:
        """The number of the program's run that was chosen; None for the first, if there is one."""
        self.note("choice", RUN, self.choices.get(RUN))
        return self.choices.get(RUN)

    def program(self) -> File | None:
        """The file with the `main` of the chosen program; None where it needs no choice."""
        index = self.choose((PROGRAM, *(f.path for f in self.mains)), len(self.mains))
        return None if index is None else self.mains[index]

    def arrival(self, among: Sequence[Arrival] = ()) -> Arrival | None:
        """The time that the run came to the launch that was chosen; else one is, `among` several.

        While values are invented, none is. Raises UndecidedError where one is to be chosen.
        """
        for key, index in self.choices.items():
            if isinstance(key, tuple) and key[0] == ARRIVAL:
                self.note("choice", key, index)
                return key[1][index]  # type: ignore[no-any-return]
        if self.invention is not None or self.resigned:
            return None
        fitting = tuple(each for each in among if self._is_as_entered(each))
        if fitting:
            raise UndecidedError((ARRIVAL, fitting), len(fitting), 0 if len(fitting) == 1 else None)
        return None

    def is_unset(self, function: object, name: str) -> bool:
        """Whether the program launches nothing unless it is told a variable's value."""
        for key, index in self.choices.items():  # seldom more than three
            if isinstance(key, tuple) and key[0] == UNSET:
                self.note("choice", key, index)
                return bool((function, name) in key[1])
        return False

    def _is_as_entered(self, arrival: Arrival) -> bool:
        """Whether the calls that values came from are those of one time."""
        calls = ((f, site) for f, site in self.entered.items() if site.call is not None)
        return all(
            arrival.is_entered_by(f, (str(site.file.path), site.call.node.start_byte))
            for f, site in calls
            if site.call is not None and site.outer is None
        )

    def is_elsewhere(self, function: object, site: Entrance) -> bool:
        """Whether a call stands in another program than the launch, or was not made that time."""
        if site.file.has_main and self.mains:
            key = (PROGRAM, *(f.path for f in self.mains))
            index = self.choices.get(key, 0 if len(self.mains) == 1 else None)
            of = self.mains if index is None else (self.mains[index],)
            if all(site.file.path != f.path for f in of):
                return True
        if site.call is None or site.outer is not None or (arrival := self.arrival()) is None:
            return False
        call = str(site.file.path), site.call.node.start_byte
        return isinstance(function, int) and not arrival.is_entered_by(function, call)

    def follow(self, key: object, index: int, count: int) -> None:
        """As `choose`, where what is chosen already leaves one of the alternatives."""
        self.note("choice", key, self.choices.get(key))
        if key in self.choices:
            if self.choices[key] != index:
                self.note("never", None)
        elif self.invention is None and not self.resigned:
            raise UndecidedError(key, count, index)

    def asks(self, key: object) -> bool:
        """Whether what a called function decides may be asked for, or is chosen already."""
        told = self._asks(key)
        self.note("asks", key, told)
        return told

    def _asks(self, key: object) -> bool:
        if key in self.choices:
            return True
        return self.asking and sum(map(is_branch, self.choices)) < SUPPOSITIONS

    def ask(self, condition: str, where: object) -> None:
        """Enter a condition that was asked for; `where` is the Environment there."""
        self.asked.append((condition, where))
        self.note(OWN, None)

    @property
    def roots(self) -> Invention:
        """What stands for values that reading cannot tell."""
        assert self.invention is not None
        self.note(OWN, None)
        return self.invention

    def pinned(self, key: tuple[object, str, object]) -> Value | None:
        """The value that a guard pins a definition of a variable to."""
        value = self.pins.get(key)
        self.note("pin", key, value)
        return value

    def note(self, kind: str, key: object, value: object = None) -> None:
        """Enter what evaluation sees or tells."""
        self.notes.append((kind, key, value))
        if kind == "stated":
            self.stated[str(key)] = bool(value)
        elif kind == "runs":
            self.runs[str(key)] = None
        elif kind == "entered":
            self.entered[key] = value  # type: ignore[index,assignment]
            self.never |= self.is_elsewhere(key, value)  # type: ignore[arg-type]
        elif kind == "spare":
            self.spare = True
        elif kind == "never":
            self.never = True

    def remembered(self, key: Hashable, find: Callable[[], Found], common: bool = True) -> Found:
        """What `find` answers, which is asked once.

        `common`: of other launches, too, where they see the same choices and pinned values. What
        meets a root is its session's own.
        """
        known = self.answers.get(key)
        asked = (key, self.mode, self.answering, self.resigned, self.executing,
                 self.invention is None, self.mains)  # fmt: skip
        if known is None and common:
            known = next(filter(self._holds, self.project.answers.get(asked, ())), None)
        if known is None:
            known = self._found(find)
            if common and not known.cut and (self.invention is None or not known.own):
                kept = self.project.answers.setdefault(asked, [])
                if len(kept) < _KEPT:
                    kept.append(known)
        else:
            for kind, what, value in known.notes:
                self.note(kind, what, value)
            self.cuts += known.cut
        self.answers[key] = known
        return known.value  # type: ignore[return-value]

    def _found(self, find: Callable[[], object]) -> Answer:
        start, cuts, left_out = len(self.notes), self.cuts, self.left_out
        value = find()
        notes = tuple(dict.fromkeys(self.notes[start:]))
        self.notes[start:] = notes
        return Answer(value, notes, self.cuts > cuts or self.left_out > left_out)

    def _holds(self, answer: Answer) -> bool:
        """Whether what an answer saw in another evaluation is the same in this one."""
        seen = {"choice": self.choices.get, "asks": self._asks, "pin": self.pins.get}
        return all(
            seen[kind](key) == value  # type: ignore[operator]
            for kind, key, value in answer.notes
            if kind in seen
        )

    @property
    def mode(self) -> tuple[bool, bool, bool, bool]:
        """What answers besides the choices depend on."""
        return self.asking, self.bounding, self.inventing, self.deciding

    @contextmanager
    def by_what_is_told(self) -> Iterator[None]:
        """While it lasts, a run that no file tells says nothing: other ways are open, too."""
        before, self.deciding = self.deciding, True
        try:
            yield
        finally:
            self.deciding = before

    @contextmanager
    def at_bounds(self) -> Iterator[None]:
        """While it lasts, a known bound stands for `min(bound, unknown)`."""
        self.bounding = True
        try:
            yield
        finally:
            self.bounding = False

    def branch(self, function: object, text: str, inner: bool = False) -> bool | None:
        """Whether a condition out of sight holds in this session: first not, then it does.

        `inner`: it stands in a function that is called. Raises UndecidedError where that is not
        chosen yet; None where it is not to be asked.
        """
        key = _branch(function, text)
        if (inner and not self.asks(key)) or (self.resigned and key not in self.choices):
            return None
        holds = self.choose(key, 2) == 1
        self.note("stated", text, holds)
        return holds

    def presume(self, function: object, text: str, holds: bool) -> None:
        """While values are invented, a condition that is not chosen holds, or does not."""
        self.presumed[_branch(function, text)] = int(holds)

    def is_chosen(self, function: object, text: str) -> bool:
        """Whether it is chosen that a condition holds, or that it does not."""
        key = _branch(function, text)
        self.note("choice", key, self.choices.get(key))
        return key in self.choices

    def chosen(self, function: object, text: str) -> bool | None:
        """Whether a condition was chosen to hold; None where it was not asked for."""
        key = _branch(function, text)
        index = self.choices.get(key)
        self.note("choice", key, index)
        if index is None:
            return None
        self.note("stated", text, index == 1)
        return index == 1

    @property
    def inventing(self) -> bool:
        """Whether values that reading cannot tell are roots at the moment."""
        return self.invention is not None and not self.invention.reading

    def reading(self) -> AbstractContextManager[None]:
        """While it lasts nothing is a root."""
        return nullcontext() if self.invention is None else self.invention.suspended()

    def refuses(self, key: object) -> bool:
        """Whether a look-up may not start: it is running, or a limit is met."""
        refused = key in self.running or len(self.running) > DEPTH_LIMIT or self.steps > STEP_LIMIT
        self.cuts += refused
        return refused

    @contextmanager
    def look_up(self, key: object) -> Iterator[bool]:
        """One look-up: whether it may start, being none already running, within the limits."""
        self.steps += 1
        if self.refuses(key):
            yield False
            return
        self.running.add(key)
        try:
            yield True
        finally:
            self.running.discard(key)


def explored(
    project: Project,
    evaluate: Callable[[Session], Found | None],
    most: int,
    excluded: Collection[Mapping[object, int]] = (),
    given: Mapping[object, int] = MappingProxyType({}),
) -> Iterator[tuple[Session, Found | None]]:
    """What there is under every set of choices that evaluating asks for, in `most` evaluations.

    None for one that asked for a further choice. Other callers come before other turns of a loop,
    and before conditions that are only supposed to hold. `excluded`, which may grow meanwhile, are
    choices that never happen together: what includes them costs no evaluation. `given` are made.
    """
    waiting: list[tuple[int, Mapping[object, int]]] = [(0, given)]
    for _ in range(most):
        waiting = [w for w in waiting if not any(e.items() <= w[1].items() for e in excluded)]
        if not waiting:
            return
        first = min(range(len(waiting)), key=lambda at: waiting[at][0])
        rank, choices = waiting.pop(first)
        session = Session(project, choices)
        found = None
        try:
            found = evaluate(session)
        except UndecidedError as undecided:
            key, only = undecided.key, undecided.only
            left = range(min(undecided.count, ALTERNATIVES)) if only is None else (only,)
            more = ({**choices, key: index} for index in left)
            later = isinstance(key, tuple) and key[:1] in ((BRANCH,), ("loop",), (ARRIVAL,))
            waiting[:0] = [(rank + (later and i > 0), each) for i, each in enumerate(more)]
        yield session, found
