"""for editors: the format json, with each finding's worst request as text and as an SVG image

`perflint lsp` reads it. An object with `findings`; with `--explain-silence` what was refuted stands
under `silent`, which is empty otherwise.
"""

from __future__ import annotations

import json
from typing import Any

from perflint.lint.findings import Finding, Result
from perflint.report.context import Context
from perflint.report.json import as_data
from perflint.report.pictures import drawable
from perflint.view.pair_svg import pair_svg
from perflint.why.data import silent


def render(result: Result, context: Context) -> str:
    found = {
        "findings": [
            {**as_data(finding, context), "worst_request": _worst(finding)}
            for finding in result.findings
        ],
        "silent": silent(result.accounts, context) if context.silence else [],
    }
    return json.dumps(found, ensure_ascii=False) + "\n"


def _worst(finding: Finding) -> dict[str, Any] | None:
    """What the request is, its counts as it is and after the change, and both as one picture."""
    shown, rule = drawable(finding)
    if not shown and not finding.witness:
        return None
    return {
        "text": finding.witness,
        "counts": [f"{each.heading}: {each.count}" for each in shown],
        "svg": pair_svg(shown, rule) if shown else "",
    }
