"""A profile as plain aligned text, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from perflint.profile.cache_report import cache_json, cache_text
from perflint.profile.figures import MOST_ACCESSES, LineRow, Profile
from perflint.profile.floor_figures import floor_json, floor_text
from perflint.profile.table import GAP, aligned
from perflint.sim.trace import Metric

_SOURCE = 60  #: characters of a source line that are shown


def as_text(profile: Profile) -> str:
    """The launch, a block for each tracer, and a table of the source lines."""
    out = [f"{profile.launch} on {profile.arch}", _scale(profile)]
    if profile.stopped:
        out.append(f"{profile.stopped}: the figures are of what ran until then")
    if profile.cache is not None:
        out += cache_text(profile.cache, profile.file)
    if profile.floors is not None:
        out += floor_text(profile.floors)
    if profile.metrics:
        out += ["", *aligned([(t, m, _shown(v)) for t, m, v in _first_named(profile)], left=3)]
    if profile.lines:
        out += ["", *_table(profile)]
    for what, rows in profile.watched.items():
        out += ["", f"{what}: {len(rows)} accesses recorded"]
        for row in rows[:MOST_ACCESSES]:
            value = f" = {row.value}" if row.value is not None else ""
            out.append(
                f"{GAP}{row.kind} of {row.size} bytes at byte {row.offset}{value}, {row.place}, "
                f"thread {row.thread} of block {row.block}"
            )
    return "\n".join(out) + "\n"


def _scale(profile: Profile) -> str:
    return (
        f"{_shown(profile.blocks)} of {_shown(profile.total_blocks)} blocks simulated; "
        f"{_shown(profile.warp_instructions)} warp instructions, "
        f"{_shown(profile.thread_instructions)} thread instructions"
    )


def _shown(value: Metric) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else value


def _first_named(profile: Profile) -> Iterator[tuple[str, str, Metric]]:
    """(tracer, metric, figure); the tracer's name stands before its first metric only."""
    for name, metrics in profile.metrics.items():
        for at, (metric, value) in enumerate(metrics.items()):
            yield "" if at else name, metric, value


_HEADER = ("line", "warp instr.", "active", "divergent", "sectors/req", "wavefronts/req", "source")


def _table(profile: Profile) -> list[str]:
    """Ratios are per warp instruction and per request; the ideal stands in brackets."""
    rows = [_HEADER, *_rows(profile)]
    used = [
        i for i in range(len(_HEADER)) if i in (0, len(_HEADER) - 1) or any(r[i] for r in rows[1:])
    ]
    return aligned([[row[i] for i in used] for row in rows], left=1)


def _rows(profile: Profile) -> Iterator[Sequence[str]]:
    for row in profile.lines:
        other = row.place.path != profile.file
        found = row.derived
        yield (
            str(row.place) if other else str(row.place.number),
            _shown(row.sums["warp_instructions"]) if "warp_instructions" in row.sums else "",
            _decimal(found.get("active_threads")),
            _divergent(row),
            _beside(found.get("sectors_per_request"), found.get("ideal_sectors_per_request")),
            _beside(found.get("wavefronts_per_request"), found.get("ideal_wavefronts_per_request")),
            row.source[:_SOURCE],
        )


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _divergent(row: LineRow) -> str:
    branches = row.sums.get("branches", 0)
    return f"{row.sums['divergent_branches']:,}/{branches:,}" if branches else ""


def _beside(measured: float | None, ideal: float | None) -> str:
    return "" if measured is None or ideal is None else f"{measured:.1f} ({ideal:.1f})"


def as_json(profile: Profile) -> str:
    """The same figures and the sums that they come from."""
    return json.dumps(as_data(profile), indent=2, ensure_ascii=False) + "\n"


def as_data(profile: Profile) -> dict[str, Any]:
    """What `as_json` prints, as data."""
    data: dict[str, Any] = {
        "kernel": profile.kernel,
        "filename": str(profile.file),
        "launch": profile.launch,
        "arch": profile.arch,
        "blocks": {"simulated": profile.blocks, "total": profile.total_blocks},
        "warp_instructions": profile.warp_instructions,
        "thread_instructions": profile.thread_instructions,
        "stopped": profile.stopped or None,
        "metrics": {name: dict(found) for name, found in profile.metrics.items()},
        "lines": [
            {
                "filename": str(row.place.path),
                "row": row.place.number,
                "source": row.source,
                **row.sums,
                **row.derived,
            }
            for row in profile.lines
        ],
        "watched": {
            what: [
                {
                    "kind": row.kind,
                    "filename": str(row.place.path),
                    "row": row.place.number,
                    "block": row.block,
                    "thread": row.thread,
                    "offset": row.offset,
                    "size": row.size,
                    "value": row.value,
                }
                for row in rows
            ]
            for what, rows in profile.watched.items()
        },
        "errors": [
            {
                "kind": each.kind,
                "message": each.message,
                "filename": str(each.place.path) if each.place else str(profile.file),
                "row": each.place.number if each.place else None,
                "block": each.block,
                "thread": each.thread,
                "address": each.address,
                "threads": each.count,
            }
            for each in profile.errors
        ],
    }
    if profile.cache is not None:
        data["cache"] = cache_json(profile.cache)
    if profile.floors is not None:
        data["floors"] = floor_json(profile.floors)
    return data
