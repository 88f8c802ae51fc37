"""each finding with its source lines and the evidence (default)

The manner of rustc and Ruff: a header, the place, the lines with carets, what was measured, help.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perflint.base.evidence import NOT_REACHED, Evidence
from perflint.base.span import Span
from perflint.lint.findings import Finding, Result
from perflint.report.context import Context, number, one_line
from perflint.report.snippet import Paint, draw, gutter
from perflint.report.summary import silence, summary, what_next

WORST, SUCH = "worst request", "such a request"  #: of a run, and of a formula
COLORS = {"error": "red", "warning": "yellow", "note": "cyan"}


def render(result: Result, context: Context) -> str:
    paint = Paint(context.color)
    blocks = [
        "\n".join(block(finding, context, paint, first=number == 0)) + "\n"
        for number, finding in enumerate(result.findings)
    ]
    if context.summary:
        lines = [*summary(result, context), *what_next(result, context)]
        blocks.append("".join(f"{line}\n" for line in lines))
    return "\n".join(blocks)


def block(finding: Finding, context: Context, paint: Paint, *, first: bool) -> list[str]:
    """The lines of one finding; the `first` one says how to silence it."""
    color = COLORS[finding.level]
    lines = context.lines(finding.place.path)
    snippet = draw(lines, finding.place, one_line(finding.label), color, paint)
    margin = " " * gutter(lines, finding.place)
    unconfirmed = " (unconfirmed)" if finding.verdict == "undecided" else ""
    out = [
        f"{paint(f'{finding.level}: {finding.code}', color)} {paint(finding.name)}{unconfirmed}: "
        + paint(one_line(finding.message)),
        f"{margin}{paint('-->', 'blue')} {_place(finding.place, context)}",
        *snippet,
    ]
    for word, text in (
        *facts(finding, context),
        *([("silence", f"{silence(finding)}, at the end of the line")] if first else []),
    ):
        out.append(f"{margin} {paint('=', 'blue')} {paint(word)}: {one_line(text)}")
    return out


def was_seen(finding: Finding) -> bool:
    """Whether a run came to it: else its figures are a formula's."""
    return not any(note.startswith(NOT_REACHED) for note in finding.notes)


def facts(finding: Finding, context: Context) -> list[tuple[str, str]]:
    """What stands below the snippet: (word, text) each."""
    facts: list[tuple[str, str]] = []
    if finding.reason:
        facts.append(("undecided", finding.reason))
    word, request = ("measured", WORST) if was_seen(finding) else ("computed", SUCH)
    facts += [(word, _measure(measure)) for measure in finding.evidence]
    if finding.witness:
        facts.append((request, finding.witness))
    if finding.launch:
        launch = finding.launch
        words = [
            launch.text + (" (assumed)" if launch.assumed and not launch.remarks else ""),
            f"at {_place(launch.place, context)}" if launch.place else "",
            f"on {finding.arch}" if finding.arch else "",
        ]
        text = " ".join(word for word in words if word)
        facts.append(("launch", "; ".join(filter(None, (text, *launch.remarks, launch.blocks)))))
    if finding.worth:
        facts.append(("worth", finding.worth.text))
    facts += [("note", note) for note in finding.notes]
    facts += [("see", text) for text in _related(finding, context)]
    if finding.help:
        facts.append(("help", finding.help))
    return facts


def _related(finding: Finding, context: Context) -> Iterator[str]:
    """`a.cu:3:9: words`; places of a file with the same words share a line: `a.cu:3:9, 7:5: …`."""
    alike: dict[tuple[Path, str], list[Span]] = {}
    for each in finding.related:
        alike.setdefault((each.place.path, each.message), []).append(each.place)
    for (_, message), (first, *rest) in alike.items():
        more = "".join(f", {place.line}:{place.column}" for place in rest)
        yield f"{_place(first, context)}{more}: {message}"


def _measure(measure: Evidence) -> str:
    """`sectors per request 32, ideal 4`; the unit only where the metric does not name it."""
    unit = "" if measure.unit in measure.metric else f" {measure.unit}"
    return (
        f"{measure.metric} {number(measure.measured)}{unit}, ideal {number(measure.golden)}{unit}"
    )


def _place(place: Span, context: Context) -> str:
    return one_line(f"{context.shown(place.path)}:{place.line}:{place.column}")
