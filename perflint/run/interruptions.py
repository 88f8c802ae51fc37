"""Signals that end a process which answers the program: a launch ends between basic blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_launching = False
_came = False


def asked(number: int, frame: object) -> None:
    """The handler of signals that are to end this process."""
    global _came  # a process has one set of handlers
    _came = True
    if not _launching:
        raise KeyboardInterrupt


def came() -> bool:
    """Whether a signal has come."""
    return _came


@contextmanager
def held() -> Iterator[None]:
    """A launch: a signal is only noted; after it the process ends."""
    global _launching
    _launching = True
    try:
        yield
    finally:
        _launching = False
