"""The rules' pages as `perflint rule` prints them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from perflint.lint.rulebook import RuleInfo


def listing(rules: Iterable[RuleInfo]) -> str:
    """One line a rule."""
    rules = list(rules)
    width = max((len(rule.name) for rule in rules), default=0)
    lines = [f"{rule.code}  {rule.name:{width}}  {rule.summary}{_status(rule)}" for rule in rules]
    return "".join(f"{line}\n" for line in (*lines, "", "perflint rule CODE explains one."))


def _status(rule: RuleInfo) -> str:
    return "" if rule.status == "stable" else f" ({rule.status})"


def text(rules: Sequence[RuleInfo]) -> str:
    """The pages for a terminal: headings in capitals, code indented."""
    return "\n\n".join(_text(rule) for rule in rules)


def _text(rule: RuleInfo) -> str:
    out: list[str] = [f"{rule.code} {rule.name}", rule.summary, "", _facts(rule), ""]
    code = False
    for line in rule.page.splitlines():
        if line.startswith("```"):
            code = not code
            if code and out[-1]:
                out.append("")
        elif code:
            out.append(f"    {line}".rstrip())
        else:
            heading = re.fullmatch(r"#+ +(.*)", line)
            out.append(heading[1].upper() if heading else line)
    return "\n".join(out).rstrip() + "\n"


def markdown(rules: Sequence[RuleInfo]) -> str:
    """The pages as Markdown, each under a heading of its own."""
    return "\n".join(
        f"# {rule.name} ({rule.code})\n\n{rule.summary}\n\n{_facts(rule)}\n\n{rule.page.rstrip()}\n"
        for rule in rules
    )


def data(rules: Sequence[RuleInfo]) -> str:
    """A JSON list of everything known of the rules."""
    items = [asdict(rule) | {"url": rule.url} for rule in rules]
    return json.dumps(items, indent=2, ensure_ascii=False) + "\n"


def _facts(rule: RuleInfo) -> str:
    return f"Level: {rule.level}. Status: {rule.status}, since {rule.since}."


WRITERS: dict[str, Callable[[Sequence[RuleInfo]], str]] = {
    "text": text,
    "md": markdown,
    "json": data,
}
