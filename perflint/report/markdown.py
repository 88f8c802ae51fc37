"""Markdown tables: a job's summary, or a comment on a pull request"""

from __future__ import annotations

import html
import re

from perflint.base.patterns import pattern
from perflint.lint.findings import Finding, Result, worst_first
from perflint.report.context import Context, number, one_line
from perflint.report.summary import summary

#: What a link begins with, and the character of no width that ends it there.
_LINKED = pattern(r"@|#(?=\d)|\b[a-z][a-z0-9+.-]*:(?=//)|\bwww(?=\.)|\bmailto:", re.IGNORECASE)
_NOTHING = "\N{ZERO WIDTH SPACE}"
MOST_ROWS = 500  #: a job's summary may have 1 MB


def render(result: Result, context: Context) -> str:
    found = worst_first(result.findings)
    lines = ["## perflint", ""]
    if context.summary:
        lines += [escaped(line) + "  " for line in summary(result, context)] + [""]
    if found:
        lines += ["| where | rule | finding | measured | ideal |", "|---|---|---|---:|---:|"]
        lines += [_row(finding, result, context) for finding in found[:MOST_ROWS]]
    if len(found) > MOST_ROWS:
        lines += ["", f"The {MOST_ROWS:,} worst of {len(found):,} findings."]
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding, result: Result, context: Context) -> str:
    place, rule = finding.place, context.rules.get(finding.code)
    code = f"[{finding.code}]({rule.url})" if rule and rule.url else finding.code
    first = next(iter(finding.evidence), None)
    cells = (
        escaped(f"{context.shown(place.path)}:{place.line}"),
        f"{code} {finding.name}",
        escaped(finding.message_among(result.archs)),
        escaped(f"{number(first.measured)} {first.unit}") if first else "",
        escaped(number(first.golden)) if first else "",
    )
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Text as it is, in a table of Markdown: no markup, no HTML; it names nobody and no address.

    Hosts make links of `@name`, `#12`, `https://` and `www.` wherever they stand.
    """
    plain = re.sub(r"([\\`*_{}\[\]()#|~])", r"\\\1", html.escape(one_line(text), quote=False))
    return _LINKED.sub(lambda match: f"{match[0]}{_NOTHING}", plain)
