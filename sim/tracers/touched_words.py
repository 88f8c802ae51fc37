"""The words of an allocation that blocks touch: a list while they are few, then an image."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from perflint.sim.unique_values import unique_values

#: Words of an allocation that are told apart: 64 MB.
MOST = 1 << 24
#: Bytes of an image, of which memory is taken only for what is touched: more is refused by systems.
IMAGE = 1 << 32
#: Words in the list at most. Those of an image that lie apart each cost a page of memory that the
#: system clears, a microsecond or two: a small run spent more on that than on its instructions.
FEW = 1 << 16


def words_told(blocks: int) -> int:
    """Words of an allocation that are told apart for so many blocks."""
    return min(MOST, IMAGE // blocks)


class TouchedWords:
    """Which words each of some blocks touched, [0, width): `words_told(blocks)` if not given."""

    def __init__(self, blocks: int, width: int = 0) -> None:
        self._blocks = blocks
        self.width = width or words_told(blocks)
        self._listed: list[np.ndarray] = []  #: block * width + word, some more than once
        self._count = 0
        self._image: np.ndarray | None = None
        self._end = 0

    def add(self, block: np.ndarray, words: np.ndarray) -> None:
        """Note words, all in range, of blocks; arrays of one shape."""
        self._end = max(self._end, int(words.max(initial=-1)) + 1)
        if self._image is None and self._count + words.size <= FEW:
            self._listed.append((block.astype(np.int64) * self.width + words).reshape(-1))
            self._count += words.size
        else:
            self._drawn()[block, words] = True

    def add_runs(self, block: np.ndarray, word: np.ndarray, step: int, times: int) -> None:
        """Note words, (n,), and those so many steps on, `times` in all; `step` is not 0."""
        last = word + step * (times - 1)
        low, high = np.minimum(word, last), np.maximum(word, last)
        self._end = max(self._end, int(high.max()) + 1)
        image = self._drawn()
        breaks = np.flatnonzero((np.diff(block) != 0) | (np.diff(word) != 1)) + 1
        starts, ends = np.r_[0, breaks], np.r_[breaks, len(word)]
        if len(starts) > times:
            for n in range(times):
                image[block, word + n * step] = True
            return
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            row = image[block[start], low[start] :]
            as_strided(row, (times, end - start), (abs(step), 1))[...] = True

    @property
    def distinct(self) -> int:
        """How many different words, summed over the blocks."""
        if self._image is not None:
            return int(np.count_nonzero(self._image[:, : self._end]))
        return len(unique_values(np.concatenate(self._listed))) if self._listed else 0

    def grains(self, size: int) -> tuple[int, int]:
        """Different runs of so many words: of the block that touches most, and of all blocks."""
        if self._image is not None:
            whole = -(-self._end // size) * size
            drawn = np.zeros((self._blocks, whole), bool)
            drawn[:, : self._end] = self._image[:, : self._end]
            runs = drawn.reshape(self._blocks, -1, size).any(axis=2)
            return int(runs.sum(axis=1).max()), int(runs.any(axis=0).sum())
        if not self._listed:
            return 0, 0
        keys = np.concatenate(self._listed)
        apart = unique_values((keys // self.width << 40) + keys % self.width // size)
        most = np.bincount(apart >> 40).max()
        return int(most), len(unique_values(apart & (1 << 40) - 1))

    @property
    def different(self) -> int:
        """How many different words of all blocks, each once."""
        if self._image is not None:
            return int(np.count_nonzero(self._image[:, : self._end].any(axis=0)))
        words = [each % self.width for each in self._listed]
        return len(unique_values(np.concatenate(words))) if words else 0

    def _drawn(self) -> np.ndarray:
        """The image, (blocks, words) bool. Memory is taken only for what is touched."""
        if self._image is None:
            self._image = np.zeros((self._blocks, self.width), bool)
            for each in self._listed:
                self._image[each // self.width, each % self.width] = True
            self._listed.clear()
        return self._image
