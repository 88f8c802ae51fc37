"""Where the allocations of a launch lie: addresses are given to a trace when it is replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache_trace import CacheTrace

Layout = Literal["packed", "paged", "staggered"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

_ALIGNED = 256  #: of what cudaMalloc returns (CUDA C++ Programming Guide, 5.3.2)
_PAGE = 2 << 20  #: pages of device memory, at which large allocations begin
_FIRST = _PAGE  #: of the first allocation; nothing lies at address 0


@dataclass(frozen=True)
class Placement:
    """How allocations are laid out, in argument order.

    `packed`: one behind the other, 256-byte aligned, as cudaMalloc places small ones. `paged`: each
    at the start of a 2 MiB page, as it places large ones: they all begin in the same cache set.
    `staggered`: as packed, with a gap of 256 bytes times 1, 3, 5, … before each, as where other
    allocations lie between. `moved` adds bytes to where a region begins, in multiples of 256.
    """

    layout: Layout = "packed"
    moved: tuple[tuple[int, int], ...] = ()  #: (region, bytes)

    def __str__(self) -> str:
        return self.layout

    def bases(self, trace: CacheTrace) -> np.ndarray:
        """The address of each region by its number, (largest number + 1,) int64."""
        return placed(self.layout, trace.sizes, dict(self.moved))


def placed(layout: Layout, sizes: Mapping[int, int], moved: Mapping[int, int]) -> np.ndarray:
    """The addresses of regions of the given sizes; `sizes` in the order of the arguments."""
    out = np.zeros(max(sizes, default=0) + 1, np.int64)
    at = _FIRST
    for number, (region, size) in enumerate(sizes.items()):
        if layout == "paged":
            at = _up(at, _PAGE)
        elif layout == "staggered":
            at += _ALIGNED * (2 * number + 1)
        at += moved.get(region, 0)
        out[region] = at
        at = _up(at + size, _ALIGNED)
    return out


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
