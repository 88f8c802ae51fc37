"""Plain text tables."""

from __future__ import annotations

from collections.abc import Sequence

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """The rows as a table: the first `left` columns and the last one flush left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)] if rows else []
    out = []
    for row in rows:
        cells = [
            f"{cell:<{width}}" if at < left else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        out.append(GAP.join([*cells, row[-1]]).rstrip())
    return out
