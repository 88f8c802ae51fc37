"""What a run leaves in memory: the pages that it touched, and how the others began."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.memory import PAGE, MemoryBudgetError, Region
from perflint.sim.unique_values import unique_values

_AT_ONCE = 256  #: pages that are compared at a time: 1 MB


@dataclass(frozen=True, eq=False)
class Image:
    """One buffer after a run. Pages are counted from byte offset 0."""

    region: Region  #: knows how pages began; its own bytes are given up
    size: int  #: bytes to the last one touched or given
    written: bool
    pages: np.ndarray  #: (n,) int64, ascending: those that were touched
    data: np.ndarray  #: (n, PAGE) uint8

    @classmethod
    def of(cls, region: Region) -> Image:
        """What is in a region, which is of no use afterwards but for this."""
        pages, data = region.give_up()
        end = max(region.extent, 0 if region.data is None else len(region.data))
        return cls(region, max(end, 0), region.written, pages, data)

    def at(self, pages: np.ndarray) -> np.ndarray:
        """The bytes of some ascending pages, (m, PAGE) uint8."""
        out = np.empty((len(pages), PAGE), np.uint8)
        at = np.searchsorted(self.pages, pages)
        known = at < len(self.pages)
        known[known] = self.pages[at[known]] == pages[known]
        out[known] = self.data[at[known]]
        if not known.all():
            out[~known] = self.region.initial(pages[~known])
        return out

    def contents(self) -> np.ndarray:
        """All bytes, (size,) uint8."""
        return self.at(np.arange(-(-self.size // PAGE))).reshape(-1)[: self.size]


class LeftBehind(Mapping[str, np.ndarray]):
    """The final bytes of buffers by name, made when they are asked for; `images` are what is kept.

    Buffers that would not fit the run's memory budget have no bytes.
    """

    def __init__(self, regions: tuple[Region, ...] = ()) -> None:
        self.images = {region.name: Image.of(region) for region in regions}
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            self._made[name] = _contents(self.images[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.images

    def __iter__(self) -> Iterator[str]:
        return iter(self.images)

    def __len__(self) -> int:
        return len(self.images)


def _contents(image: Image) -> np.ndarray:
    try:
        image.region.accounting.take(image.size)
    except MemoryBudgetError:
        return np.zeros(0, np.uint8)
    return image.contents()


def differing(mine: LeftBehind, other: LeftBehind) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """What two runs left differently: buffer, and pages that differ, both (n, PAGE) uint8.

    A buffer may come in several parts. Only buffers of both are looked at, and only those that one
    of the runs has written.
    """
    for name, a in mine.images.items():
        b = other.images.get(name)
        if b is None or not (a.written or b.written):
            continue
        all_ = unique_values(np.concatenate((a.pages, b.pages)))
        for begin in range(0, len(all_), _AT_ONCE):
            pages = all_[begin : begin + _AT_ONCE]
            left, right = a.at(pages), b.at(pages)
            differ = (left != right).any(axis=1)
            if differ.any():
                yield name, left[differ], right[differ]
