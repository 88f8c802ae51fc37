"""one JSON object a line, with the fields of json"""

from __future__ import annotations

import json

from perflint.lint.findings import Result
from perflint.report.context import Context
from perflint.report.json import as_data


def render(result: Result, context: Context) -> str:
    findings = (as_data(finding, context) for finding in result.findings)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in findings)
