"""A comparison as plain aligned text, or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from perflint.base.plain_text import clean, one_line
from perflint.compare.pairing import Comparison, LinePair, MetricPair, RunPair
from perflint.compare.store import StoredRun
from perflint.profile.figures import LineRow
from perflint.profile.table import aligned
from perflint.sim.trace import Metric

_SOURCE = 60  #: characters of a source line that are shown
#: Columns of the table of lines: what it is called, and the figures behind it.
_COLUMNS = (
    ("warp instr.", "warp_instructions", "{:,}"),
    ("active", "active_threads", "{:.1f}"),
    ("divergent", "divergent_branches", "{:,}"),
    ("sectors", "sectors", "{:,}"),
    ("sectors/req", "sectors_per_request", "{:.1f}"),
    ("wavefronts/req", "wavefronts_per_request", "{:.1f}"),
)


def as_text(comparison: Comparison) -> str:
    """Of each pair of runs what differs: metrics of the launch, then lines."""
    out: list[str] = []
    for pair in comparison.pairs:
        out += [*([""] if out else []), *_pair_text(pair)]
    for side, runs in (("first", comparison.only_before), ("second", comparison.only_after)):
        out += [f"only in the {side}: {_run(run)}" for run in runs]
    return "".join(f"{clean(line)}\n" for line in out)


def _run(run: StoredRun) -> str:
    name = f" ({run.name})" if run.name else ""
    return one_line(f"{run.launch} on {run.arch}, run {run.number}{name}")


def _pair_text(pair: RunPair) -> Iterator[str]:
    yield f"before: {_run(pair.before)}"
    yield f"after:  {_run(pair.after)}"
    for what, run in (("before", pair.before), ("after", pair.after)):
        if run.stopped:
            yield f"note: {what}, {one_line(run.stopped)}: the figures are of what ran until then"
    changed = [each for each in pair.metrics if each.verdict != "equal"]
    if changed:
        yield ""
        header = ("", "", "before", "after", "change", "")
        yield from aligned([header, *_metric_rows(changed)], left=2)
    equal = len(pair.metrics) - len(changed)
    yield f"{_count(equal, 'metric')} equal" if equal else "no metric is equal"
    lines = [each for each in pair.lines if not each.equal]
    if lines:
        yield ""
        yield from _line_table(lines)
    same = len(pair.lines) - len(lines)
    if same:
        yield f"{_count(same, 'line')} as before"


def _count(number: int, what: str) -> str:
    return f"{number} {what} is" if number == 1 else f"{number} {what}s are"


def _metric_rows(pairs: list[MetricPair]) -> Iterator[tuple[str, ...]]:
    tracer = ""
    for each in pairs:
        head = "" if each.tracer == tracer else one_line(each.tracer)
        tracer = each.tracer
        said = each.verdict if each.verdict != "other" else ""
        yield head, one_line(each.name), _shown(each.before), _shown(each.after), _by(each), said


def _by(pair: MetricPair) -> str:
    change = pair.change
    if change is None:
        return ""
    return f"{change:+.1f}%" if math.isfinite(change) else "from 0"


def _shown(value: Metric | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else one_line(value)


def _line_table(lines: list[LinePair]) -> Iterator[str]:
    rows = [("line", *(title for title, _, _ in _COLUMNS), "source"), *map(_line_row, lines)]
    used = [
        i for i in range(len(rows[0])) if i in (0, len(rows[0]) - 1) or any(r[i] for r in rows[1:])
    ]
    yield from aligned([[row[i] for i in used] for row in rows], left=1)


def _line_row(pair: LinePair) -> tuple[str, ...]:
    cells = [_both(_figure(pair.before, n, form), _figure(pair.after, n, form))
             for _, n, form in _COLUMNS]  # fmt: skip
    numbers = _both(*(str(s.place.number) if s else "–" for s in (pair.before, pair.after)))
    shown = pair.after or pair.before
    assert shown is not None
    return (numbers, *cells, one_line(shown.source)[:_SOURCE])


def _figure(line: LineRow | None, name: str, form: str) -> str:
    if line is None:
        return ""
    value = line.sums.get(name, line.derived.get(name))
    return "" if value is None else form.format(value)


def _both(before: str, after: str) -> str:
    if before == after:
        return before
    return f"{before or '–'} → {after or '–'}"


# --- JSON ----------------------------------------------------------------------------------------


def as_json(comparison: Comparison) -> str:
    """All figures of both sides."""
    data = {
        "pairs": [
            {
                "before": _run_json(pair.before),
                "after": _run_json(pair.after),
                "metrics": [_metric_json(each) for each in pair.metrics],
                "lines": [
                    {
                        "before": _line_json(each.before),
                        "after": _line_json(each.after),
                        "edited": each.edited,
                    }
                    for each in pair.lines
                ],
            }
            for pair in comparison.pairs
        ],
        "only_before": [_run_json(run) for run in comparison.only_before],
        "only_after": [_run_json(run) for run in comparison.only_after],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _run_json(run: StoredRun) -> dict[str, Any]:
    return {
        "run": run.number,
        "name": run.name or None,
        "kernel": run.kernel,
        "filename": str(run.file),
        "launch": run.launch,
        "arch": run.arch,
        "blocks": {"simulated": run.blocks, "total": run.total_blocks},
        "stopped": run.stopped or None,
    }


def _metric_json(each: MetricPair) -> dict[str, Any]:
    change = each.change
    return {
        "tracer": each.tracer,
        "metric": each.name,
        "before": each.before,
        "after": each.after,
        "change": change if change is not None and math.isfinite(change) else None,
        "verdict": each.verdict,
    }


def _line_json(line: LineRow | None) -> dict[str, Any] | None:
    if line is None:
        return None
    place = {"filename": str(line.place.path), "row": line.place.number, "source": line.source}
    return {**place, **line.sums, **line.derived}
