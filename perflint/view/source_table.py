"""The source of a traced kernel as a table: figures as a heat column, findings at their lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from perflint.base.plain_text import clean
from perflint.view.trace_reader import Trace

#: Of a longer file only lines near those that have figures are shown.
_WHOLE, _NEAR = 2500, 60
_LINE = 400  #: characters of a line that are shown
_TEXT = 2000  #: … of a finding's text

Row = Mapping[str, Any]  #: a line's sums and ratios, as `perflint profile` prints them


def source_section(number: int, trace: Trace) -> str:
    """The section of a run, by its number on the page."""
    data = trace.data
    instructions = {(i["source"], i["line"]) for i in data["instructions"]}
    names = [source["name"] for source in data["sources"]]
    rows = {
        (names.index(row["filename"]), row["row"]): row
        for row in data["profile"]["lines"]
        if row["filename"] in names
    }
    totals = {
        name: sum(row.get(name, 0) for row in rows.values()) for name in ("sectors", "wavefronts")
    }
    findings: defaultdict[tuple[str, int], list[Row]] = defaultdict(list)
    for finding in data["findings"]:
        findings[finding["filename"], finding["row"]].append(finding)
    body = "".join(
        "".join(_file(index, source, instructions, rows, totals, findings, len(names) > 1))
        for index, source in enumerate(data["sources"])
    )
    title = escape(", ".join(ending(clean(name)) for name in names)[:200]) or "source"
    whole = escape(clean(", ".join(names))[:400])
    return (
        f'<section class="source" id="source-{number}" aria-label="Source {number + 1}">'
        f'<div class="sourcehead"><h2 title="{whole}">{title}</h2></div>'
        '<div class="lines" tabindex="0" role="region" '
        f'aria-label="Source lines and figures {number + 1}">'
        f'<table class="{" ".join(_unused(rows.values()))}">'
        '<thead><tr><th scope="col" class="number">Line</th>'
        '<th scope="col">Excess</th><th scope="col" class="served">Sectors / request</th>'
        '<th scope="col" class="waves">Wavefronts / request</th>'
        '<th scope="col" class="division">Divergent</th>'
        f'<th scope="col" class="code">Source</th></tr></thead><tbody>{body}</tbody></table>'
        "</div></section>"
    )


def ending(name: str, most: int = 40) -> str:
    """A path that is not longer than `most`, or `…/` and as many of its last names as fit."""
    if len(name) <= most:
        return name
    *folders, last = name.split("/")
    if not folders:
        return name
    while folders and len(folders[-1]) + len(last) + 3 <= most:
        last = f"{folders.pop()}/{last}"
    return f"…/{last}"


def _unused(rows: Iterable[Row]) -> Iterator[str]:
    """Classes that hide columns in which nothing stands."""
    used = {name for row in rows for name, value in row.items() if value}
    columns = {"global_requests": "served", "shared_requests": "waves", "branches": "division"}
    return (f"no-{column}" for name, column in columns.items() if name not in used)


def _file(
    index: int,
    source: Mapping[str, Any],
    instructions: set[tuple[int, int]],
    rows: Mapping[tuple[int, int], Row],
    totals: Mapping[str, int],
    findings: Mapping[tuple[str, int], list[Row]],
    named: bool,
) -> Iterator[str]:
    mine = {line for at, line in instructions if at == index}
    lines = source["lines"]
    wanted: Sequence[int] = range(1, len(lines) + 1)
    if not lines or len(lines) > _WHOLE:
        near = {n for line in mine for n in range(line - _NEAR, line + _NEAR + 1)}
        wanted = sorted(n for n in near if 1 <= n <= len(lines)) if lines else sorted(mine)
    if named:
        name = escape(clean(source["name"])[:200])
        yield f'<tr><th></th><td colspan="5" class="code"><b>{name}</b></td></tr>'
    before = 0
    for line in wanted:
        if before and line > before + 1:
            yield '<tr><th></th><td colspan="5" class="code">⋮</td></tr>'
        before = line
        text = clean(lines[line - 1])[:_LINE] if line <= len(lines) else ""
        yield _line(index, line, text, line in mine, rows.get((index, line), {}), totals)
        for finding in findings.get((source["name"], line), ()):
            yield _finding(finding)


def _line(index: int, line: int, text: str, has: bool, row: Row, totals: Mapping[str, int]) -> str:
    if not has:
        return (
            f'<tr><th scope="row">{line}</th><td></td><td class="served"></td>'
            '<td class="waves"></td>'
            f'<td class="division"></td><td class="code"><code>{escape(text)}</code></td></tr>'
        )
    share = excess(row, totals)
    shown = "" if share is None else f"{100 * share:.1f} %"
    heat = round(10 * (share or 0))
    return (
        f'<tr class="heat-{heat}" data-at="{index}:{line}"><th scope="row">'
        f'<button type="button" class="number">{line}</button></th>'
        f'<td class="figure excess">{shown}</td>'
        f'<td class="figure served">{_beside(row, "sectors_per_request")}</td>'
        f'<td class="figure waves">{_beside(row, "wavefronts_per_request")}</td>'
        f'<td class="division">{_divergent(row)}</td>'
        f'<td class="code"><code>{escape(text)}</code></td></tr>'
    )


def excess(row: Row, totals: Mapping[str, int]) -> float | None:
    """What a line moves beyond its ideal, as a share of all that the kernel moves.

    Of the kernel's sectors or of its wavefronts, whichever is more; None where it does neither.
    """
    shares = [
        (row[name] - row[f"ideal_{name}"]) / totals[name]
        for name in ("sectors", "wavefronts")
        if row.get(name) and totals[name]
    ]
    return max(0.0, *shares) if shares else None


def _beside(row: Row, name: str) -> str:
    measured, ideal = row.get(name), row.get(f"ideal_{name}")
    return "" if measured is None or ideal is None else f"{measured:,.1f} ({ideal:,.1f})"


def _divergent(row: Row) -> str:
    branches = row.get("branches", 0)
    return f"{row['divergent_branches']:,}/{branches:,}" if branches else ""


def _finding(finding: Row) -> str:
    more = "".join(f"<p>{_told(text)}</p>" for text in finding["evidence"])
    head = f"<b>{_told(finding['level'])} {_told(finding['code'])}</b> {_told(finding['message'])}"
    shown = f"<details><summary>{head}</summary>{more}</details>" if more else head
    return f'<tr class="finding"><td colspan="6"><div>{shown}</div></td></tr>'


def _told(text: Any) -> str:
    return escape(clean(str(text))[:_TEXT])
