"""The parser that Lark makes from `ptx.lark`, and its complaints in plain words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.common import LexerConf
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lexer import Lexer

from perflint.grammar.tokens import Lexicon, Tokens, quote

Node = Tree[Token]
STARTS = ("module", "item", "header", "statement")

_OPERATORS = {"SIGN", "OPERATOR", "BAR", "MORE", "QMARK"}
#: The end of a piece is no advice, and the `<` of register ranges seldom good one.
_UNSAID = {"$END", "LESS"}
#: What to say for a set of terminals that could come next, the most telling set first.
_PHRASES: tuple[tuple[str, set[str], set[str]], ...] = (
    ("a kernel, function or variable", {"ENTRY", "VERSION"}, {
        "VERSION", "TARGET", "ADDRESS_SIZE", "ALIAS", "PRAGMA", "FILE", "LOC", "SECTION", "ENTRY",
        "FUNC", "LINKAGE", "SPACE", "TYPE", "VECTOR", "PTR", "ALIGN", "ATTRIBUTE", "SEMICOLON",
    }),
    ("a statement", {"CALL", "AT"}, {
        "CALL", "CALL_UNI", "AT", "NAME", "DOTTED", "LINKAGE", "SPACE", "TYPE", "VECTOR", "PTR",
        "ALIGN", "ATTRIBUTE", "LOC", "FILE", "PRAGMA", "BRANCHTARGETS", "CALLTARGETS",
        "CALLPROTOTYPE", "SEMICOLON", "LBRACE",
    }),
    ("an operand", {"INTEGER", "NAME", "LSQB"}, {
        "INTEGER", "NAME", "CALL", "DOTTED", "FLOAT", "SIGN", "BANG", "TILDE", "LPAR", "LBRACE",
        "LSQB", "TYPE", "SPACE", "VECTOR", "LINKAGE", "DIRECTIVE",
    }),
    ("a constant", {"INTEGER", "FLOAT"}, {
        "INTEGER", "NAME", "CALL", "DOTTED", "FLOAT", "SIGN", "BANG", "TILDE", "LPAR", "LBRACE",
    }),
    ("an instruction", {"CALL_UNI", "NAME"}, {"CALL", "CALL_UNI", "NAME", "DOTTED"}),
    ("a type or state space", {"TYPE", "SPACE"}, {
        "TYPE", "SPACE", "VECTOR", "PTR", "ALIGN", "ATTRIBUTE", "LINKAGE",
    }),
    ("a number", {"INTEGER"}, {"INTEGER"}),
    ("a number such as 9.0", {"FLOAT"}, {"FLOAT"}),
    ("a name", {"NAME"}, {"NAME", "CALL", "DOTTED"}),
    ("a directive", {"DIRECTIVE"}, {"DIRECTIVE"}),
    ("a string", {"STRING"}, {"STRING"}),
    ("a type", {"TYPE"}, {"TYPE", "BYTES"}),
    ("a state space", {"SPACE"}, {"SPACE"}),
    ("an operator", {"OPERATOR"}, {"OPERATOR", "SIGN"}),
    ("a sign", {"SIGN"}, {"SIGN"}),
)  # fmt: skip


class _Given(Lexer):
    """Lark's view of the lexer: the tokens are there already."""

    def __init__(self, conf: LexerConf) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        return iter(lexer_state)


def cache_directory() -> Path:
    """Where this user's programs keep what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "perflint"


def build(cached: Path | None) -> Lark:
    """The LALR(1) parser; Lark keeps its tables in `cached`, checked against the grammar."""
    text = files("perflint.grammar").joinpath("ptx.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer=_Given,
        start=list(STARTS),
        maybe_placeholders=False,
        cache=False if cached is None else str(cached),
    )


@cache
def parser() -> Lark:
    """The parser, built once: 10 ms with the tables at hand, 100 ms without."""
    with suppress(OSError, RuntimeError):  # no home, no room, not allowed
        directory = cache_directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return build(directory / "ptx-grammar.lark")
    return build(None)


@cache
def lexicon() -> Lexicon:
    """The terminals of the grammar."""
    return Lexicon(parser().terminals)


def parse_tokens(tokens: Tokens, start: str, begin: int = 0, end: int | None = None) -> Node:
    """Parse some of the tokens from a start symbol.

    A leaf's `start_pos` is the token's index, from `begin`. Raises PtxSyntaxError.
    """
    end = len(tokens.texts) if end is None else end
    try:
        tree: Any = parser().parse(_leaves(tokens, begin, end), start=start)
    except UnexpectedInput as problem:
        raise _explain(problem, tokens, begin, end) from None
    return tree if isinstance(tree, Tree) else Tree("leaf", [tree])


def _leaves(tokens: Tokens, begin: int, end: int) -> Iterator[Token]:
    terminal, ignored = tokens.lexicon.terminal, tokens.lexicon.ignored
    for index in range(begin, end):
        code = tokens.codes[index]
        if code not in ignored:
            yield Token(terminal[code], tokens.texts[index], start_pos=index - begin)


def _explain(problem: UnexpectedInput, tokens: Tokens, begin: int, end: int) -> Exception:
    found, index, accepted = "the end of the text", end, set[str]()
    if isinstance(problem, UnexpectedToken):
        accepted = set(problem.accepts or problem.expected)
        if problem.token.type != "$END":
            index = begin + (problem.token.start_pos or 0)
            found = quote(str(problem.token))
    expected = describe(accepted)
    wanted = f", expected {' or '.join(expected)}" if expected else ""
    return tokens.error(index, f"unexpected {found}{wanted}", expected)


def describe(terminals: Iterable[str], limit: int = 4) -> tuple[str, ...]:
    """Terminals as a short list for people: "`;`", "an operand"."""
    left = set(terminals) - _UNSAID
    literals = {
        each.name: str(each.pattern.value)
        for each in parser().terminals
        if each.pattern.type == "str"
    }
    if len(left) > 1:
        if left > _OPERATORS:  # behind a term, where `%v .x` and `0xff(a)` are rare
            left -= _OPERATORS | {"DIRECTIVE", "LPAR"}
        if left > {"ENTRY", "LBRACE"}:  # behind a header: what follows one without `;` and body
            left = left - _PHRASES[0][2] | {"SEMICOLON"}
    out = []
    for phrase, telling, covered in _PHRASES:
        if telling <= left:
            out.append(phrase)
            left -= covered
    out.extend(sorted(quote(literals[name]) for name in left if name in literals))
    return tuple(out[:limit])
