"""Conditional lines in the midst of declarations, which a parser of these stumbles over.

    if (a) { … }
    #ifdef BF16
    else if (b) { … }
    #endif
    else { … }

To a parser that takes a conditional for a statement the function ends at its `#ifdef`, and what is
left of it is nothing. Without the directives all branches are read, one after the other. Where each
of them opens the same braces, or is the end of the same declaration, it is the first alone:

    #ifdef WIDE                 void f
    if (a < 64) {               #ifdef WIDE
    #else                       (long n);
    if (a < 32) {               #else
    #endif                      (int n);
      … }                       #endif
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache
from itertools import pairwise

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

_TOKEN = pattern(
    rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'"
    rb"|^[ \t]*#[ \t]*(?P<word>\w+)(?:[^\n\\/]|\\\r?\n|\\.|/(?!\*))*"
    rb"|(?P<mark>[{};])",
    re.DOTALL | re.MULTILINE,
)
#: What stands before a brace that holds declarations, and no statements.
_SCOPE = pattern(
    rb"\bnamespace\b[\s\w:]*\Z|\bextern\s*\"[^\"\n]*\"\s*\Z"
    rb"|\b(?:class|struct|union|enum)\b(?:[^(){};=]|\b(?:__\w+|alignas)\s*\([^()]*\))*\Z"
)
#: What goes on with a declaration: none begins so.
_GOES_ON = pattern(rb"(?>(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*)[(,)=]")
_DEVICE = pattern(rb"\b__(?:device|global)__\b")
_OPENS = pattern(rb"^[ \t]*#[ \t]*if", re.MULTILINE)
_ENDS = pattern(rb"^[ \t]*#[ \t]*endif\b", re.MULTILINE)
#: Branches that go on with a declaration, up to the `#endif`.
_OTHER_ENDS = pattern(
    rb"\s*(?:^[ \t]*#[ \t]*el(?:se|if)\b[^\n]*\n\s*[(,)=][^#{}]*)+^[ \t]*#[ \t]*endif\b[^\n]*",
    re.MULTILINE,
)
#: What may hold any text.
_OFF = pattern(rb"[ \t]*#[ \t]*if[ \t]+0\b")
_NOT_A_LINE = pattern(rb"[^\r\n]")


@dataclass
class _Group:
    """An `#if` up to its `#endif`."""

    stack: tuple[bool, ...]  #: the braces open at the `#if`: whether each is a function's
    whole: bool  #: every branch closes what it opens, and no more
    deep: bool = True  #: no branch closes what was open before
    other: bool = False  #: there is an `#else`
    lines: list[tuple[int, int]] = field(default_factory=list)
    ends: list[tuple[bool, ...]] = field(default_factory=list)  #: the braces open at each's end

    def branches(self) -> list[tuple[int, int]]:
        """The texts between the lines."""
        return [(a, b) for (_, a), (b, _) in pairwise(self.lines)]

    def is_alternative(self, text: bytes) -> bool:
        """Whether every branch goes on with the same declaration in the same way."""
        if not (self.deep and self.other and all(end == self.ends[0] for end in self.ends)):
            return False
        if self.ends[0] != self.stack:
            return True
        return not any(self.stack) and all(_GOES_ON.match(text, a, b) for a, b in self.branches())


@lru_cache(maxsize=256)
def without_conditionals(text: bytes) -> bytes:
    """The text for a parser, with spaces for the `#if`s inside of functions. Offsets stay.

    Only where every branch closes the braces that it opens; where all open the same, with spaces
    for the branches but one.
    """
    if b"#" not in text:
        return text
    stack: list[bool] = []
    groups: list[_Group] = []
    cut: list[tuple[int, int]] = []
    start = 0  # of what may be the head of a brace
    for match in _TOKEN.finditer(text):
        word, mark = match["word"], match["mark"]
        if mark == b"{":
            stack.append(_SCOPE.search(text[start : match.start()]) is None)
        elif mark == b"}":
            if stack:
                stack.pop()
            for group in groups:
                group.whole &= len(stack) >= len(group.stack)
                group.deep &= len(stack) >= len(group.stack)
        if mark or word:
            start = match.end()
        if word in (b"if", b"ifdef", b"ifndef"):
            on = _OFF.match(match[0]) is None
            groups.append(_Group(tuple(stack), on, on))
        if groups and word in (b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif"):
            group = groups[-1]
            group.whole &= tuple(stack) == group.stack
            if group.lines:
                group.ends.append(tuple(stack))
            group.lines.append(match.span())
            group.other |= word == b"else"
            if word in (b"elif", b"else"):
                stack = list(group.stack)
            elif word == b"endif":
                groups.pop()
                if group.is_alternative(text):
                    cut += group.lines + _others(group.branches(), text)
                elif group.whole and any(group.stack):
                    cut += group.lines
    for first, end in cut:
        text = text[:first] + _NOT_A_LINE.sub(b" ", text[first:end]) + text[end:]
    return text


def _others(branches: list[tuple[int, int]], text: bytes) -> list[tuple[int, int]]:
    """All branches but the first that says that it is device code, or the first."""
    device = (span for span in branches if _DEVICE.search(text, *span))
    kept = next(device, branches[0])
    return [span for span in branches if span != kept]


def behind_branches(text: bytes, start: int, end: int) -> int:
    """Where a declaration ends which the parser was shown from `start` to `end`.

    If that is in a branch, and the others have other ends of the same declaration, it is behind
    them.
    """
    piece = text[start:end]
    if b"#" not in piece or len(_OPENS.findall(piece)) <= len(_ENDS.findall(piece)):
        return end
    rest = _OTHER_ENDS.match(text, end)
    return end if rest is None or _DEVICE.search(rest[0]) else rest.end()
