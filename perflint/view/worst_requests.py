"""The requests of a trace that waste most, as pictures: what a page shows without script."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from perflint.sim import architecture, banks, coalescing
from perflint.sim.architecture import Architecture
from perflint.sim.requests import distinct
from perflint.view.one_request import Request
from perflint.view.request_svg import request_svg
from perflint.view.trace_reader import Stream, Trace

_MOST = 6  #: pictures
_PERIOD = 256  #: bytes by which a request may move without costing anything else


def pictures(trace: Trace) -> Iterator[tuple[str, str]]:
    """(what it shows, SVG) of the worst request of each line that wastes most, at most six."""
    arch = architecture.load(str(trace.data["profile"]["arch"]))
    found = sorted(
        ((*_worst(trace, each, arch), each) for each in trace.streams if len(each.warp)),
        key=lambda f: (-f[0], f[2].instruction),
    )
    seen: set[tuple[int, int, str]] = set()
    for wasted, row, stream in found:
        at = trace.data["instructions"][stream.instruction]
        key = (at["source"], at["line"], stream.kind)
        if key in seen or len(seen) >= _MOST or (seen and not wasted):
            continue
        seen.add(key)
        request = request_of(trace, stream, row)
        array = str(trace.data["regions"][int(stream.region[row])]["name"])[:60]
        file = trace.data["sources"][at["source"]]["name"]
        title = f"{file}:{at['line']}: {stream.kind}, {array}"
        rule = arch.coalescing_rule if stream.space == "global" else arch.shared_rule
        yield title, request_svg(request, rule, label=title, array=array, standalone=False)


def request_of(trace: Trace, stream: Stream, row: int) -> Request:
    """One request of a stream."""
    mask, offset = trace.addresses(stream, np.array([row]))
    lanes = np.flatnonzero(mask[0])
    lane_offsets = tuple(offset[0][lanes].tolist())
    return Request(stream.space, stream.size, tuple(lanes.tolist()), lane_offsets, stream.kind)


def _worst(trace: Trace, stream: Stream, arch: Architecture) -> tuple[int, int]:
    """(bytes that all requests move beyond what they asked, the worst request's row)."""
    mask, offset = trace.addresses(stream, slice(None))
    some, which = distinct(mask, offset, _PERIOD)
    if stream.space == "global":
        rule = arch.coalescing_rule
        moved = coalescing.transactions(rule, mask[some], offset[some], stream.size).bytes
        waste = (moved - np.count_nonzero(mask[some], axis=1) * stream.size)[which]
    else:
        rule, stores = arch.shared_rule, stream.kind == "store"
        waves = banks.wavefronts(mask[some], offset[some], stream.size, rule, stores)
        waste = (128 * (waves.measured - waves.golden))[which]
    return max(0, int(waste.sum())), int(waste.argmax())
