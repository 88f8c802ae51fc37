"""Conditional lines inside of functions, which a parser of single declarations stumbles over.

    if (a) { … }
    #ifdef BF16
    else if (b) { … }
    #endif
    else { … }

To a parser that takes a conditional for a statement the function ends at its `#ifdef`, and what is
left of it is nothing. Without the directives all branches are read, one after the other.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache

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
#: What may hold any text.
_OFF = pattern(rb"[ \t]*#[ \t]*if[ \t]+0\b")
_NOT_A_LINE = pattern(rb"[^\r\n]")


@dataclass
class _Group:
    """An `#if` up to its `#endif`."""

    stack: tuple[bool, ...]  #: the braces open at the `#if`: whether each is a function's
    whole: bool  #: every branch closes what it opens, and no more
    lines: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=256)
def without_conditionals(text: bytes) -> bytes:
    """The text for a parser, with spaces for the `#if`s inside of functions. Offsets stay.

    Only where every branch closes the braces that it opens.
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
        if mark or word:
            start = match.end()
        if word in (b"if", b"ifdef", b"ifndef"):
            groups.append(_Group(tuple(stack), _OFF.match(match[0]) is None))
        if groups and word in (b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif"):
            group = groups[-1]
            group.whole &= tuple(stack) == group.stack
            group.lines.append(match.span())
            if word in (b"elif", b"else"):
                stack = list(group.stack)
            elif word == b"endif":
                groups.pop()
                if group.whole and any(group.stack):
                    cut += group.lines
    for first, end in cut:
        text = text[:first] + _NOT_A_LINE.sub(b" ", text[first:end]) + text[end:]
    return text
