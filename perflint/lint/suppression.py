"""Comments that silence findings: `// perflint: ignore[CU101] -- why it is meant`.

`ignore[…]`      the line the comment stands on; a comment alone on its line: the next statement
`disable[…]`     from here to `enable[…]` of the same rules, or to the end of the file
`ignore-file[…]` the whole file

The brackets hold codes or names, separated by commas. `//` and `/* */` serve alike, in CUDA and
in PTX; `#` in Python. clang-tidy's comments serve where they name a rule in full:
`NOLINT(perflint-CU101)`, `NOLINTNEXTLINE`, `NOLINTBEGIN` and `NOLINTEND`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.comments import Comments, Problem, Suppression
from perflint.lint.findings import SAME, Finding
from perflint.lint.rulebook import RuleInfo

_TOKEN = pattern(
    r"""
    R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"      # a raw string
    | "(?:\\.|[^"\\\n])*"?
    | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'           # not the separator in 1'000
    | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    """,
    re.VERBOSE | re.DOTALL,
)
_PYTHON = pattern(
    r"""
    (?:\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z))
    | (?:'''(?:\\.|[^\\])*?(?:'''|\Z))
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?
    | (?P<comment>\#[^\n]*)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = pattern(
    r"(?:\A(?:/[/*]+|\#+)|^[ \t]*\**)[ \t]*perflint:[ \t]*(?P<verb>[\w-]+)[ \t]*"
    r"(?:\[(?P<codes>[^\]\n]*)\])?(?:[ \t]*--[ \t]*(?P<reason>.*))?",
    re.MULTILINE,
)
_NOLINT = pattern(r"\bNOLINT(?P<where>NEXTLINE|BEGIN|END)?\((?P<names>[^()\n]*)\)")
_PREFIX = "perflint-"
MARKS = ("perflint:", _PREFIX)  #: every comment to perflint contains one of them
_VERBS = ("ignore", "disable", "enable", "ignore-file")
_END_OF_FILE = 1 << 62
_MOST = 10_000  #: comments of one file
_MOST_NAMED = 10  #: words of a comment that are no rules, which are told


@dataclass(frozen=True)
class Suppressed:
    """The outcome of `apply`."""

    kept: tuple[Finding, ...]
    dropped: tuple[tuple[Finding, Suppression], ...]
    problems: tuple[tuple[Path, Problem], ...]
    unused: tuple[tuple[Path, Suppression], ...]  #: that silence none of the findings


def apply(findings: Sequence[Finding], said: Mapping[Path, Comments]) -> Suppressed:
    """Tell the findings that comments silence from those that stay.

    A comment at another place of a finding's fault takes that place out of it, and is used.

    said: by the path that findings use in `place`. Problems are in the order of paths and lines.
    """
    kept: list[Finding] = []
    dropped: list[tuple[Finding, Suppression]] = []
    used: set[tuple[Path, Suppression]] = set()
    for finding in findings:
        found = _silencing(finding.code, finding.place, said)
        along = {
            each: _silencing(finding.code, each.place, said)
            for each in finding.related
            if each.message.startswith(SAME)
        }
        used |= {(at.place.path, each) for at, silencing in along.items() for each in silencing}
        used |= {(finding.place.path, each) for each in found}
        if found:
            dropped.append((finding, found[0]))
        else:
            related = tuple(each for each in finding.related if not along.get(each))
            kept.append(replace(finding, related=related) if any(along.values()) else finding)
    return Suppressed(
        tuple(kept),
        tuple(dropped),
        tuple((path, problem) for path in sorted(said) for problem in said[path].problems),
        tuple(
            (path, each)
            for path in sorted(said)
            for each in said[path].suppressions
            if (path, each) not in used
        ),
    )


def _silencing(code: str, place: Span, said: Mapping[Path, Comments]) -> list[Suppression]:
    """The comments that silence a rule at a place."""
    comments = said.get(place.path, Comments())
    return [each for each in comments.suppressions if each.covers(code, place.line)]


def speaks(text: str) -> bool:
    """Whether a file may hold a comment to perflint."""
    return any(mark in text for mark in MARKS)


def scan(text: str, book: Mapping[str, RuleInfo], *, python: bool = False) -> Comments:
    """The suppressions in one file's text, and the comments that are wrong."""
    if not speaks(text):
        return Comments()
    return _Scan(text, book, python).comments()


