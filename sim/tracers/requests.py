"""The different requests of each instruction, to replay them: SharedRequests, GlobalRequests.

How a request would do with another layout of an array, with other banks or under another GPU's
coalescing follows from its offsets alone: the code need not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.layout import mentioned, shared_frame
from perflint.sim.mergeable import groups
from perflint.sim.trace import MemoryBatch, Setting, Tracing

Made = TypeVar("Made")

MOST = 64  #: different requests that are kept of one instruction
_ROW = np.dtype((np.void, 32 * 8))  #: a request's offsets as one value, to tell it from others


@dataclass(frozen=True, eq=False)
class Requests:
    """Some different requests of one instruction."""

    size: int  #: bytes per lane
    mask: np.ndarray  #: (n, 32) bool
    offset: np.ndarray  #: (n, 32) int64, bytes in the block's shared window, or in its region


class _Kept(Tracing):
    """Keeps requests to one space by instruction."""

    space = ""

    def begin(self, setting: Setting) -> None:
        self._kept: dict[int, dict[bytes, tuple[np.ndarray, np.ndarray]]] = {}
        self._sizes: dict[int, int] = {}
        self.requests: dict[int, Requests] = {}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != self.space:
            return
        kept = self._kept.setdefault(batch.pc, {})
        self._sizes[batch.pc] = batch.size
        if len(kept) >= MOST:
            return
        offset = np.ascontiguousarray(np.where(batch.mask, batch.offset, -1)[:MOST])
        for row, key in enumerate(offset.view(_ROW)[:, 0].tolist()):
            if key not in kept and len(kept) < MOST:
                kept[key] = batch.mask[row].copy(), offset[row]

    def finish(self) -> None:
        self.requests = {
            pc: Requests(self._sizes[pc], *map(np.stack, zip(*kept.values(), strict=True)))
            for pc, kept in self._kept.items()
            if kept
        }


class SharedRequests(_Kept):
    """Keeps requests to shared memory by instruction."""

    space = "shared"

    def begin(self, setting: Setting) -> None:
        super().begin(setting)
        self._made: dict[Hashable, Any] = {}
        frame = shared_frame(setting.module, setting.kernel, mentioned(setting.kernel))
        #: where each variable begins in the window
        self.offsets: Mapping[str, int] = frame.offsets
        #: the instructions of which ptxas may make one access
        self.groups = groups(setting.program)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is made of the requests, for who asks again: many sites may be of one array."""
        if key not in self._made:
            self._made[key] = make()
        found: Made = self._made[key]
        return found


class GlobalRequests(_Kept):
    """Keeps requests to global memory by instruction; allocations begin at multiples of 256."""

    space = "global"
