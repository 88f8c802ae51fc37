"""What a warp's accesses cost, from the source formula alone.

Deliberately the plainest Python, one lane at a time, and independent of `perflint.sim`: this is the
oracle that the reported figures are held against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SECTOR = 32
BANKS = 32


@dataclass(frozen=True)
class Cost:
    """Means over the full warps of a block (over all warps, if none is full)."""

    measured: float
    golden: float
    aligned: float  #: sectors, had every run of touching bytes begun at a sector
    ways: int = 1


def warps(bx: int, by: int) -> list[list[tuple[int, int]]]:
    """(x, y) of the threads of a block, warp by warp, x fastest (CUDA guide, thread hierarchy)."""
    threads = [(x, y) for y in range(by) for x in range(bx)]
    return [threads[i : i + 32] for i in range(0, len(threads), 32)]


def _requests(bx: int, by: int, index: Callable[[int, int], int], size: int) -> list[list[int]]:
    requests = [[index(x, y) * size for x, y in warp] for warp in warps(bx, by)]
    return [r for r in requests if len(r) == 32] or requests


def global_cost(bx: int, by: int, index: Callable[[int, int], int], size: int) -> Cost:
    """Sectors a request: distinct 32-byte blocks touched, against the bytes packed."""
    requests = _requests(bx, by, index, size)
    measured = [len({a // SECTOR for a in r}) for r in requests]
    golden = [-(-len(r) * size // SECTOR) for r in requests]
    aligned = [sum(-(-run // SECTOR) for run in _runs(r, size)) for r in requests]
    n = len(requests)
    return Cost(sum(measured) / n, sum(golden) / n, sum(aligned) / n)


def _runs(addresses: list[int], size: int) -> list[int]:
    """Lengths in bytes of the stretches without a gap."""
    runs: list[tuple[int, int]] = []
    for a in sorted(set(addresses)):
        if runs and a <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], a + size))
        else:
            runs.append((a, a + size))
    return [end - begin for begin, end in runs]


def shared_cost(bx: int, by: int, index: Callable[[int, int], int], size: int) -> Cost:
    """Wavefronts a request: in each phase, the most distinct words that one bank must give.

    8-byte accesses are served a half-warp at a time, 16-byte ones a quarter-warp at a time. The
    family's addresses are distinct for all lanes, so that no phases merge.
    """
    requests = _requests(bx, by, index, size)
    lanes = min(32, 128 // size)
    measured, ways = [], 1
    for r in requests:
        degrees = [_degree(r[i : i + lanes], size) for i in range(0, len(r), lanes)]
        measured.append(sum(degrees))
        ways = max(ways, *degrees)
    golden = [-(-len(r) // lanes) for r in requests]
    n = len(requests)
    return Cost(sum(measured) / n, sum(golden) / n, sum(measured) / n, ways)


def _degree(addresses: list[int], size: int) -> int:
    words = {(a + k) // 4 for a in addresses for k in range(size)}
    banks = [word % BANKS for word in words]
    return max(banks.count(bank) for bank in set(banks))