class _Scan:
    """One file on its way to `Comments`."""

    def __init__(self, text: str, book: Mapping[str, RuleInfo], python: bool) -> None:
        self.text, self.python = text, python
        self.by_name = {info.name: code for code, info in book.items()} | {c: c for c in book}
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        found = (_PYTHON if python else _TOKEN).finditer(text)
        spans = [m.span("comment") for m in found if m["comment"] is not None]
        self.code = _Code(text, spans, self.starts)
        self.spans = [span for span in spans if speaks(text[span[0] : span[1]])]
        self.suppressions: list[Suppression] = []
        self.problems: list[Problem] = []
        self.opened: dict[tuple[str, str], Suppression] = {}

    def comments(self) -> Comments:
        if len(self.spans) > _MOST:
            line, _ = self._place(self.spans[_MOST][0])
            self.problems.append(Problem(line, f"only the first {_MOST} comments are heeded"))
        for start, end in self.spans[:_MOST]:
            comment = self.text[start:end]
            said = [*_DIRECTIVE.finditer(comment), *_NOLINT.finditer(comment)]
            for match in said:
                lone = len(said) == 1
                self._directive(match, start, end, lone) if "verb" in match.re.groupindex else (
                    self._nolint(match, start, end, lone)
                )
        self.suppressions += self.opened.values()
        order = sorted(self.suppressions, key=lambda s: (s.line, s.code))
        return Comments(tuple(order), tuple(self.problems))

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self.starts, at)
        return line, at - self.starts[line - 1] + 1

    def _directive(self, match: re.Match[str], start: int, end: int, lone: bool) -> None:
        verb = match["verb"]
        line, _ = self._place(start + match.start("verb"))
        words = (word.strip() for word in (match["codes"] or "").split(","))
        names = list(dict.fromkeys(word for word in words if word))
        if wrong := self._wrong(verb, names):
            self.problems.append(Problem(line, wrong))
            return
        reason = (match["reason"] or "").removesuffix("*/").strip()
        for name in names:
            self._silence(
                verb, name, f"{verb}[{name}]", start, end, reason, lone and len(names) == 1
            )

    def _wrong(self, verb: str, names: Sequence[str]) -> str:
        """What is wrong with a comment; "" if nothing is."""
        if verb not in _VERBS:
            return f"unknown comment `perflint: {verb}`; there are {', '.join(_VERBS)}"
        if not names:
            return f"`perflint: {verb}` needs the rules in brackets: {verb}[CU101]"
        unknown = [name for name in names if name not in self.by_name]
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        named = ", ".join(name[:100] for name in unknown[:_MOST_NAMED])
        return f"`perflint: {verb}` names no rule: {named}{more}" if unknown else ""

    def _nolint(self, match: re.Match[str], start: int, end: int, lone: bool) -> None:
        """Of clang-tidy's names those with our prefix; the others are not ours to judge."""
        names = list(dict.fromkeys(name.strip() for name in match["names"].split(",")))
        verb = {"NEXTLINE": "next", "BEGIN": "disable", "END": "enable"}.get(match["where"], "line")
        for name in names:
            ours = name.removeprefix(_PREFIX)
            if name == ours:
                continue
            if ours not in self.by_name:
                line, _ = self._place(start + match.start())
                self.problems.append(Problem(line, f"`NOLINT({name})` names no rule"))
                continue
            written = f"NOLINT{match['where'] or ''}({name})"
            self._silence(verb, ours, written, start, end, "", lone and len(names) == 1)

    def _silence(
        self, verb: str, name: str, written: str, start: int, end: int, reason: str, lone: bool
    ) -> None:
        code = self.by_name[name]
        nolint = written.startswith("NOLINT")
        line, column = self._place(start)
        place = (line, column, *self._place(end))
        alone = lone and self.code.is_alone(start, end)

        def silenced(first: int, last: int) -> Suppression:
            return Suppression(code, first, last, place, written, reason, lone, alone)

        match verb:
            case "ignore":
                self.suppressions.append(silenced(*self.code.target(start, end, self.python)))
            case "line":
                self.suppressions.append(silenced(line, line))
            case "next":
                self.suppressions.append(silenced(place[2] + 1, place[2] + 1))
            case "ignore-file":
                self.suppressions.append(silenced(1, _END_OF_FILE))
            case "disable":
                key = ("NOLINT" if nolint else "", code)
                self.opened.setdefault(key, silenced(line, _END_OF_FILE))
            case _:
                opened = self.opened.pop(("NOLINT" if nolint else "", code), None)
                if opened is None:
                    other = f"disable[{name}]" if not nolint else f"NOLINTBEGIN({_PREFIX}{name})"
                    self.problems.append(Problem(line, f"{written} without a {other} before it"))
                    return
                closed = Suppression(
                    code, opened.first, line, opened.comment, opened.written, opened.reason,
                    only=False,
                )  # fmt: skip
                self.suppressions.append(closed)


class _Code:
    """A text with its comments blanked: where the statements are."""

    def __init__(
        self, text: str, comments: Iterable[tuple[int, int]], starts: Sequence[int]
    ) -> None:
        pieces: list[str] = []
        at = 0
        for start, end in comments:
            pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at = end
        self.lines = ("".join(pieces) + text[at:]).split("\n")
        self.written = [n for n, line in enumerate(self.lines, 1) if line.strip()]
        self.starts = starts

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self.starts, start), bisect_right(self.starts, end)

    def is_alone(self, start: int, end: int) -> bool:
        """Whether nothing else stands on the one line of a comment."""
        first, last = self._lines(start, end)
        return first == last and not self.lines[first - 1].strip()

    def target(self, start: int, end: int, python: bool) -> tuple[int, int]:
        """First and last line that a comment at [start, end) speaks of."""
        first, last = self._lines(start, end)
        if self.lines[first - 1].strip() or self.lines[last - 1].strip():
            return first, last
        at = bisect_right(self.written, last)
        if at == len(self.written):
            return first, last
        following = self.written[at]
        for n in range(following, min(len(self.lines), following + _LONGEST) + 1):
            if _ends_statement(self.lines[n - 1], python):
                return following, n
        return following, following


_LONGEST = 200  #: lines of a statement


def _ends_statement(line: str, python: bool) -> bool:
    """Whether a statement ends on a line: by a mark in C; in Python unless a bracket is open."""
    if python:
        return not line.rstrip().endswith(("(", "[", "{", ",", "\\"))
    return re.search(r"[;{}]", line) is not None


def place_of(path: Path, suppression: Suppression) -> Span:
    """Where a comment stands."""
    return Span(path, *suppression.comment)
