"""The parser that Lark makes from `ptx.lark`, and the tables that are kept between runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.common import LexerConf
from lark.lexer import Lexer

from perflint.grammar.kept_folder import folder
from perflint.grammar.tokens import Terminal

STARTS = ("module", "item", "header", "statement")


class _Given(Lexer):
    """Lark's view of the lexer: the tokens are there already."""

    def __init__(self, conf: LexerConf) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        return iter(lexer_state)


@cache
def parser() -> Lark:
    """The parser, built once: 10 ms with the tables at hand, 100 ms without."""
    directory = folder()
    if directory is not None:
        with suppress(OSError, RuntimeError):  # no room, not allowed
            return build(directory / "ptx.lark.tables")
    return build(None)


def terminals() -> tuple[Terminal, ...]:
    """The grammar's terminals."""
    return tuple(
        Terminal(
            each.name,
            each.pattern.type == "str",
            str(each.pattern.value),
            each.pattern.to_regexp(),
            each.priority,
        )
        for each in parser().terminals
    )


def build(kept: Path | None) -> Lark:
    """The LALR(1) parser. Lark keeps its tables in the file `kept`, and checks by a hash that they
    are this grammar's; a broken file it builds anew. Raises OSError where it cannot write."""
    text = Path(__file__).with_name("ptx.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer=_Given,
        start=list(STARTS),
        maybe_placeholders=False,
        cache=False if kept is None else str(kept),
    )
