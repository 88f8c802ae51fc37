"""The parser that Lark makes from `ptx.lark`, and the tables that are kept between runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.common import LexerConf
from lark.lexer import Lexer

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
    with suppress(OSError, RuntimeError):  # no home, no room, not allowed
        directory = cache_directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(directory):
            return build(directory / "ptx.lark.tables")
    return build(None)


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


def cache_directory() -> Path:
    """Where this user's programs keep what can be made again, and there our own folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        if not Path(base).is_absolute():  # to be ignored, says the XDG specification
            base = "~/.cache"
    return Path(base).expanduser() / "perflint" / "grammar"


def _is_private(directory: Path) -> bool:
    """Whether nobody else can have put a file there: the tables are a pickle, which may run code.

    On Windows the user's folder is private by its access list.
    """
    if sys.platform == "win32":
        return True
    status = directory.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
