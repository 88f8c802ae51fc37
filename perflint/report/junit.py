"""JUnit's XML, as most continuous integration reads it: a test case a finding"""

from __future__ import annotations

from collections import defaultdict
from xml.sax.saxutils import escape, quoteattr

from perflint.lint.findings import Finding, Result
from perflint.report.context import Context, clean, one_line


def render(result: Result, context: Context) -> str:
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for finding in result.findings:
        by_file[context.shown(finding.place.path)].append(finding)
    total = len(result.findings)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites name="perflint" tests="{max(1, total)}" failures="{total}">')
    for path, findings in by_file.items():
        count = len(findings)
        name = quoteattr(one_line(path))
        lines.append(f'  <testsuite name={name} tests="{count}" failures="{count}">')
        for finding in findings:
            lines += _case(finding, name, result)
        lines.append("  </testsuite>")
    if not by_file:  # a report without a test is an error to some readers
        lines += [
            '  <testsuite name="perflint" tests="1" failures="0">',
            '    <testcase name="no findings" classname="perflint"/>',
            "  </testsuite>",
        ]
    return "\n".join([*lines, "</testsuites>", ""])


def _case(finding: Finding, path: str, result: Result) -> list[str]:
    place = finding.place
    title = quoteattr(f"{finding.code} {finding.name} ({place.line}:{place.column})")
    message = one_line(finding.message_among(result.archs))
    facts = [finding.launch.whole if finding.launch else "", finding.witness, *finding.notes]
    body = "\n".join(clean(text) for text in (*facts, finding.help) if text)
    return [
        f'    <testcase name={title} classname={path} file={path} line="{place.line}">',
        f"      <failure message={quoteattr(message)} type={quoteattr(finding.level)}>"
        f"{escape(body)}</failure>",
        "    </testcase>",
    ]
