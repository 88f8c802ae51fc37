"""Shared-memory banks: wavefronts of a warp's request, and the N-way conflicts in it.

Every function takes n requests as (n, 32) arrays: `mask`, the lanes that take part, and `offset`,
byte offsets in the block's shared window. `size` is bytes per lane, a vector's elements together.

Rules, by the `shared_rule` of an architecture:

- `cc5` (5.0 and later): 32 banks of 4 bytes. Lanes on the same word never conflict, whichever of
  its bytes they want. 64-bit accesses take two phases of half a warp, 128-bit ones four of a
  quarter; half as many where all pairs of lanes (i, i^1) or (i, i^2) agree in their address
  (G. Smith, NVIDIA, forums.developer.nvidia.com/t/77228/2; measured on GA102: a broadcast
  LDS.128 takes 2 wavefronts). So do an H200's loads, in all of 590 patterns but one; its stores
  do not merge pairs, and its atomics take each lane of a word by itself (docs/hardware.md).
- `cc3` (Kepler, 4-byte mode): words i and i + 32 of one aligned 64-word segment do not conflict;
  64-bit accesses take one phase, 128-bit ones two (CUDA C Programming Guide 4.2, F.5.3).
- `cc2` (Fermi): as `cc5` without the pairs (F.4.3).
- `cc1`: 16 banks, per half-warp, one broadcast word a step (F.3.3).
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass

WORD = 4
_WORD_BITS = 2  #: a shift by them divides as NumPy's `//` does, and faster
_LINE_BITS = 11  #: of a line's number where words have 16 bits
_MOST_LINES = (1 << _LINE_BITS) - 1  #: so that no word has the number that stands for none
_NO_WORD = np.uint16(0xFFFF)
_NOWHERE = np.iinfo(np.int64).max  #: sorts behind every word


@dataclass(frozen=True, eq=False)
class Wavefronts:
    """What n shared-memory requests cost."""

    measured: np.ndarray  #: (n,) int64, passes over the banks
    golden: np.ndarray  #: (n,) int64, the same lanes and phases without a conflict
    ways: np.ndarray  #: (n,) int64, highest N-way conflict in any phase; 1 is none, 0 no lane


def wavefronts(
    mask: np.ndarray, offset: np.ndarray, size: int, rule: str = "cc5", stores: bool = False
) -> Wavefronts:
    """Wavefronts of each request, measured and golden, with the phases of wide accesses.

    Golden is the number of phases that hold a lane: what the same access costs when no phase has
    a conflict. It is clamped to the measured count, which pairs of equal lanes may halve.
    """
    if rule == "cc1":
        return _half_warp_steps(mask, offset, size)
    if rule not in ("cc2", "cc3", "cc5"):
        raise ValueError(f"unknown shared-memory rule {rule!r}")
    phases = max(1, size // WORD if rule != "cc3" else size // (2 * WORD))
    degree = _phase_degrees(mask, offset, size, phases, rule)
    if phases == 1:
        whole = degree[:, 0]
        return Wavefronts(whole, np.minimum(whole, 1), whole)
    measured, ways = degree.sum(axis=1), degree.max(axis=1)
    golden = np.count_nonzero(degree, axis=1)
    if rule == "cc5" and phases > 1 and not stores:
        merged = _pairs_agree(mask, offset, 1) | _pairs_agree(mask, offset, 2)
        if merged.any():
            half = _phase_degrees(mask[merged], offset[merged], size, phases // 2, rule)
            measured[merged], ways[merged] = half.sum(axis=1), half.max(axis=1)
    return Wavefronts(measured, np.minimum(golden, measured), ways)


def atomic_wavefronts(mask: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Those of atomics on words, (n,) int64: as many as the busiest bank has lanes.

    Where all lanes are at one word it is one: ptxas adds up what they bring first.
    """
    rows = len(mask)
    slot = ((offset >> _WORD_BITS & 31) + 32 * np.arange(rows)[:, None])[mask]
    busiest = np.bincount(slot, minlength=rows * 32).reshape(rows, 32).max(axis=1, initial=0)
    first = offset[np.arange(rows), mask.argmax(axis=1)]
    alone = ((offset == first[:, None]) | ~mask).all(axis=1)
    out: np.ndarray = np.where(alone, np.minimum(busiest, 1), busiest).astype(np.int64)
    return out


