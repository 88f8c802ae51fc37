"""A module cut into the pieces that the grammar's rules `item`, `header` and `statement` describe.

The cut looks at terminals only. Pieces are parsed by themselves, so that one shape is parsed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from perflint.grammar.syntax import Text

Kind = Literal["item", "header", "statement", "label", "location", "open", "close"]


@dataclass(frozen=True, slots=True)
class Piece:
    """The tokens [first, end) of one rule; `open` and `close` are a body's or scope's braces."""

    kind: Kind
    first: int
    end: int


def pieces(text: Text) -> Iterator[Piece]:
    """The module's pieces in order. Raises PtxSyntaxError where braces do not match."""
    kinds = text.kinds
    count, at, depth = len(kinds), 0, 0
    while at < count:
        kind = kinds[at]
        if kind == "LOC":
            end = _location_end(kinds, at)
            yield Piece("location", at, end)
        elif kind == "FILE":
            end = _file_end(kinds, at)
            yield Piece("statement" if depth else "item", at, end)
        elif depth:
            if kind == "LBRACE":
                end, depth = at + 1, depth + 1
                yield Piece("open", at, end)
            elif kind == "RBRACE":
                end, depth = at + 1, depth - 1
                yield Piece("close", at, end)
            elif kind == "NAME" and at + 1 < count and kinds[at + 1] == "COLON":
                end = at + 2
                yield Piece("label", at, end)
            else:
                end = _semicolon(kinds, at)
                yield Piece("statement", at, end)
        elif kind in ("VERSION", "ADDRESS_SIZE"):
            end = min(count, at + 2)
            yield Piece("item", at, end)
        elif kind == "TARGET":
            end = at + 2
            while end + 1 < count and kinds[end] == "COMMA":
                end += 2
            end = min(end, count)
            yield Piece("item", at, end)
        elif kind == "SECTION":
            end = _closing(text, at)
            yield Piece("item", at, end)
        elif _is_header(kinds, at):
            end = _header_end(text, at)
            if kinds[end - 1] == "LBRACE":
                yield Piece("header", at, end - 1)
                yield Piece("open", end - 1, end)
                depth = 1
            else:
                yield Piece("header", at, end)
        else:
            end = _semicolon(kinds, at)
            yield Piece("item", at, end)
        at = end
    if depth:
        raise text.error_at(count, "unexpected the end of the file, expected `}`")


def _semicolon(kinds: list[str], at: int) -> int:
    """Behind the next `;`; before a `}` that closes more than was opened; else the end."""
    depth = 0
    for i in range(at, len(kinds)):
        kind = kinds[i]
        if kind == "SEMICOLON":
            return i + 1
        if kind == "LBRACE":
            depth += 1
        elif kind == "RBRACE":
            depth -= 1
            if depth < 0:
                return max(i, at + 1)
    return len(kinds)


def _location_end(kinds: list[str], at: int) -> int:
    """`.loc 1 5 3, function_name $L, inlined_at 1 9 2` has no `;`."""
    end = at + 4
    while end < len(kinds):
        comma = kinds[end] == "COMMA"
        word = kinds[end + 1] if comma and end + 1 < len(kinds) else kinds[end]
        if word == "FUNCTION_NAME":
            end += comma + 2
            if kinds[end : end + 2] == ["SIGN", "INTEGER"]:
                end += 2
        elif word == "INLINED_AT":
            end += comma + 4
        else:
            break
    return min(end, len(kinds))


def _file_end(kinds: list[str], at: int) -> int:
    long = kinds[at + 3 : at + 7] == ["COMMA", "INTEGER", "COMMA", "INTEGER"]
    return min(len(kinds), at + (7 if long else 3))


def _closing(text: Text, at: int) -> int:
    depth = 0
    for i in range(at, len(text.kinds)):
        if text.kinds[i] == "LBRACE":
            depth += 1
        elif text.kinds[i] == "RBRACE":
            depth -= 1
            if depth == 0:
                return i + 1
    raise text.error_at(len(text.kinds), "unexpected the end of the file, expected `}`")


def _is_header(kinds: list[str], at: int) -> bool:
    while at < len(kinds) and kinds[at] == "LINKAGE":
        at += 1
    return at < len(kinds) and kinds[at] in ("ENTRY", "FUNC")


def _header_end(text: Text, at: int) -> int:
    """Behind the `{` or `;` that ends a header."""
    for i in range(at, len(text.kinds)):
        if text.kinds[i] in ("LBRACE", "SEMICOLON"):
            return i + 1
    raise text.error_at(len(text.kinds), "unexpected the end of the file, expected `{`")
