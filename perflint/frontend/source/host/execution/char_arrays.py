"""Text in arrays of characters, as C keeps it: the letters' codes, and a 0 behind them."""

from __future__ import annotations

from typing import Any

from perflint.frontend.source.host.execution.run_state import Backwards, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array


def start_of(value: Any) -> Reference | None:
    """The first letter's place of an array of characters, or of what a pointer into one names."""
    at = Reference(value, 0) if isinstance(value, Array) else value
    if not isinstance(at, Reference) or isinstance(at, Backwards):
        return None
    within = at.within
    is_text = isinstance(within, Array) and within.number is not None and within.number.size == 1
    return at if is_text and isinstance(at.key, int) and at.key >= 0 else None


def text_of(value: Any) -> Any:
    """The text that a value is or leads to; UNKNOWN where a letter of it is; else the value."""
    at = start_of(value)
    if at is None:
        return value
    letters: list[str] = []
    held: Array = at.within
    key = at.key
    while not isinstance(held.size, int) or key < held.size:
        code = held[key]
        if not isinstance(code, int):
            return UNKNOWN
        if code == 0:
            return "".join(letters)
        letters.append(chr(code & 0xFF))
        key += 1
    return UNKNOWN  # it does not end


def cells_of(text: str, at: Reference) -> list[tuple[Reference, int]] | None:
    """What is written where for a text from a place on; None where the array has no room for it."""
    held: Array = at.within
    if held.is_large or not isinstance(held.size, int) or at.key + len(text) >= held.size:
        return None
    codes = [*map(ord, text), 0]
    return [(Reference(held, at.key + index), code) for index, code in enumerate(codes)]
