"""The kernel of GUPT's Section 3 (Figure 3), as points of a graph and lines of three threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from perflint.stress.guided.cache_states import Access, Lines
from perflint.stress.guided.summary import Summary, summarised

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "data" / "gupt_example.json").read_text(encoding="utf-8")
)
BLOCKS = tuple(FACTS["cfg"])
THREADS = tuple(FACTS["refs"])
SUCCESSORS = [[BLOCKS.index(b) for b in FACTS["cfg"][block]] for block in BLOCKS]


def number(name: str) -> int:
    """The number of a memory block: m4 is 4."""
    return int(name[1:])


def example() -> Summary:
    """The summary of T1, T2 and T3: a direct-mapped cache, one reference in a basic block."""
    own = {t: sorted(map(number, FACTS["refs"][t].values())) for t in THREADS}
    width = max(map(len, own.values()))
    line = np.full((len(THREADS), width), -1, np.int64)
    group = np.full((len(THREADS), width), -1, np.int64)
    for row, thread in enumerate(THREADS):
        line[row, : len(own[thread])] = own[thread]
        group[row, : len(own[thread])] = [FACTS["sets"][f"m{m}"] for m in own[thread]]
    points = []
    for block in BLOCKS:
        refs = [FACTS["refs"][t].get(block) for t in THREADS]
        at = [own[t].index(number(m)) if m else -1 for t, m in zip(THREADS, refs, strict=True)]
        points.append(Access(np.array(at)[:, None]) if any(refs) else None)
    return summarised(Lines(line, group, 1), points, SUCCESSORS)


def names(summary: Summary, thread: str, lines: np.ndarray) -> set[str]:
    """Some lines, (t, k) bool, of one thread, by name."""
    row = THREADS.index(thread)
    return {f"m{m}" for m in summary.lines.line[row][lines[row]].tolist()}
