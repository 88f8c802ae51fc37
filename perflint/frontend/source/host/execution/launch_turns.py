"""How often a run of the program comes to each launch: at least, and at most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from perflint.frontend.source.language.model import Turns


def uncounted(path: str, at: int) -> Turns:
    """A loop that nobody can count: it turns once, or it need not be there."""
    return Turns(loops=frozenset({(path, at)}))


_Found = dict[tuple[str, int], dict[frozenset[tuple[str, int]], Turns]]


class TurnCounter:
    """What a run counts of launches, by file and first byte."""

    def __init__(self) -> None:
        #: whether all that the program does was followed: else it may come to any of them again
        self.whole = True
        self.lost: set[tuple[str, int]] = set()  #: those that may be come to where it was not
        self._scopes: list[_Found] = [{}]  #: what was counted in each turn that runs

    def came(self, path: str, at: int, doubtful: bool) -> None:
        """Count a launch; `doubtful`: where nobody can tell whether it is come to."""
        self._add((path, at), Turns(0, 1) if doubtful else Turns())

    def _add(self, place: tuple[str, int], turns: Turns) -> None:
        found = self._scopes[-1].setdefault(place, {})
        known = found.get(turns.loops, Turns(0, 0))
        found[turns.loops] = Turns(known.least + turns.least, known.most + turns.most, turns.loops)

    @contextmanager
    def turn(self, stands_for: Callable[[], Turns]) -> Iterator[None]:
        """What runs within is one turn of a loop, and done as often as is said behind it."""
        self._scopes.append({})
        try:
            yield
        finally:
            found, times = self._scopes.pop(), stands_for()
            for place, counts in found.items():
                for turns in counts.values():
                    self._add(place, turns * times)

    def of(self, path: str, at: int) -> tuple[Turns, ...]:
        """How often a launch is come to, all of these together."""
        found = tuple(self._scopes[0].get((path, at), {}).values())
        if self.whole and (path, at) not in self.lost:
            return found
        return tuple(Turns(t.least, math.inf, t.loops) for t in found)
