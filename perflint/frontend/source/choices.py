"""One evaluation of a launch, under one set of choices among what really happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from perflint.frontend.source.c_types import Value
from perflint.frontend.source.invention import Invention
from perflint.frontend.source.project import Entrance, Project

#: Look-ups one launch may cost; real ones need some dozens.
STEP_LIMIT = 3_000


DEPTH_LIMIT = 24

#: Alternatives of one choice that are looked at.
ALTERNATIVES = 24

Found = TypeVar("Found")


BRANCH = "branch"


#: Conditions that one launch may rest on before those in called functions are not asked for.
SUPPOSITIONS = 4


def is_branch(key: object) -> bool:
    """Whether a choice is about a condition: both may happen, but hardly equally often."""
    return isinstance(key, tuple) and key[:1] == (BRANCH,)


def _branch(function: object, text: str) -> object:
    return (BRANCH, function, "".join(text.split()))


class UndecidedError(Exception):
    """The answer needs a choice among several alternatives that all really happen."""

    def __init__(self, key: object, count: int) -> None:
        super().__init__(key, count)
        self.key, self.count = key, count


@dataclass
class Session:
    """One evaluation under one set of choices."""

    project: Project
    choices: Mapping[object, int] = field(default_factory=dict)
    pins: dict[tuple[object, str, object], Value] = field(default_factory=dict)
    memo: dict[tuple[object, ...], Value | None] = field(default_factory=dict)
    entered: dict[int, Entrance] = field(default_factory=dict)  #: the calls that values came from
    stated: dict[str, bool] = field(default_factory=dict)  #: conditions that were chosen
    runs: dict[str, None] = field(default_factory=dict)  #: how the program is run, where that tells
    exits: dict[object, object] = field(default_factory=dict)  #: where functions are left
    frames: dict[object, object] = field(default_factory=dict)  #: the inside of calls
    running: set[object] = field(default_factory=set)
    #: where each was asked for: (its text, the Environment there)
    asked: list[tuple[str, object]] = field(default_factory=list)
    invention: Invention | None = None  #: what stands for values that reading cannot tell
    steps: int = 0
    spare: bool = False  #: a dispatch macro's later type was chosen
    asking: bool = True  #: conditions in functions that are called are choices: for blocks only
    bounding: bool = False  #: a known bound stands for `min(bound, unknown)`: for blocks, not grids
    #: by condition and place, whether it holds as a GPU answers; None for one that is no such
    answers: dict[object, bool | None] = field(default_factory=dict)
    answering: bool = True  #: such conditions are looked for
    left_out: int = 0  #: kernels that a chooser may return, beyond those that are read

    def choose(self, key: object, count: int) -> int | None:
        """Which of `count` alternatives holds in this session; None if there are none.

        Raises UndecidedError where there are several and none is chosen yet.
        """
        if key in self.choices:
            index = self.choices[key]
            return index if self.invention is None else min(index, count - 1) if count else None
        if self.invention is not None:
            return 0 if count else None
        if count > 1:
            raise UndecidedError(key, count)
        return 0 if count == 1 else None

    def asks(self, key: object) -> bool:
        """Whether what a called function decides may be asked for, or is chosen already."""
        if key in self.choices:
            return True
        return self.asking and sum(map(is_branch, self.choices)) < SUPPOSITIONS

    @property
    def mode(self) -> tuple[bool, bool, bool]:
        """What answers besides the choices depend on."""
        return self.asking, self.bounding, self.inventing

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
        if inner and not self.asks(key):
            return None
        holds = self.choose(key, 2) == 1
        self.stated[text] = holds
        return holds

    def chosen(self, function: object, text: str) -> bool | None:
        """Whether a condition was chosen to hold; None where it was not asked for."""
        index = self.choices.get(_branch(function, text))
        if index is None:
            return None
        self.stated[text] = index == 1
        return index == 1

    @property
    def inventing(self) -> bool:
        """Whether values that reading cannot tell are roots at the moment."""
        return self.invention is not None and not self.invention.reading

    def reading(self) -> AbstractContextManager[None]:
        """While it lasts nothing is a root."""
        return nullcontext() if self.invention is None else self.invention.suspended()

    @contextmanager
    def look_up(self, key: object) -> Iterator[bool]:
        """One look-up: whether it may start, being none already running, within the limits."""
        self.steps += 1
        if key in self.running or len(self.running) > DEPTH_LIMIT or self.steps > STEP_LIMIT:
            yield False
            return
        self.running.add(key)
        try:
            yield True
        finally:
            self.running.discard(key)


def explored(
    project: Project, evaluate: Callable[[Session], Found | None], most: int
) -> Iterator[tuple[Session, Found | None]]:
    """What there is under every set of choices that evaluating asks for, in `most` evaluations.

    None for one that asked for a further choice.
    """
    waiting: list[Mapping[object, int]] = [{}]
    for _ in range(most):
        if not waiting:
            return
        session = Session(project, choices := waiting.pop(0))
        found = None
        try:
            found = evaluate(session)
        except UndecidedError as undecided:
            count = min(undecided.count, ALTERNATIVES)
            waiting[:0] = [{**choices, undecided.key: index} for index in range(count)]
        yield session, found
