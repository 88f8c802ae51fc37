"""a list of findings with Ruff's field names and perflint's evidence"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from perflint.base.evidence import Fix
from perflint.lint.findings import Finding, Result
from perflint.lint.worth import Together, Worth
from perflint.report.context import Context, plain


def render(result: Result, context: Context) -> str:
    findings = [as_data(finding, context) for finding in result.findings]
    if not context.silence:
        return json.dumps(findings, indent=2, ensure_ascii=False) + "\n"
    from perflint.why.data import silent

    both = {"findings": findings, "silent": silent(result.accounts, context)}
    return json.dumps(both, indent=2, ensure_ascii=False) + "\n"


def as_data(finding: Finding, context: Context) -> dict[str, Any]:
    """One finding as JSON data. Rows and columns are 1-based, columns count code points."""
    place, rule = finding.place, context.rules.get(finding.code)
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": context.shown(place.path),
        "location": {"row": place.line, "column": place.column},
        "end_location": {"row": place.end_line, "column": place.end_column},
        "url": rule.url if rule else None,
        "fix": _fix(finding.fix, context),
        "unfixed": finding.unfixed or None,
        "level": finding.level,
        "verdict": finding.verdict,
        "kernel": finding.kernel,
        "arch": finding.arch,
        "launch": finding.launch.whole if finding.launch else None,
        "evidence": [
            {
                "metric": measure.metric,
                "measured": plain(measure.measured),
                "golden": plain(measure.golden),
                "unit": measure.unit,
            }
            for measure in finding.evidence
        ],
        "worth": _worth(finding.worth),
        "launches": (
            {key: value for key, value in asdict(finding.launches).items() if key != "worst"}
            if finding.launches
            else None
        ),
        "notes": list(finding.notes),
        "help": finding.help,
        "reason": finding.reason,
        "related": [
            {
                "message": related.message,
                "filename": context.shown(related.place.path),
                "location": {"row": related.place.line, "column": related.place.column},
                "end_location": {
                    "row": related.place.end_line,
                    "column": related.place.end_column,
                },
            }
            for related in finding.related
        ],
    }


def _worth(worth: Worth | None) -> dict[str, Any] | None:
    """Cycles that no schedule of the simulated blocks can beat, before and after the change."""
    if worth is None:
        return None
    return {
        "message": worth.text,
        "moves": worth.moves,
        "before": {"unit": worth.before.unit, "cycles": worth.before.value},
        "after": {"unit": worth.after.unit or None, "cycles": worth.after.value},
        "together": _together(worth.together),
    }


def _together(found: Together | None) -> dict[str, Any] | None:
    """With the changes of all findings of the kernel that are about requests."""
    if found is None:
        return None
    after = found.after
    return {"changes": found.changes, "unit": after.unit or None, "cycles": after.value}


def _fix(fix: Fix | None, context: Context) -> dict[str, Any] | None:
    """A fix in Ruff's words."""
    if fix is None:
        return None
    return {
        "applicability": "safe" if fix.safe else "unsafe",
        "message": fix.message,
        "edits": [
            {
                "content": edit.replacement,
                "filename": context.shown(edit.span.path),
                "location": {"row": edit.span.line, "column": edit.span.column},
                "end_location": {"row": edit.span.end_line, "column": edit.span.end_column},
            }
            for edit in fix.edits
        ],
    }
