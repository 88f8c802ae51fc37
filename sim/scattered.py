"""Numbers without a pattern, the same in every run: coefficients of hashes."""

from __future__ import annotations

import numpy as np


def scattered(count: int) -> np.ndarray:
    """`count` odd numbers, (count,) uint64: the outputs of SplitMix64 from seed 0, made odd.

    Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. NumPy's
    generators take 12 ms to import.
    """
    z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = (z ^ (z >> np.uint64(31))) | np.uint64(1)
    return mixed
