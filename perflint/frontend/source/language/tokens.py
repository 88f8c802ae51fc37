"""C and CUDA source text as preprocessing tokens, and comments blanked in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from perflint.base.patterns import pattern


class Token(NamedTuple):
    """One preprocessing token, and where it stands if anybody asked."""

    kind: str  #: `name`, `number`, `string`, `char` or `mark`
    text: str
    path: Path = Path()
    line: int = 0
    column: int = 0


#: How a launch begins: `<< <` is what some formatters make of it. A regular expression.
LAUNCH = r"<<\s{0,8}<"
ANGLE_LIMIT = 300  #: tokens of a template argument list
_CLOSING = (">", ">>", ">>>")  #: of one template list, and of lists inside of it

_TOKEN = pattern(
    r"""\s+
    | (?P<name>[A-Za-z_$]\w*)
    | (?P<number>\.?\d(?:[eEpP][+-]|'?\w|\.)*)
    | (?P<string>"(?:\\.|[^"\\\n])*"?)
    | (?P<char>'(?:\\.|[^'\\\n])*'?)
    | (?P<mark><<<|>>>|<<=|>>=|\.\.\.|->|::|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\#\#
        |[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)

# An unterminated comment runs to the end: the alternative that always matches keeps this linear.
_COMMENT = pattern(
    r"""(?P<keep>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)""",
    re.VERBOSE | re.DOTALL,
)


def tokenize(text: str) -> list[Token]:
    """Split comment-free text. Never fails: an unknown character is a `mark` of its own."""
    return list(_short(text)) if len(text) < 400 else _tokens(text)


#: Words that C++ has for operators (ISO C++, [lex.digraph]).
OPERATORS = {"and": "&&", "or": "||", "not": "!", "not_eq": "!="}


def located(text: str) -> Iterator[tuple[int, Token]]:
    """The tokens of comment-free text, each with the index at which it begins."""
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "name" and word in OPERATORS:
            yield match.start(), Token("mark", OPERATORS[word])
        elif kind is not None:
            yield match.start(), Token(kind, word)


def _tokens(text: str) -> list[Token]:
    return [token for _, token in located(text)]


@lru_cache(maxsize=8192)
def _short(text: str) -> tuple[Token, ...]:
    """The same few expressions are looked at again for every caller of a launch."""
    return tuple(_tokens(text))


def blank(text: str) -> str:
    """The same text as spaces, newlines kept."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def without_comments(text: str) -> str:
    """Comments become spaces; every other character keeps its line and column."""
    if "//" not in text and "/*" not in text:
        return text
    return _COMMENT.sub(lambda m: m[0] if m["keep"] is not None else blank(m[0]), text)


def spell(tokens: Sequence[Token]) -> str:
    """Tokens as text again, one space between."""
    return " ".join(token.text for token in tokens)


def closing(tokens: Sequence[Token], start: int) -> int | None:
    """The index of the bracket that closes the one at `start` (`(`, `[`, `{`), or None."""
    depth = 0
    for index in range(start, len(tokens)):
        text = tokens[index].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return index
    return None


def bare(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens without parentheses around all of them."""
    while len(tokens) > 2 and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def closing_angle(tokens: Sequence[Token], start: int) -> int | None:
    """The index of the `>` that closes the template list opened at `start`, or None.

    Inside brackets `<` and `>` compare; outside them they nest. A list of more than ANGLE_LIMIT
    tokens is none: so `a<a<a<…` takes time in proportion to its length.
    """
    depth, index = 0, start
    while index < min(len(tokens), start + ANGLE_LIMIT):
        text = tokens[index].text
        if text in ("(", "[", "{"):
            end = closing(tokens, index)
            if end is None:
                return None
            index = end
        elif text in (")", "]", "}", ";"):
            return None
        elif text == "<":
            depth += 1
        elif text in _CLOSING:
            depth -= len(text)
            if depth <= 0:
                return index if depth == 0 else None
        index += 1
    return None


def inside_angles(tokens: Sequence[Token], start: int, end: int) -> list[Token]:
    """What stands in the template list from `start` to the token that closes it, at `end`.

    The `>>` of `A<B<C>>` closes a list inside, too, which keeps its half.
    """
    halves = (Token("mark", ">") for _ in tokens[end].text[1:])
    return [*tokens[start + 1 : end], *halves]


def split(tokens: Sequence[Token], separator: str = ",", angles: bool = False) -> list[list[Token]]:
    """Cut at the separators that stand outside every bracket; `[]` for no tokens.

    With `angles`, `<` and `>` are brackets.
    """
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.text in ("(", "[", "{") or (angles and token.text == "<"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif angles and token.text in _CLOSING:
            depth -= len(token.text)
        if token.text == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if tokens else []
