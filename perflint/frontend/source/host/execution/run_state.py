"""What a run of host statements keeps: variables by frame, references, structures, and its ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from perflint.base.records import dataclass
from perflint.frontend.source.host.execution.text_functions import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


class StoppedError(Exception):
    """The program ends, or more is done than is followed."""


class EndedError(StoppedError):
    """The program ends."""


class BrokenError(StoppedError):
    """`break`."""


class ContinuedError(StoppedError):
    """`continue`."""


class JumpedError(StoppedError):
    """`goto`."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label


class ReturnedError(StoppedError):
    """`return`."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


#: How control leaves statements where the run goes on, or the program has ended.
WAYS_OUT = (ReturnedError, EndedError, BrokenError, ContinuedError, JumpedError)
_T = TypeVar("_T")


@contextmanager
def until_stopped(stack: list[_T], entry: _T) -> Iterator[None]:
    """What is on a stack while something runs, and stays there where the run stops in it."""
    stack.append(entry)
    try:
        yield
    except WAYS_OUT:
        stack.pop()
        raise
    stack.pop()


class Object(dict[Any, Any]):
    """A structure's members, or what a pointer leads to; those that nobody set are not followed."""


class Before(Object):
    """A structure's members, where those that nobody sets are what they were before the run."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, member: str) -> Any:
        return self._find(member)


@dataclass(frozen=True)
class Reference:
    """Where a variable, a member or an element is kept."""

    within: Any
    key: Any

    def get(self) -> Any:
        try:
            return self.within[self.key]
        except (KeyError, IndexError, TypeError):
            return UNKNOWN

    def set(self, value: Any) -> None:
        try:
            self.within[self.key] = value
        except (IndexError, TypeError):
            raise StoppedError from None


@dataclass(frozen=True)
class Alias(Reference):
    """Another name of something: `int &n`. What a pointer holds is a plain Reference."""


@dataclass(frozen=True)
class Backwards(Reference):
    """An element that an iterator has come to which goes from the last one to the first."""


@dataclass(frozen=True, eq=False)
class Lambda:
    node: Node
    frame: Frame


@dataclass(frozen=True, eq=False)
class Frame:
    """The variables of one call, and where names that it does not have are looked up."""

    place: Environment
    held: dict[str, Any]
    around: Frame | None = None  #: of a lambda

    def find(self, name: str) -> Frame:
        """The frame that has a name."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.held:
                return frame
            frame = frame.around
        return self


@dataclass(frozen=True)
class Visit:
    """Statements that the run came to, and the steps that were left then."""

    path: str
    start: int
    end: int
    left: int
