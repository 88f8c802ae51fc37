"""The times that a run comes to a launch: what it had read until then, in each call that ran.

A launch in a loop over layers, or in a function that several statements call, has other numbers
each time. No single number is told of an expression there, but those of one time belong together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from perflint.base.records import dataclass

Read = tuple[tuple[str, Any], ...]  #: what a launch reads itself: texts and values, in order
MOST_ARRIVALS = 3  #: of one launch that are kept: the first ones, and the last
#: What was read last, by file, text, and the statement's bytes.
Noted = dict[tuple[str, str, tuple[int, int]], Any]


@dataclass(frozen=True, eq=False)
class Activation:
    """One call of a function, until a launch is come to in it, or in what it calls."""

    function: int | None  #: the function's node
    called: tuple[str, int] | None  #: the file and first byte of the call, where that is one
    noted: Mapping[tuple[str, str, tuple[int, int]], Any]

    @cached_property
    def _by_text(self) -> dict[tuple[str, str], list[tuple[tuple[int, int], Any]]]:
        found: dict[tuple[str, str], list[tuple[tuple[int, int], Any]]] = {}
        for (path, text, where), value in self.noted.items():
            found.setdefault((path, text), []).append((where, value))
        return found

    def read(self, path: str, text: str, at: int) -> Any:
        """What an expression was in the statement around a place; None where it was not read."""
        known = self._by_text.get((path, text), ())
        around = [(end - start, value) for (start, end), value in known if start <= at < end]
        return min(around, key=lambda each: each[0])[1] if around else None


@dataclass(frozen=True, eq=False)
class Arrival:
    """One time that a launch is come to: the calls that run then, the innermost first."""

    activations: tuple[Activation, ...]

    def read(self, function: int, path: str, text: str, at: int) -> Any:
        """What an expression was in a function; None where it was not read in one that runs."""
        for each in self.activations:
            if each.function == function:
                value = each.read(path, text, at)
                if value is not None:
                    return value
        return None

    def is_entered_by(self, function: int, call: tuple[str, int]) -> bool:
        """Whether a function that runs may have been called there; any other may be."""
        own = [a.called for a in self.activations if a.function == function]
        return not own or None in own or call in own


class Arrivals:
    """The times that a run comes to each launch, by file and first byte, those that differ."""

    def __init__(self) -> None:
        #: how many numbers each of them reads, and they by what they read
        self._found: dict[tuple[str, int], tuple[int, dict[Read, Arrival]]] = {}
        self._listed: dict[tuple[str, int], tuple[Arrival, ...]] = {}

    def add(
        self, launch: tuple[str, int], own: tuple[tuple[str, Any], ...], running: Activations
    ) -> None:
        """Keep one, of which the launch itself reads `own`."""
        known = sum(isinstance(value, (int, float)) for _, value in own)
        most, found = self._found.get(launch, (0, {}))
        if known < most or own in found:
            return  # what is left open of others is known of these
        if known > most:
            found = {}
            self._found[launch] = known, found
        if len(found) == MOST_ARRIVALS:
            found.popitem()
        found[own] = running.now()

    def of(self, path: str, at: int) -> tuple[Arrival, ...]:
        """Those of a launch, in one tuple; none where it has the same numbers always."""
        key = (path, at)
        if key not in self._listed:
            found = tuple(self._found.get(key, (0, {}))[1].values())
            self._listed[key] = found if len(found) > 1 else ()
        return self._listed[key]


class Activations:
    """The calls that run, the outermost first, with what is read in each."""

    def __init__(self) -> None:
        self.noted: Noted = {}  #: in the innermost
        self._stack: list[tuple[int | None, tuple[str, int] | None, Noted]] = []

    def enter(self, function: int | None, called: tuple[str, int] | None) -> None:
        self.noted = {}
        self._stack.append((function, called, self.noted))

    def leave(self) -> None:
        self._stack.pop()
        self.noted = self._stack[-1][2] if self._stack else {}

    def now(self) -> Arrival:
        """All of them as they are."""
        kept = (Activation(f, called, dict(noted)) for f, called, noted in reversed(self._stack))
        return Arrival(tuple(kept))
