"""Patterns as in `.gitignore` (gitignore(5)), matched in time linear in the path.

A pattern may come from a stranger's file: its stars must not backtrack. A star takes the shortest
stretch after which what follows matches, and is not asked again; where there is a match, this finds
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from perflint.base.records import dataclass

#: Lines with wildcards that are used of one file; plain names are many at no cost.
MOST_PATTERNS = 2000
_PLAIN = re.compile(r"[\w.-]+")
#: In brackets: a class, an escaped character, or any other.
_BRACKETS = re.compile(r"\[(?P<not>[!^]?)(?P<set>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z",
    "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F", "punct": "!-/:-@\\[-`{-~",
}  # fmt: skip


@dataclass(frozen=True)
class _Pattern:
    """One line with wildcards or folders."""

    order: int  #: the line's number
    parts: tuple[re.Pattern[str] | None, ...]  #: of one part of a path each; None is `**`
    negated: bool
    directories: bool  #: it ends in a slash


class Globs:
    """The patterns of one file; the last that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns: list[_Pattern] = []
        self._names: dict[str, int] = {}  #: plain names and their line
        self.cut = False  #: whether there were more than MOST_PATTERNS
        for order, line in enumerate(lines):
            line = line.rstrip("\r\n")
            if _PLAIN.fullmatch(line):
                self._names[line] = order
            elif pattern := _pattern(order, line):
                self._patterns.append(pattern)
                if len(self._patterns) == MOST_PATTERNS:
                    self.cut = True
                    break
        self._patterns.reverse()

    def decision(self, path: str, *, directory: bool = False) -> bool | None:
        """Whether a relative path is matched: True; by a negated pattern: False; by none: None."""
        parts = [part for part in path.split("/") if part]
        if not parts:
            return None
        named = self._names.get(parts[-1], -1)
        for pattern in self._patterns:
            if pattern.order < named:
                break
            if (directory or not pattern.directories) and _matches(pattern.parts, parts):
                return not pattern.negated
        return True if named >= 0 else None

    def match(self, path: str, *, directory: bool = False) -> bool:
        """Whether a relative path is matched, or a folder that it lies in."""
        parts = path.split("/")
        above = ("/".join(parts[:end]) for end in range(1, len(parts)))
        return any(self.decision(folder, directory=True) for folder in above) or bool(
            self.decision(path, directory=directory)
        )


def _pattern(order: int, line: str) -> _Pattern | None:
    line = re.sub(r"(?<!\\)[ \t]+$", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[negated:]
    directories = line.endswith("/")
    written = line.removesuffix("/")
    if not written:
        return None
    pieces = written.removeprefix("/").split("/")
    parts = [None if piece == "**" else _part(piece) for piece in pieces]
    if "/" not in written:
        parts.insert(0, None)
    if parts[-1] is None:  # `a/**`: everything in it
        parts.append(re.compile(r".+", re.DOTALL))
    return _Pattern(order, tuple(parts), negated, directories)


def _part(text: str) -> re.Pattern[str]:
    """A part of a path: every stretch between stars is found at its first place, for good."""
    stretches = [""]
    at = 0
    closing = text.rfind("]")  # no bracket behind it opens anything
    while at < len(text):
        c = text[at]
        at += 1
        if c == "*":
            if stretches[-1] or len(stretches) == 1:
                stretches.append("")
        elif c == "?":
            stretches[-1] += "."
        elif c == "[" and at <= closing and (found := _BRACKETS.match(text, at - 1)):
            stretches[-1] += _brackets(found)
            at = found.end()
        else:
            if c == "\\" and at < len(text):
                c, at = text[at], at + 1
            stretches[-1] += re.escape(c)
    first, *rest = stretches
    if not rest:
        return re.compile(first, re.DOTALL)
    *middle, last = rest
    between = "".join(f"(?>.*?{stretch})" for stretch in middle)
    return re.compile(f"{first}{between}.*{last}", re.DOTALL)


def _brackets(match: re.Match[str]) -> str:
    inside = re.sub(r"([\[&~|])(?!:)", r"\\\1", match["set"])
    inside = re.sub(r"\[:(\w+):\]", lambda m: _CLASSES.get(m[1], ""), inside)
    if inside.startswith("]"):
        inside = "\\" + inside
    if inside.startswith("^"):
        inside = "\\" + inside
    pattern = f"[{'^' if match['not'] else ''}{inside}]"
    try:
        re.compile(pattern)
    except re.error:  # a range the wrong way round matches nothing
        return "(?!)"
    return pattern


_NOTHING = re.compile(r"(?!)")


def _matches(parts: Sequence[re.Pattern[str] | None], path: Sequence[str]) -> bool:
    """Whether a path matches part by part. Only the last `**` is ever lengthened."""
    at = here = 0
    star, after = -1, 0  # the last `**`, and where in the path what follows it was tried
    while here < len(path):
        pattern = parts[at] if at < len(parts) else _NOTHING
        if pattern is None:
            star, after, at = at, here, at + 1
        elif pattern.fullmatch(path[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            after += 1
            at, here = star + 1, after
        else:
            return False
    return at == len(parts)
