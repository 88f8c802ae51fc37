"""Requests to try: what kernels do, and what nobody would do on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Case = tuple[str, int, np.ndarray, np.ndarray]  #: space, bytes per lane, mask (32,), offset (32,)
SIZES = (1, 2, 4, 8, 16)


def cases(seed: int, each: int) -> Iterator[Case]:
    """Regular requests of every size, and `each` random ones of every size and space."""
    random = np.random.default_rng(seed)
    lane = np.arange(32)
    everyone = np.ones(32, bool)
    for space in ("global", "shared"):
        for size in SIZES:
            for stride in (0, 1, 2, 3, 8, 32, 33, 64):
                for shift in (0, size, 3 * size):
                    yield space, size, everyone, lane * stride * size + shift
            yield space, size, everyone, (lane ^ 1) * size
            yield space, size, everyone, lane // 2 * size
            yield space, size, lane < 1, lane * size
            for _ in range(each):
                some = random.random(32) < random.choice([0.2, 0.7, 1.0])
                some[random.integers(32)] = True
                span = int(random.choice([8, 64, 300, 4000]))
                yield space, size, some, random.integers(0, span, 32) * size
