"""The machine with another reconvergence mechanism: the stack of immediate post-dominators."""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.sim.barriers import WAIT
from perflint.sim.lanes import Lanes
from perflint.sim.machine import Machine
from perflint.sim.program import EXIT
from perflint.sim.reconvergence import Entries, post_dominators

#: Times that lanes are found to spin, while others run too, until those that wait for them to meet
#: need wait no longer.
_PATIENCE = 16


class IpdomMachine(Machine):
    """Runs one wave; lanes that diverged meet at the branch's immediate post-dominator only.

    A warp's member mask is not waited for where its lanes have not met again: in unstructured code
    a `shfl.sync` sees fewer lanes than where they meet early.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._meet = post_dominators(self.program)
        self._entries: Entries | None = None  #: None while all lanes run together
        self._starved = 0

    def _scatter(self, lanes: Lanes, targets: np.ndarray) -> None:
        at = np.arange(lanes.count) if lanes.positions is None else lanes.positions
        self._all_entries().split(at, targets.astype(np.int64), self._meet[self.current])
        super()._scatter(lanes, targets)

    def _all_entries(self) -> Entries:
        if self._entries is None:
            self._entries = Entries(self.population.slots >> 5)
        return self._entries

    def _compact(self) -> Lanes | None:
        if self._entries is not None and self.pc is not None:
            self._entries.keep(np.flatnonzero(self.pc != EXIT))
        return super()._compact()

    def _next_lanes(self) -> Lanes | None:
        """The earliest block at which some warp's topmost lanes stand."""
        if self.pc is None:
            self._entries = None
            return super()._next_lanes()
        pc, entries = self.pc, self._all_entries()
        free = entries.free(pc)
        while not free.any():
            if not entries.let_go(pc, np.flatnonzero(pc < WAIT)):
                return self._no_lane(int(pc.min()))
            free = entries.free(pc)
        waits = np.maximum(pc, WAIT)  # what the machine sees of lanes that wait
        seen = np.where(free, pc, waits)
        turn = self._turns.follow(seen)
        if turn is not None:
            return self._take(*turn)
        seen_of_top = np.where(entries.topmost(free), pc, waits)
        self.current = int(seen_of_top.min())
        chosen = np.flatnonzero(seen_of_top == self.current)
        if len(chosen) == len(pc) and not self.reference:
            self.pc = self._entries = None
            return self.population
        gone = int(np.count_nonzero(pc == EXIT))
        self._steps_since_compaction += 1
        if gone and self._worth_compacting(gone, len(chosen)):
            return self._compact()
        if len(chosen) + gone < len(pc) and self._turns.starving(
            self.current, self.program.blocks[self.current], chosen, self.registers
        ):
            return self._let_others_run(seen, chosen)
        return self._lanes_at(chosen)

    def _take(self, block: int, lanes: np.ndarray) -> Lanes:
        """It is the turn of lanes at these places: of one entry a warp."""
        some = np.zeros(self.population.count, bool)
        some[lanes] = True
        self.current = block
        return self._lanes_at(np.flatnonzero(self._all_entries().topmost(some)))

    def _let_others_run(self, seen: np.ndarray, chosen: np.ndarray) -> Lanes | None:
        """These lanes spin: others run for a while, and need not wait for them to meet."""
        assert self.pc is not None
        turn = self._turns.give(seen, self.current)
        self._starved += 1
        if turn is None or self._starved % _PATIENCE == 0:
            entries = self._all_entries()
            if entries.let_go(self.pc, chosen):
                return self._next_lanes()
            entries.lower(chosen)  # perhaps another entry stands at the same block
            if self.partial and self._turns.in_vain:
                self.pc[chosen] = self._way_out(self.current)
                return self._next_lanes()
        return self._take(*turn) if turn is not None else self._lanes_at(chosen)
