"""Patterns: what each lane adds to a base where values are affine in the indices of the threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perflint.sim.lazy import lazy
from perflint.sim.values import Value

_KEPT = 48 << 20  #: bytes of patterns that a population remembers

Coefficients = tuple[int, ...]


class Kind:
    """An integer type of registers."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype, self.type = dtype, dtype.type
        self.bits = 8 * dtype.itemsize
        self.signed = dtype.kind == "i"
        self.mask = (1 << self.bits) - 1
        self.half = 1 << (self.bits - 1)
        self.unsigned = np.dtype(f"u{dtype.itemsize}")

    def near(self, number: int) -> int:
        """The number modulo 2^bits that is nearest to 0."""
        return ((number + self.half) & self.mask) - self.half

    def scalar(self, number: int) -> Value:
        """The number modulo 2^bits as a NumPy scalar."""
        return self.type(self.near(number) if self.signed else number & self.mask)


KINDS = {
    np.dtype(code): Kind(np.dtype(code))
    for code in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8")
}


class Pattern:
    """What each lane adds to a base: coefficients times the lane's indices.

    `low` and `high` bound the sum over all lanes (and are reached by some thread of the box that
    the lanes' indices span).
    """

    def __init__(self, axes: Axes, coefficients: Coefficients) -> None:
        self.axes, self.coefficients = axes, coefficients
        ends = [k * most for k, most in zip(coefficients, axes.most, strict=True)]
        self.low = sum(e for e in ends if e < 0)
        self.high = sum(e for e in ends if e > 0)
        #: What others derived from the pattern, by keys of theirs.
        self.memo: dict[Any, Any] = {}
        low = 0
        for k in coefficients:
            low |= k
        self.granule = low & -low  #: the power of two that divides every sum; 0: all are 0

    def multiple_of(self, size: int) -> bool:
        """Whether every sum is a multiple of a power of two."""
        return self.granule & (size - 1) == 0

    @lazy
    def offsets(self) -> np.ndarray:
        """The sums (n,) int64, modulo 2^64."""
        out = np.zeros(self.axes.count, np.int64)
        for k, index in zip(self.coefficients, self.axes.indices, strict=True):
            if k:
                out += index * np.int64(k)
        self.axes.remember(self, out.nbytes)
        return out

    @lazy
    def words(self) -> np.ndarray:
        """The sums (n,) modulo 2^32, uint32."""
        return self.offsets.astype(np.uint32)

    @lazy
    def ends(self) -> tuple[int, int]:
        """The least and the greatest sum among the lanes."""
        return int(self.offsets.min()), int(self.offsets.max())

    def index(self, shift: int) -> np.ndarray | None:
        """Element numbers (n,) of the offsets, counted from the least one; None where they are
        0, 1, 2, … . The offsets must be multiples of the element's size, 1 << shift."""
        known = self.memo.get(shift, self)
        if known is not self:
            return known  # type: ignore[no-any-return]
        index = (self.offsets - self.ends[0]) >> shift
        self.axes.remember(self, index.nbytes)
        ascending = bool((index == np.arange(len(index))).all())
        self.memo[shift] = None if ascending else index
        return self.memo[shift]  # type: ignore[no-any-return]

    def forget(self) -> None:
        """Drop the arrays; they are made again when they are wanted."""
        self.__dict__.pop("offsets", None)
        self.__dict__.pop("words", None)
        self.memo.clear()


class Axes:
    """The indices of a population's lanes that differ among them, counted from their least."""

    def __init__(self, indices: Sequence[np.ndarray], most: Sequence[int], count: int) -> None:
        self.indices = tuple(indices)  #: int64 arrays (n,)
        self.most = tuple(most)  #: the greatest value of each
        self.count = count
        self._patterns: dict[Coefficients, Pattern] = {}
        self._sums: dict[tuple[Pattern, Pattern, int, Kind], Pattern] = {}
        self._holding: dict[Pattern, int] = {}
        self._held = 0
        self.zero = self.pattern((0,) * len(self.indices))

    def subset(self, chosen: np.ndarray) -> Axes:
        """The axes of some of the lanes."""
        return Axes([index[chosen] for index in self.indices], self.most, len(chosen))

    def pattern(self, coefficients: Coefficients) -> Pattern:
        found = self._patterns.get(coefficients)
        if found is None:
            found = self._patterns[coefficients] = Pattern(self, coefficients)
        return found

    def combined(self, a: Pattern, b: Pattern, times: int, kind: Kind) -> Pattern:
        """a + times * b, modulo the kind's width."""
        key = (a, b, times, kind)
        found = self._sums.get(key)
        if found is None:
            if len(self._sums) > 4096:
                self._sums.clear()
            pairs = zip(a.coefficients, b.coefficients, strict=True)
            found = self.pattern(tuple(kind.near(x + times * y) for x, y in pairs))
            self._sums[key] = found
        return found

    def remember(self, pattern: Pattern, size: int) -> None:
        """A pattern has made arrays; the oldest ones go when there are too many."""
        self._holding[pattern] = self._holding.get(pattern, 0) + size
        self._held += size
        while self._held > _KEPT and len(self._holding) > 1:
            oldest = next(p for p in self._holding if p is not pattern)
            self._held -= self._holding.pop(oldest)
            oldest.forget()
