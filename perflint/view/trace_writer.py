"""The trace document: a launch's figures, its source, and the requests of its warps, as JSON.

`docs/trace.md` states the format, `trace_reader.py` reads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perflint.base.text_lines import lines_of
from perflint.debug_lines import Lines
from perflint.grammar import table
from perflint.grammar.model import Instruction
from perflint.profile.figures import Profile
from perflint.profile.report import as_data
from perflint.sim import architecture
from perflint.sim.trace import Setting
from perflint.sim.tracers.request_trace import RequestTrace, Stream, Traced
from perflint.view.columns import packed

FORMAT, VERSION = "perflint-trace", 1
COLUMNS = ("warp", "step", "pattern", "region", "offset")  #: of a request
_MEMORY = ("load", "store", "atomic")  #: what instructions that access memory cost


def document(
    figures: Profile, recorder: RequestTrace, lines: Lines, ptx: Sequence[str]
) -> dict[str, Any]:
    """The trace document of one launch. `ptx` are the texts that its instructions stand in."""
    setting, traced = recorder.setting, recorder.traced
    sources, places = _sources(setting, lines)
    total = setting.launch.block_count
    return {
        "format": FORMAT,
        "version": VERSION,
        "profile": as_data(figures),
        "grid": list(setting.launch.grid),
        "block": list(setting.launch.block),
        "dynamic_shared": setting.launch.dynamic_shared,
        "shared_bytes": setting.shared_bytes,
        "warps_per_block": setting.warps,
        "traced": {
            "blocks": len(traced.blocks),
            "indices": packed(_linear(setting, traced)),
            "cut": traced.cut,
            "notes": list(_notes(traced, len(setting.blocks), total)),
        },
        "sources": sources,
        "instructions": _instructions(setting, places, _Ptx(ptx)),
        "regions": _regions(setting, traced),
        "patterns": {
            "count": len(traced.masks),
            "lanes": packed(traced.masks.astype(np.int64)),
            "offsets": packed(traced.offsets.reshape(-1)),
        },
        "paths": {
            "count": len(traced.parent),
            "parent": packed(traced.parent),
            "first": packed(traced.first),
            "last": packed(traced.last),
            "lanes": packed(traced.lanes.astype(np.int64)),
            "leaf": packed(traced.leaf),
        },
        "streams": [_stream(each) for each in traced.streams],
        "requests": {
            "count": traced.requests,
            **{name: packed(_together(traced, name)) for name in COLUMNS},
        },
        "architectures": architectures(),
        "findings": [],
    }


def as_text(trace: Mapping[str, Any]) -> str:
    """A document as it is printed: one line, ASCII."""
    return json.dumps(trace, separators=(",", ":")) + "\n"


def architectures() -> list[dict[str, Any]]:
    """What the page needs to know of each GPU, oldest first."""
    return [
        {
            "name": arch.name,
            "capability": ".".join(map(str, arch.compute_capability)),
            "chip": arch.chip,
            "banks": arch.banks,
            "shared_rule": arch.shared_rule,
            "coalescing_rule": arch.coalescing_rule,
        }
        for arch in map(architecture.load, architecture.names())
    ]


def _linear(setting: Setting, traced: Traced) -> np.ndarray:
    """The traced blocks' numbers in the grid, x fastest."""
    x, y, _ = setting.launch.grid
    chosen = np.array([setting.blocks[i] for i in traced.blocks.tolist()], np.int64).reshape(-1, 3)
    return chosen[:, 0] + x * (chosen[:, 1] + y * chosen[:, 2])


def _notes(traced: Traced, simulated: int, total: int) -> list[str]:
    notes = []
    if len(traced.blocks) < simulated:
        every = -(-simulated // len(traced.blocks))
        notes.append(
            f"requests of {len(traced.blocks):,} of {simulated:,} simulated blocks are shown, "
            f"one of every {every:,}; the figures of the lines are of all of them"
        )
    if simulated < total:
        notes.append(f"{simulated:,} of the grid's {total:,} blocks were simulated")
    if traced.cut:
        notes.append("what the warps did is shown from its beginning, not to its end")
    return notes


class _Ptx:
    """The lines of the PTX."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._lines = [line for text in texts for line in lines_of(text)]

    def of(self, instruction: Instruction) -> str:
        """An instruction as it is written."""
        at = instruction.line - 1
        text = self._lines[at].strip() if 0 <= at < len(self._lines) else ""
        return text if instruction.opcode in text else instruction.name


def _sources(setting: Setting, lines: Lines) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """The files that the kernel's instructions stand in, and (file, line) of each instruction."""
    files: dict[Path, int] = {}
    places = []
    for each in setting.instructions:
        line = lines.line(each)
        places.append((files.setdefault(line.path, len(files)), line.number))
    sources = [
        {"name": str(path), "lines": list(lines.texts.get(os.path.realpath(path), ()))}
        for path in files
    ]
    return sources, places


def _instructions(
    setting: Setting, places: Sequence[tuple[int, int]], ptx: _Ptx
) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "text": ptx.of(each),
            "source": source,
            "line": line,
            "guarded": each.guard is not None and table.cost(each) in _MEMORY,
        }
        for each, (source, line) in zip(setting.instructions, places, strict=True)
    ]


def _regions(setting: Setting, traced: Traced) -> list[dict[str, Any]]:
    known = {a.region: a for a in setting.allocations}
    out = []
    for number in traced.regions:
        found = known.get(number)
        name = found.name if found else "shared memory" if number == 0 else "no allocation"
        size = found.size if found else setting.shared_bytes if number == 0 else None
        out.append({"name": name, "size": size})
    return out


def _stream(stream: Stream) -> dict[str, Any]:
    return {
        "instruction": stream.position,
        "space": stream.space,
        "kind": stream.kind,
        "size": stream.size,
        "count": len(stream.warp),
    }


def _together(traced: Traced, name: str) -> np.ndarray:
    """A column of all streams, one behind the other."""
    nothing = np.zeros(0, np.int64)
    return np.concatenate([nothing, *(getattr(stream, name) for stream in traced.streams)])
