"""Equations (1) to (5) of Rosen's paper with NumPy, of a trace as the reader gives it."""

from __future__ import annotations

import numpy as np

from perflint.sim import architecture, banks, coalescing
from perflint.view.one_request import transactions
from perflint.view.trace_reader import Trace
from perflint.view.worst_requests import request_of

Operation = tuple[str, int, list[int], int]  #: name, lanes, transactions' bytes, conflicts


def operations(trace: Trace, warp: int, arch_name: str) -> list[Operation]:
    """What a traced warp did."""
    arch = architecture.load(arch_name)
    positions, lanes = trace.steps(warp)
    instructions = trace.data["instructions"]
    sizes: dict[int, list[int]] = {}
    conflicts: dict[int, int] = {}
    asked: dict[int, int] = {}
    for stream in trace.streams:
        for row in np.flatnonzero(stream.warp == warp).tolist():
            step = int(stream.step[row])
            mask, offset = trace.addresses(stream, np.array([row]))
            asked[step] = asked.get(step, 0) | int(trace.lanes[stream.pattern[row]])
            if stream.space == "global":
                moved = coalescing.transactions(arch.coalescing_rule, mask, offset, stream.size)
                found = transactions(request_of(trace, stream, row), arch.coalescing_rule)
                mine = [t.length for t in found]
                assert (len(mine), sum(mine)) == (moved.count[0], moved.bytes[0])
                sizes[step] = sizes.get(step, []) + mine
            else:
                waves = banks.wavefronts(mask, offset, stream.size, arch.shared_rule)
                excess = int(waves.measured[0] - waves.golden[0])
                conflicts[step] = conflicts.get(step, 0) + excess
    return [
        (
            instructions[p]["name"],
            asked.get(step, 0) if instructions[p]["guarded"] else int(lanes[step]),
            sizes.get(step, []),
            conflicts.get(step, 0),
        )
        for step, p in enumerate(positions.tolist())
    ]


WEIGHTS = (1.0, 1 / 32, 1 / 8, 1 / 1024)  #: instruction, threads, conflicts, global


def parts(a: Operation, b: Operation, idle_alike: bool = False) -> np.ndarray:
    """(1), (2), (4) and (3), each scaled; (2) of the lanes active in either with `idle_alike`."""
    length = max(len(a[2]), len(b[2]))
    pairs = [np.pad(np.array(s, float), (0, length - len(s))) for s in (a[2], b[2])]
    found = [
        float(a[0] != b[0]),
        ((a[1] | b[1]).bit_count() if idle_alike else 32) - (a[1] & b[1]).bit_count(),
        abs(a[3] - b[3]),
        np.abs(pairs[0] - pairs[1]).sum(),
    ]
    return np.array(found) * WEIGHTS


def lights(
    a: list[Operation],
    b: list[Operation],
    rows: int,
    each: int,
    part: str,
    idle_alike: bool = False,
) -> list[float | None]:
    """The mean difference of each row's operations; None where `b` has ended."""
    nothing: Operation = ("", 0, [], 0)
    chosen = {"warp": [0, 1, 2, 3], "threads": [1], "shared": [2], "global": [3]}[part]
    values = [
        min(1.0, parts(a[step] if step < len(a) else nothing, b[step], idle_alike)[chosen].sum())
        for step in range(len(b))
    ]
    groups = [values[row * each : (row + 1) * each] for row in range(rows)]
    return [float(np.mean(group)) if group else None for group in groups]
