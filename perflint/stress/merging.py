"""The two lists that a merge in shared memory takes worst, after Berney and Sitchinava.

Each thread merges E elements one after the other, E odd and less than half of the 32 banks. Where
many threads of a warp begin at bank 0 and take E elements of one list, each of their steps reads
that many words of one bank. Of 32 threads that can be E, and all others make it so: a warp's merge
then goes on as if it had 32/E threads. (K. Berney, N. Sitchinava: Engineering worst-case inputs for
pairwise merge sort on GPUs, IPDPS 2020.)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from perflint.base.records import dataclass
from perflint.stress.generators import GeneratorError

BANKS = 32
#: Elements of a thread for which such lists are known, the usual ones first.
EACH = tuple(range(15, 2, -2))


@dataclass(frozen=True)
class Merged:
    """One of the two lists, the numbers of which are its elements' places in the merged one."""

    each: int  #: elements of a thread: odd, 3 to 15
    which: int  #: 0 or 1

    @property
    def text(self) -> str:
        return f"merged({self.each}, {self.which})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        if self.each not in EACH or self.which not in (0, 1):
            raise GeneratorError(f"{self.text}: E is odd, 3 to 15, and the list is 0 or 1")
        return np.asarray(worst_merge(self.each, count)[self.which][index])


@lru_cache(maxsize=4)
def worst_merge(each: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Two ascending lists of `length` numbers, which together are all below `2 * length`, int64.

    What is left of a last row of banks comes behind all others, first that of the first list.
    """
    taken = _Merge(each)
    rows = length - length % BANKS
    for row in range(0, rows, BANKS):
        # first where one list is at bank 0 and the other between two of its aligned threads
        other = _between(taken.b, row, row, each)
        taken.to(row, other)
        taken.to(row + each, other)
        other = _between(taken.a, row + BANKS, row, each)
        taken.to(other, row)
        taken.to(other, row + each)
    taken.to(rows, rows)
    taken.to(length, rows)
    taken.to(length, length)
    of_a = np.array(taken.of_a, bool)
    return np.flatnonzero(of_a), np.flatnonzero(~of_a)


class _Merge:
    """Which list each of the merged elements comes from."""

    def __init__(self, each: int) -> None:
        self.each, self.a, self.b = each, 0, 0
        self.of_a: list[bool] = []

    def to(self, a: int, b: int) -> None:
        """Go on until so many of both lists are taken, thread by thread, of A first."""
        left_a, left_b = a - self.a, b - self.b
        while left_a + left_b > 0:
            of_a = min(left_a, self.each)
            of_b = min(left_b, self.each - of_a)
            self.of_a += [True] * of_a + [False] * of_b
            left_a, left_b = left_a - of_a, left_b - of_b
        self.a, self.b = a, b


def _between(now: int, last: int, aligned: int, each: int) -> int:
    """Where one list may stand while the other is `aligned`, so that a thread begins there."""
    return next(at for at in range(now, last + 1) if (at + aligned) % each == 0)
