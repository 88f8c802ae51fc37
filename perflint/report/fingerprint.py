"""GitHub's `primaryLocationLineHash`: how code scanning tells old alerts from new ones.

Restated from what `src/fingerprints.ts` of github/codeql-action does: for every line start, a
polynomial hash over the next 100 UTF-16 code units that are not blanks or tabs, running past line
ends, where `\\r\\n` and `\\r` count as one `\\n`, the text is followed by the unit 65535, and zeros
follow that. The action warns about a value that differs from its own.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

_WINDOW = 100
_BASE = 37
_MASK = (1 << 64) - 1
_LEAVING = pow(_BASE, _WINDOW, 1 << 64)  #: the weight of a unit when it leaves the window
_END_OF_FILE = 0xFFFF


def line_hashes(text: str) -> list[str]:
    """For each line `hex:n`, where n counts the lines up to this one with the same hash."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace(" ", "").replace("\t", "")
    raw = text.encode("utf-16-le", "surrogatepass")
    units = [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]
    starts = [0, *(i + 1 for i, unit in enumerate(units) if unit == 0x0A)]
    units += [_END_OF_FILE] + [0] * _WINDOW
    wanted = set(starts)
    hashes: list[str] = []
    seen: Counter[int] = Counter()
    window = 0
    for unit in islice(units, _WINDOW):
        window = (window * _BASE + unit) & _MASK
    for start in range(starts[-1] + 1):
        if start in wanted:
            seen[window] += 1
            hashes.append(f"{window:x}:{seen[window]}")
        entering = units[start + _WINDOW] if start + _WINDOW < len(units) else 0
        window = (window * _BASE + entering - _LEAVING * units[start]) & _MASK
    return hashes
