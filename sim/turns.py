"""Turns for lanes that others starve: the earliest block runs first, and may spin for a store.

Volta and later guarantee that the lanes of a diverged warp progress. Lanes that spin while nobody
is left who could store what they wait for, wait for a block of the grid that is not simulated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.barriers import WAIT
from perflint.sim.program import EXIT, BasicBlock
from perflint.sim.unique_values import unique_values
from perflint.sim.values import Value

_SLICE = 64  #: blocks that starved lanes run before the spinning ones get their turn again
_PATIENCE = 20_000  #: blocks after which lanes that wait elsewhere get a turn in any case
#: Turns without a store that lanes spin while nobody else can run, until they are let go.
_IN_VAIN = 16
#: Visits of a loop's first block between two looks at lanes beside whom nobody runs.
_ALONE = 256


_NOBODY = np.zeros(0, np.int64)


class Turns:
    """Who spins, and whose turn it is."""

    def __init__(self) -> None:
        self._spun = False
        self._visits: dict[int, tuple[int, np.ndarray, list[Value]]] = {}
        self._followed: np.ndarray | None = None
        self._left = 0
        self._turn = -1
        self._steps = 0
        self._in_vain = 0  #: times that lanes were found to spin with nobody else, and no store

    def forget(self) -> None:
        """The population has changed."""
        self._visits.clear()

    def starving(
        self, current: int, block: BasicBlock, chosen: np.ndarray, registers: Sequence[Value]
    ) -> bool:
        """Whether lanes elsewhere must run for these, at block `current`, to get on.

        Lanes that come back to a loop's start with the registers they had the last time wait for
        somebody's store: a spin loop.
        """
        self._steps += 1
        if self._steps % _PATIENCE == 0:
            return True
        if not block.header:
            return False
        visits, before, values = self._visits.get(current, (0, chosen, []))
        if not np.array_equal(before, chosen):
            visits, values = 0, []
        now = []
        spinning = False
        if visits >= (1 if self._spun else 8):
            now = [registers[slot] for slot in block.live]
            spinning = bool(values) and _some_lane_equal(values, now, chosen)
        self._visits[current] = (visits + 1, chosen, now)
        self._spun = self._spun or spinning
        return spinning

    def stored(self) -> None:
        """Somebody stored something: who waits may have waited for it."""
        self._in_vain = 0

    @property
    def in_vain(self) -> bool:
        """Whether nobody is left for whose store the spinning lanes could wait."""
        return self._in_vain >= _IN_VAIN

    def spinning_alone(self, current: int, registers: list[Value], live: Sequence[int]) -> bool:
        """Whether all lanes, at a loop's first block, have had these registers before.

        Looked at now and then only: mostly it is a loop like any other.
        """
        visits, _, values = self._visits.get(current, (0, None, []))
        now = []
        spinning = False
        if visits % _ALONE >= _ALONE - 2:
            now = [registers[slot] for slot in live]
            spinning = bool(values) and all(equal(a, b) for a, b in zip(values, now, strict=True))
        self._visits[current] = (visits + 1, _NOBODY, now)
        return spinning

    def give(self, pc: np.ndarray, current: int) -> tuple[int, np.ndarray] | None:
        """Another block and its lanes, which may run for a while; the blocks take turns."""
        others = unique_values(pc[(pc != current) & (pc < WAIT)])
        if not len(others):
            self._in_vain += 1
            return None
        self._in_vain = 0
        later = others[others > self._turn]
        self._turn = int(later[0] if len(later) else others[0])
        self._followed = pc == self._turn
        self._left = _SLICE
        return self._turn, np.flatnonzero(self._followed)

    def follow(self, pc: np.ndarray) -> tuple[int, np.ndarray] | None:
        """The block and the lanes that are next in the turn; None: nobody's, or it is over."""
        if self._followed is None:
            return None
        self._left -= 1
        if len(self._followed) == len(pc) and self._left > 0:
            mine = np.where(self._followed, pc, EXIT)
            current = int(mine.min())
            if current < WAIT:
                return current, np.flatnonzero(mine == current)
        self._followed = None
        self._visits.clear()
        return None


def equal(old: Value, new: Value) -> bool:
    """Whether two registers hold the same bits."""
    return old is new or np.asarray(old).tobytes() == np.asarray(new).tobytes()


def _some_lane_equal(before: list[Value], now: list[Value], chosen: np.ndarray) -> bool:
    """Whether one of the `chosen` lanes has the same bits in all registers.

    What a loop does not change is the same array: nobody writes into one.
    """
    same = np.ones(len(chosen), bool)
    for old, new in zip(before, now, strict=True):
        if old is new:
            continue
        old, new = (r if r.ndim == 0 else r[chosen] for r in (old, new))
        if old.dtype.kind == "f":
            old, new = old.view(f"u{old.dtype.itemsize}"), new.view(f"u{new.dtype.itemsize}")
        same &= old == new
        if not same.any():
            return False
    return bool(len(chosen))