def _phase_degrees(
    mask: np.ndarray, offset: np.ndarray, size: int, phases: int, rule: str
) -> np.ndarray:
    """Distinct words on the busiest bank in each phase of each request, (n, phases) int64."""
    rows = len(mask) * phases
    if WORD % size == 0 and _is_low(offset, size):
        word = (offset >> _WORD_BITS).astype(np.uint16).reshape(rows, -1)
        return _busiest_low(_banked(word, rule), mask.reshape(rows, -1)).reshape(-1, phases)
    first = (offset >> _WORD_BITS).reshape(rows, -1)
    last = ((offset + (size - 1)) >> _WORD_BITS).reshape(rows, -1)
    active = mask.reshape(rows, -1)
    if np.array_equal(first, last):  # one word a lane
        return _busiest(_banked(first, rule), active).reshape(len(mask), phases)
    most = -(-(size - 1) // WORD) + 1  # words that a misaligned element can touch
    span = int((last - first).max(initial=0)) + 1 if rows else 1
    words = first[:, :, None] + np.arange(min(most, span))
    taken = active[:, :, None] & (words <= last[:, :, None])
    return _busiest(_banked(words, rule), taken).reshape(len(mask), phases)


def _banked(word: np.ndarray, rule: str) -> np.ndarray:
    """Words as 32 times a line of the banks, and the bank.

    Kepler's banks are 8 bytes wide: words i and i + 32 of 64 are two halves of one bank's line.
    """
    return word if rule != "cc3" else (word >> 6 << 5) + (word & 31)


def _is_low(offset: np.ndarray, size: int) -> bool:
    """Whether all are aligned, and words have 16 bits, as in any block's shared memory."""
    bits = int(np.bitwise_or.reduce(offset, axis=None))
    aligned = bits >= 0 and not bits & (size - 1)
    return aligned and int(offset.max(initial=0)) < WORD * _MOST_LINES * 32


def _busiest_low(word: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """As `_busiest`, of one word a lane (rows, lanes) uint16: short numbers are sorted faster."""
    # Sorted by bank, then by line: equal words side by side, and a bank's words together. Numbers
    # are set by arithmetic: NumPy's `where` and `copyto` guess at each of many random bits.
    key = (word * np.uint16(1 << _LINE_BITS) | word >> 5) | (taken.astype(np.uint16) - np.uint16(1))
    key.sort(axis=1)
    again = key[:, 1:] == key[:, :-1]
    if again.any():
        key[:, 1:] |= again.astype(np.uint16) * _NO_WORD
        key.sort(axis=1)
    key = np.ascontiguousarray(key.T)  # NumPy is slow along short rows
    there = key != _NO_WORD
    ways: np.ndarray = there[0].astype(np.int64)
    for distance in range(1, len(key)):
        alike = (key[distance:] ^ key[:-distance]) < 1 << _LINE_BITS  # of one bank
        more = (alike & there[distance:]).any(axis=0)
        if not more.any():
            break
        ways += more
    return ways


def _busiest(word: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The most distinct lines that any bank is asked for, per row of (rows, lanes, words)."""
    rows = len(word)
    key = np.sort(np.where(taken, word, _NOWHERE).reshape(rows, -1), axis=1)
    first = key != _NOWHERE
    first[:, 1:] &= key[:, 1:] != key[:, :-1]
    slot = ((key & 31) + 32 * np.arange(rows)[:, None])[first]
    per_bank = np.bincount(slot, minlength=rows * 32)
    return np.asarray(per_bank.reshape(rows, 32).max(axis=1, initial=0), dtype=np.int64)


def _pairs_agree(mask: np.ndarray, offset: np.ndarray, distance: int) -> np.ndarray:
    """Whether all pairs of active lanes (i, i ^ distance) have one address, (n,) bool."""
    partner = np.arange(32) ^ distance
    differ = mask & mask[:, partner] & (offset != offset[:, partner])
    return np.asarray(~differ.any(axis=1))


def _half_warp_steps(mask: np.ndarray, offset: np.ndarray, size: int) -> Wavefronts:
    """Compute capability 1.x: each step serves one broadcast word and one lane of other banks.

    Accesses wider than 32 bits are split into 32-bit requests. Which word is broadcast is
    unspecified; here it is the most wanted one of the busiest bank.
    """
    steps = np.zeros(len(mask) * 2, dtype=np.int64)
    golden = np.zeros(len(mask) * 2, dtype=np.int64)
    ways = np.zeros(len(mask) * 2, dtype=np.int64)
    for part in range(max(1, size // WORD)):
        word = ((offset + part * WORD) // WORD).reshape(-1, 16)
        left = mask.reshape(-1, 16).copy()
        golden += left.any(axis=1)
        taken = np.zeros(len(left), dtype=np.int64)
        while left.any():
            taken += left.any(axis=1)
            left &= ~_served(word, left)
        steps += taken
        ways = np.maximum(ways, taken)
    return Wavefronts(
        steps.reshape(-1, 2).sum(axis=1),
        golden.reshape(-1, 2).sum(axis=1),
        ways.reshape(-1, 2).max(axis=1),
    )


def _served(word: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The lanes of each half-warp that one step serves, (rows, 16) bool."""
    bank = word % 16
    both = left[:, :, None] & left[:, None, :]
    same_bank = both & (bank[:, :, None] == bank[:, None, :])
    same_word = both & (word[:, :, None] == word[:, None, :])
    load = np.count_nonzero(same_bank, axis=2)
    busiest = load == load.max(axis=1, keepdims=True)
    wanted = np.where(busiest, np.count_nonzero(same_word, axis=2), -1)
    chosen = word[np.arange(len(word)), wanted.argmax(axis=1)][:, None]
    earlier = np.tril(np.ones((16, 16), dtype=bool), -1)
    first_of_bank = left & ~(same_bank & earlier).any(axis=2)
    served = (word == chosen) | (first_of_bank & (bank != chosen % 16))
    return np.asarray(served & left)
