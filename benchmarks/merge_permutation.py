"""The input that hurts a merge in shared memory most, after Berney and Sitchinava.

Each thread merges E elements one after the other, E odd and less than half of 32 banks. Where many
threads of a warp begin at bank 0 and take E elements of one list, each of their steps reads that
many words of one bank. Of 32 threads that can be E, and all others make it so: a warp's merge then
goes on as if it had 32/E threads. (K. Berney, N. Sitchinava: Engineering worst-case inputs for
pairwise merge sort on GPUs, IPDPS 2020.)
"""

from __future__ import annotations

import numpy as np

BANKS = 32


def worst_merge(each: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Two ascending lists of `each * threads / 2` numbers, (n,) int32.

    `each` is odd and at most 15; the lists' lengths are multiples of the banks.
    """
    length = each * threads // 2
    if not each % 2 or each > BANKS // 2 or length % BANKS:
        raise ValueError("E must be odd and at most 15, the lists whole rows of banks")
    taken = _Merge(each)
    row = 0
    while row + each <= length:
        # first where one list is at bank 0 and the other between two of its aligned threads
        other = _between(taken.b, row, row, each)
        taken.to(row, other)
        taken.to(row + each, other)
        other = _between(taken.a, row + BANKS, row, each)
        taken.to(other, row)
        taken.to(other, row + each)
        row += BANKS
    taken.to(length, length)
    of_a = np.array(taken.of_a)
    return np.flatnonzero(of_a).astype(np.int32), np.flatnonzero(~of_a).astype(np.int32)


class _Merge:
    """Which list each of the merged elements comes from."""

    def __init__(self, each: int) -> None:
        self.each, self.a, self.b = each, 0, 0
        self.of_a: list[bool] = []

    def to(self, a: int, b: int) -> None:
        """Go on until so many of both lists are taken, thread by thread, of A first."""
        left_a, left_b = a - self.a, b - self.b
        while left_a + left_b > 0:
            mine = min(left_a, self.each)
            self.of_a += [True] * mine + [False] * (self.each - mine)
            left_a, left_b = left_a - mine, left_b - (self.each - mine)
        self.a, self.b = a, b


def _between(now: int, last: int, aligned: int, each: int) -> int:
    """Where one list may stand while the other is `aligned`, so that a thread begins there."""
    return next(at for at in range(now, last + 1) if (at + aligned) % each == 0)
