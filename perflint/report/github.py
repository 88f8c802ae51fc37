"""GitHub's workflow commands: annotations on a pull request, the worst first"""

from __future__ import annotations

from perflint.lint.findings import Result, worst_first
from perflint.report.context import Context, one_line

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(result: Result, context: Context) -> str:
    """One command a finding. GitHub takes ten of a kind from each step."""
    lines = []
    for finding in worst_first(result.findings):
        place = finding.place
        properties = {
            "file": one_line(context.shown_in_repository(place.path)),
            "line": place.line,
            "endLine": place.end_line,
            "title": f"{finding.code} {finding.name}",
        }
        if place.line == place.end_line:  # columns are of one line only
            properties |= {"col": place.column, "endColumn": place.end_column}
        said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
        message = _data(one_line(finding.message_among(result.archs)))
        lines.append(f"::{_COMMANDS[finding.level]} {said}::{message}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    """As actions/toolkit escapes a command's message (`command.ts`)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
