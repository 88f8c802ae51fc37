"""GitLab's Code Quality report

The fields are those of https://docs.gitlab.com/ci/testing/code_quality/ ("report format").
"""

from __future__ import annotations

import hashlib
import json

from perflint.lint.findings import Result
from perflint.report.context import Context
from perflint.report.identity import Numbers, identity

_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(result: Result, context: Context) -> str:
    numbers = Numbers()
    issues = []
    for finding in result.findings:
        place = finding.place
        path = context.shown_in_repository(place.path)
        own = numbers.numbered(f"{identity(finding, context.lines(place.path))}:{path}")
        issues.append(
            {
                "description": finding.message_among(result.archs),
                "check_name": finding.code,
                "fingerprint": hashlib.sha256(own.encode("utf-8", "replace")).hexdigest()[:32],
                "severity": _SEVERITIES[finding.level],
                "location": {"path": path, "lines": {"begin": place.line, "end": place.end_line}},
            }
        )
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
