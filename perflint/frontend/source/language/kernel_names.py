"""Which of several kernels of one name a launch means, by the namespaces that are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Named(Protocol):
    """Something with a name in namespaces and classes."""

    @property
    def qualified(self) -> str: ...


T = TypeVar("T", bound=Named)


def path_of(qualified: str) -> tuple[str, ...]:
    """The parts of `a::b::k`, namespaces without a name left out."""
    return tuple(part for part in qualified.split("::") if part)


def meant(name: str, scope: str, known: Sequence[T]) -> Sequence[T]:
    """The kernels that `b::k`, written within the namespaces `scope`, may mean.

    As C++ looks them up: the innermost namespace around that has such a path. Else, as a
    directive or an alias may bring it in, those whose path ends so; else all.
    """
    wanted, around = path_of(name), path_of(scope)
    for depth in range(len(around), -1, -1):
        full = around[:depth] + wanted
        if found := [each for each in known if path_of(each.qualified) == full]:
            return found
    ending = [each for each in known if path_of(each.qualified)[-len(wanted) :] == wanted]
    return ending or known
