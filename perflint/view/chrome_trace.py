"""A trace as Chrome's trace viewer and Perfetto read it: the order of warps, requests and barriers.

Time is a warp's own count of instructions, one microsecond each: the simulator has an order within
a warp and no clock across warps. Format: "Trace Event Format", complete events (`"ph": "X"`) and
metadata (`"ph": "M"`); a process is a block, a thread a warp.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from perflint.sim import coalescing
from perflint.sim.banks import wavefronts
from perflint.view.trace_reader import Stream, Trace

_BARRIERS = ("bar.", "barrier.")


def as_chrome_trace(trace: Trace) -> str:
    """The events of a trace, an object a line."""
    events = (*_names(trace), *_barriers(trace), *_requests(trace))
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in events)
    note = "time is a warp's count of instructions, one microsecond each; not cycles"
    return f'{{"otherData":{{"note":"{note}"}},"traceEvents":[\n{lines}\n]}}\n'


def _names(trace: Trace) -> Iterator[dict[str, Any]]:
    x, y, _ = trace.data["grid"]
    for block in trace.blocks.tolist():
        at = f"block ({block % x}, {block // x % y}, {block // (x * y)})"
        yield {"ph": "M", "name": "process_name", "pid": block, "args": {"name": at}}
        yield {"ph": "M", "name": "process_sort_index", "pid": block, "args": {"sort_index": block}}


def _barriers(trace: Trace) -> Iterator[dict[str, Any]]:
    names = [each["name"] for each in trace.data["instructions"]]
    waits = np.array([name.startswith(_BARRIERS) for name in names], bool)
    if not waits.any():
        return
    for warp in range(len(trace.leaf)):
        positions, _ = trace.steps(warp)
        for step in np.flatnonzero(waits[positions]).tolist():
            yield _event(trace, int(positions[step]), warp, step, "barrier", {})


def _requests(trace: Trace) -> Iterator[dict[str, Any]]:
    for stream in trace.streams:
        cost = dict(_costs(trace, stream))
        what = f"{stream.kind} {stream.space}"
        for row, (warp, step) in enumerate(zip(stream.warp, stream.step, strict=True)):
            arguments = {name: int(values[row]) for name, values in cost.items()}
            yield _event(trace, stream.instruction, int(warp), int(step), what, arguments)


def _costs(trace: Trace, stream: Stream) -> Iterator[tuple[str, np.ndarray]]:
    """What each request of a stream costs, by name, (n,) each."""
    mask, offset = trace.addresses(stream, slice(None))
    yield "lanes", mask.sum(axis=1)
    if stream.space == "global":
        yield "sectors", coalescing.sectors(mask, offset, stream.size)
    else:
        yield "wavefronts", wavefronts(mask, offset, stream.size).measured


def _event(
    trace: Trace, instruction: int, warp: int, step: int, kind: str, arguments: Mapping[str, int]
) -> dict[str, Any]:
    at, line = divmod(warp, trace.warps_per_block), _line(trace, instruction)
    return {
        "ph": "X",
        "name": line or kind,
        "cat": kind,
        "ts": step,
        "dur": 1,
        "pid": int(trace.blocks[at[0]]),
        "tid": at[1],
        "args": {"instruction": trace.data["instructions"][instruction]["text"], **arguments},
    }


def _line(trace: Trace, instruction: int) -> str:
    """The source line of an instruction, with its number; "" if it has none."""
    each = trace.data["instructions"][instruction]
    source, line = each["source"], each["line"]
    sources = trace.data["sources"]
    if not (isinstance(source, int) and 0 <= source < len(sources) and line):
        return ""
    lines = sources[source]["lines"]
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"{line}: {text}"
