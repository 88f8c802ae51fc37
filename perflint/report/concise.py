"""one line a finding: path:line:column: level: code message"""

from __future__ import annotations

from perflint.lint.findings import Result
from perflint.report.context import Context, line_start, one_line
from perflint.report.full import COLORS
from perflint.report.snippet import Paint
from perflint.report.summary import summary


def render(result: Result, context: Context) -> str:
    paint = Paint(context.color)
    lines = []
    for finding in result.findings:
        place = finding.place
        path = paint(line_start(one_line(context.shown(place.path))))
        code = paint(f"{finding.level}: {finding.code}", COLORS[finding.level])
        message = one_line(finding.message_among(result.archs))
        lines.append(f"{path}:{place.line}:{place.column}: {code} {message}")
    if context.summary:
        lines += summary(result, context)
    return "".join(f"{line}\n" for line in lines)
