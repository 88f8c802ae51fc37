"""Room for the frames of Python's functions, taken at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Words of the frame of `_call`. CPython rounds a chunk up to a power of two: 2 MB, half of them
#: for this frame, none of which is touched, and half for those above it.
_WORDS = 1 << 17


def in_one_chunk(function: Callable[[], T]) -> T:
    """What a function returns; the frames of all that it calls lie in one chunk of memory.

    CPython takes chunks of 16 KB from the system and gives each back when the last frame in it
    ends. A loop that calls across the end of one does so in every turn: ten thousand times in a
    check, a twentieth of its time. (`push_chunk` in its Python/pystate.c)
    """
    return _call(function)


def _call(function: Callable[[], T]) -> T:
    return function()


_call.__code__ = _call.__code__.replace(co_stacksize=_WORDS)
