"""`--add-ignore`: comments put into the sources, which silence what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.lint.comments import Comments
from perflint.lint.findings import Finding
from perflint.lint.rulebook import RuleInfo
from perflint.lint.suppression import scan

_OURS = pattern(r"(perflint:[ \t]*ignore\[)([^\]\n]*)(\])")


def inserted(
    text: str, findings: Sequence[Finding], reason: str, book: Mapping[str, RuleInfo], python: bool
) -> tuple[str, tuple[Finding, ...]]:
    """One file's text with a comment for each finding, and the findings that none could silence.

    A comment goes to the end of the finding's line, or into one that is there. Where that would be
    inside a literal or break a continued line, it stands in slashes and stars, or not at all: what
    `scan` does not read back is not written.
    """
    by_line: dict[int, set[str]] = defaultdict(set)
    for finding in findings:
        by_line[finding.place.line].add(finding.code)
    lines = text.split("\n")
    for line, codes in by_line.items():
        if (new := commented("\n".join(lines), line, codes, reason, book, python)) is not None:
            lines[line - 1] = new
    comments = scan("\n".join(lines), book, python=python)
    left = [f for f in findings if not _silences(comments, f.place.line, f.code)]
    return "\n".join(lines), tuple(left)


def commented(
    text: str, line: int, codes: Set[str], reason: str, book: Mapping[str, RuleInfo], python: bool
) -> str | None:
    """One line of a text with a comment that silences rules there; None if none would."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    for candidate in _candidates(lines[line - 1], sorted(codes), reason, python):
        changed = "\n".join([*lines[: line - 1], candidate, *lines[line:]])
        comments = scan(changed, book, python=python)
        if all(_silences(comments, line, code) for code in codes):
            return candidate
    return None


def _silences(comments: Comments, line: int, code: str) -> bool:
    return any(s.code == code and s.first <= line <= s.last for s in comments.suppressions)


def _candidates(line: str, codes: Sequence[str], reason: str, python: bool) -> list[str]:
    end = "\r" if line.endswith("\r") else ""
    body = line.removesuffix("\r")
    if match := _OURS.search(body):
        old = [code.strip() for code in match[2].split(",") if code.strip()]
        names = ", ".join(dict.fromkeys([*old, *codes]))
        return [body[: match.start(2)] + names + body[match.end(2) :] + end]
    said = f"perflint: ignore[{', '.join(codes)}]" + (f" -- {reason}" if reason else "")
    if python:
        return [f"{body}  # {said}{end}"]
    if body.rstrip().endswith("\\"):
        before = body.rstrip()[:-1].rstrip()
        return [f"{before} /* {said} */ \\{end}"]
    found = [f"{body} // {said}{end}", f"{body} /* {said} */{end}"]
    if (at := body.find("//")) >= 0:  # before the comment that ends the line
        found.append(f"{body[:at].rstrip()} /* {said} */ {body[at:]}{end}")
    return found


def one_line(reason: str) -> str:
    """A reason that stays a comment: no line ends, no end of a comment."""
    return " ".join(reason.replace("*/", "* /").replace("\\", "/").split())


def by_file(findings: Sequence[Finding]) -> Mapping[Path, list[Finding]]:
    """The findings of each file."""
    found: dict[Path, list[Finding]] = defaultdict(list)
    for finding in findings:
        found[finding.place.path].append(finding)
    return found
