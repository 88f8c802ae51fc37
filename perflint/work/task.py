"""What a piece of work may say and ask while it is in work, wherever that is.

`perflint.work.parallel` shares it out. Outside of a crew nobody listens, nothing is limited and
nobody is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from perflint.base.limits import limit_cpu
from perflint.base.records import dataclass


@dataclass(frozen=True)
class Said:
    """What a function says while it is at work."""

    text: str  #: what is in work, for people
    step: int | None = None  #: the number of the step begun, by which a crash is known


@dataclass(frozen=True)
class Surroundings:
    """Of the function that this process has in work."""

    listener: Callable[[Said], None] = lambda _: None
    idle: Callable[[], int] = lambda: 0
    limited: bool = False  #: the process has limits


_around = Surroundings()


@contextmanager
def surrounded(
    listener: Callable[[Said], None] | None = None,
    idle: Callable[[], int] | None = None,
    limited: bool | None = None,
) -> Iterator[None]:
    """Let what is called meanwhile have what is given instead of what is in force."""
    global _around
    before = _around
    _around = replace(
        before,
        listener=before.listener if listener is None else listener,
        idle=before.idle if idle is None else idle,
        limited=before.limited if limited is None else limited,
    )
    try:
        yield
    finally:
        _around = before


def tell(text: str, step: int | None = None) -> None:
    """Say what is in work, and which of its steps, to whoever shares out the work."""
    _around.listener(Said(text, step))


def idle() -> int:
    """How many processes have nothing to do just now and could take over some of the work."""
    return _around.idle()


def lease(seconds: float) -> None:
    """Begin a step of the work: so many more seconds of CPU time. Nothing without limits.

    The time of a file as a whole is not what tells that it is out of hand: it may have a hundred
    kernels.
    """
    if _around.limited:
        limit_cpu(seconds)
