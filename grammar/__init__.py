"""PTX: the grammar, the model a parsed module is made of, and the table of instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.grammar.errors import PtxSyntaxError

if TYPE_CHECKING:
    from perflint.grammar.model import Module

__all__ = ["PtxSyntaxError", "parse"]


def parse(text: str, path: str = "<ptx>", *, cache: bool = True) -> Module:
    """Read a PTX module; `path` is named in errors. Raises PtxSyntaxError, and nothing else.

    Without `cache` every statement goes through the grammar; with it, each shape once.
    """
    from perflint.grammar import reader

    return reader.parse(text, path, cache=cache)
