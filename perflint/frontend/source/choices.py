"""One evaluation of a launch, under one set of choices among what really happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from perflint.frontend.source.c_types import Value
from perflint.frontend.source.project import Entrance, Project

#: Look-ups one launch may cost; real ones need some dozens.
STEP_LIMIT = 3_000


DEPTH_LIMIT = 24

#: Alternatives of one choice that are looked at.
ALTERNATIVES = 24

Found = TypeVar("Found")


BRANCH = "branch"


def is_branch(key: object) -> bool:
    """Whether a choice is about a condition: both may happen, but hardly equally often."""
    return isinstance(key, tuple) and key[:1] == (BRANCH,)


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
    running: set[object] = field(default_factory=set)
    steps: int = 0
    spare: bool = False  #: a dispatch macro's later type was chosen

    def choose(self, key: object, count: int) -> int | None:
        """Which of `count` alternatives holds in this session; None if there are none.

        Raises UndecidedError where there are several and none is chosen yet.
        """
        if key in self.choices:
            return self.choices[key]
        if count > 1:
            raise UndecidedError(key, count)
        return 0 if count == 1 else None

    def branch(self, function: object, text: str) -> bool:
        """Whether a condition out of sight holds in this session: first not, then it does.

        Raises UndecidedError where that is not chosen yet.
        """
        holds = self.choose((BRANCH, function, "".join(text.split())), 2) == 1
        self.stated[text] = holds
        return holds

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
