"""Reviewdog's diagnostic format

As https://github.com/reviewdog/reviewdog/tree/master/proto/rdf has it; columns count UTF-8 bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perflint.base.span import Span
from perflint.lint.findings import Finding, Result
from perflint.report.context import Context

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(result: Result, context: Context) -> str:
    data = {
        "source": {"name": "perflint"},
        "diagnostics": [_diagnostic(f, result, context) for f in result.findings],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(finding: Finding, result: Result, context: Context) -> dict[str, Any]:
    place, rule = finding.place, context.rules.get(finding.code)
    code = {"value": finding.code} | ({"url": rule.url} if rule and rule.url else {})
    found: dict[str, Any] = {
        "message": finding.message_among(result.archs),
        "location": {"path": context.shown(place.path), "range": _range(place, context)},
        "severity": _SEVERITIES[finding.level],
        "code": code,
    }
    edits = finding.fix.edits if finding.fix else ()
    if edits and all(edit.span.path == place.path for edit in edits):  # a part of them is no fix
        found["suggestions"] = [
            {"range": _range(edit.span, context), "text": edit.replacement} for edit in edits
        ]
    return found


def _range(place: Span, context: Context) -> dict[str, Any]:
    def position(line: int, column: int) -> dict[str, int]:
        return {"line": line, "column": _bytes(place.path, line, column, context)}

    return {
        "start": position(place.line, place.column),
        "end": position(place.end_line, place.end_column),
    }


def _bytes(path: Path, line: int, column: int, context: Context) -> int:
    """A column of code points as one of bytes."""
    lines = context.lines(path)
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    return column + len(before.encode("utf-8", "replace")) - len(before)
