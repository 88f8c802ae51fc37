"""GNU's statement expressions, `({ int a = x; a + 1; })`, as lambdas that are called at once.

nvcc takes them, as its host compiler does; NVRTC does not. Macros for `min` and `max` have them.
"""

from __future__ import annotations

import re

from perflint.base.patterns import pattern
from perflint.base.text_lines import spaces_for

_SKIPPED = pattern(
    rb"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n]){1,4}'""",
    re.DOTALL,
)
_BEGIN = pattern(rb"\(([ \t\r\n\\]*)\{")
_OPEN, _CLOSE = b"([{", b")]}"
#: What a lambda's body could not do in the place of the statements around it.
_JUMPS = pattern(rb"\b(?:return|break|continue|goto|co_\w+)\b")
#: Last statements that are no expression: such a one has no value.
_NO_VALUE = pattern(rb"[ \t\r\n\\]*(?:(?:if|for|while|do|switch|else)\b|\{|\Z)")


def without_statement_expressions(text: bytes) -> bytes:
    """The text with each statement expression as a lambda. Lines keep their numbers."""
    if not _BEGIN.search(text):
        return text
    masked = _SKIPPED.sub(lambda m: spaces_for(m[0]), text)
    changes: list[tuple[int, int, bytes]] = []  # start, end, what stands there instead
    for match in _BEGIN.finditer(masked):
        start = match.end() - 1
        end = _closing(masked, start)
        if end is None or not re.match(rb"[ \t\r\n\\]*\)", masked[end + 1 :]):
            continue
        if masked[: match.start()].rstrip()[-1:] in _CALLED:
            continue  # `f({1, 2})`: a list of values
        if _JUMPS.search(masked, start, end):
            continue
        last = _last_statement(masked, start + 1, end)
        changes.append((start, start + 1, b"[&]{"))
        if last is not None:
            changes.append((last, last, b"return "))
        changes.append((end, end + 1, b"}()"))
    for first, after, new in sorted(changes, reverse=True):
        text = text[:first] + new + text[after:]
    return text


#: What stands before the parenthesis of a call, not of an expression.
_CALLED = tuple(
    bytes((c,)) for c in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_]>"
)


def _closing(text: bytes, start: int) -> int | None:
    """The offset of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in _OPEN:
            depth += 1
        elif text[index] in _CLOSE:
            depth -= 1
            if depth == 0:
                return index
    return None


def _last_statement(text: bytes, start: int, end: int) -> int | None:
    """Where the last statement begins whose value is the whole's; None if that has none."""
    depth, ends = 0, [start]
    for index in range(start, end):
        depth += (text[index] in _OPEN) - (text[index] in _CLOSE)
        if depth == 0 and text[index] in b";}":
            ends.append(index + 1)
    if text[ends[-1] : end].strip(b" \t\r\n\\"):
        return None  # no `;` at the end: it is no statement expression at all
    begin = ends[-2] if len(ends) > 1 else start
    if text[ends[-1] - 1 : ends[-1]] != b";" or _NO_VALUE.match(text, begin, end):
        return None
    return begin + len(text[begin:end]) - len(text[begin:end].lstrip(b" \t\r\n\\"))
