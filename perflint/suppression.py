"""Comments that silence findings: `// perflint: ignore[CU101] -- why it is meant`.

`ignore[…]`      the line the comment stands on; a comment alone on its line: the next statement
`disable[…]`     from here to `enable[…]` of the same rules, or to the end of the file
`ignore-file[…]` the whole file

The brackets hold codes or names, separated by commas. `//` and `/* */` serve alike, in CUDA and
in PTX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint.findings import Finding
from perflint.rulebook import RuleInfo

_TOKEN = re.compile(
    r"""
    R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"      # a raw string
    | "(?:\\.|[^"\\\n])*"?
    | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'           # not the separator in 1'000
    | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"(?:\A/[/*]+|^[ \t]*\**)[ \t]*perflint:[ \t]*(?P<verb>[\w-]+)[ \t]*"
    r"(?:\[(?P<codes>[^\]\n]*)\])?(?:[ \t]*--[ \t]*(?P<reason>.*))?",
    re.MULTILINE,
)
MARK = "perflint:"  #: what every comment to perflint contains
_VERBS = ("ignore", "disable", "enable", "ignore-file")
_END_OF_FILE = 1 << 62


@dataclass(frozen=True)
class Suppression:
    """Rules silenced on a stretch of lines of one file (1-based, both ends included)."""

    codes: frozenset[str]
    first: int
    last: int
    line: int  #: of the comment
    reason: str = ""


@dataclass(frozen=True)
class Problem:
    """A comment that does not silence what it seems to."""

    line: int
    message: str


@dataclass(frozen=True)
class Suppressed:
    """The outcome of `apply`."""

    kept: tuple[Finding, ...]
    dropped: tuple[Finding, ...]
    problems: tuple[tuple[Path, Problem], ...]


def apply(
    findings: Sequence[Finding], texts: Mapping[Path, str], book: Mapping[str, RuleInfo]
) -> Suppressed:
    """Tell the findings that comments in `texts` silence from those that stay.

    texts: the files' text by the path that findings use in `place`. Problems are in the order of
    paths and lines.
    """
    read = {path: scan(text, book) for path, text in texts.items() if MARK in text}
    rules = {path: suppressions for path, (suppressions, _) in read.items()}

    def silenced(finding: Finding) -> bool:
        return any(
            finding.code in s.codes and s.first <= finding.place.line <= s.last
            for s in rules.get(finding.place.path, ())
        )

    return Suppressed(
        tuple(f for f in findings if not silenced(f)),
        tuple(f for f in findings if silenced(f)),
        tuple((path, p) for path in sorted(read) for p in read[path][1]),
    )


def scan(
    text: str, book: Mapping[str, RuleInfo]
) -> tuple[tuple[Suppression, ...], tuple[Problem, ...]]:
    """The suppressions in one file's text, and the comments that are wrong."""
    comments = list(_comments(text))
    code = _Code(text, comments)
    suppressions: list[Suppression] = []
    problems: list[Problem] = []
    opened: dict[str, tuple[int, str]] = {}
    directives = [
        (start, start + len(comment), match)
        for start, comment in comments
        for match in _DIRECTIVE.finditer(comment)
    ]
    for start, end, match in directives:
        line = text.count("\n", 0, start + match.start("verb")) + 1
        codes, problem = _codes(match, book)
        if problem:
            problems.append(Problem(line, problem))
            continue
        reason = (match["reason"] or "").removesuffix("*/").strip()
        match match["verb"]:
            case "ignore":
                first, last = code.target(start, end)
                suppressions.append(Suppression(codes, first, last, line, reason))
            case "ignore-file":
                suppressions.append(Suppression(codes, 1, _END_OF_FILE, line, reason))
            case "disable":
                for name in codes:
                    opened.setdefault(name, (line, reason))
            case _:
                for name in sorted(codes):
                    if name not in opened:
                        message = f"enable[{name}] without a disable[{name}] before it"
                        problems.append(Problem(line, message))
                        continue
                    since, why = opened.pop(name)
                    suppressions.append(Suppression(frozenset({name}), since, line, since, why))
    suppressions += [
        Suppression(frozenset({name}), since, _END_OF_FILE, since, why)
        for name, (since, why) in opened.items()
    ]
    return tuple(sorted(suppressions, key=lambda s: (s.line, sorted(s.codes)))), tuple(problems)


def _codes(match: re.Match[str], book: Mapping[str, RuleInfo]) -> tuple[frozenset[str], str]:
    """The codes that a comment names, and what is wrong with it ("" if nothing is)."""
    verb = match["verb"]
    if verb not in _VERBS:
        return frozenset(), f"unknown comment `perflint: {verb}`; there are {', '.join(_VERBS)}"
    words = [word.strip() for word in (match["codes"] or "").split(",") if word.strip()]
    if not words:
        return frozenset(), f"`perflint: {verb}` needs the rules in brackets: {verb}[CU101]"
    by_name = {info.name: code for code, info in book.items()}
    unknown = [word for word in words if word not in book and word not in by_name]
    if unknown:
        return frozenset(), f"`perflint: {verb}` names no rule: {', '.join(unknown)}"
    return frozenset(by_name.get(word, word) for word in words), ""


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Position and text of every comment, those in string literals left out."""
    for match in _TOKEN.finditer(text):
        if match["comment"] is not None:
            yield match.start(), match["comment"]


class _Code:
    """A text with its comments blanked: where the statements are."""

    def __init__(self, text: str, comments: Iterable[tuple[int, str]]) -> None:
        pieces: list[str] = []
        at = 0
        for start, comment in comments:
            pieces += [text[at:start], re.sub(r"[^\n]", " ", comment)]
            at = start + len(comment)
        self.lines = ("".join(pieces) + text[at:]).split("\n")
        self.text = text

    def target(self, start: int, end: int) -> tuple[int, int]:
        """First and last line that a comment at [start, end) speaks of."""
        first = self.text.count("\n", 0, start) + 1
        last = self.text.count("\n", 0, end) + 1
        if self.lines[first - 1].strip() or self.lines[last - 1].strip():
            return first, last
        following = next(
            (n for n in range(last + 1, len(self.lines) + 1) if self.lines[n - 1].strip()), None
        )
        if following is None:
            return first, last
        for n in range(following, len(self.lines) + 1):
            if re.search(r"[;{}]", self.lines[n - 1]):
                return following, n
        return following, len(self.lines)
