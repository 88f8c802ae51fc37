"""The grammar's terminals."""

from __future__ import annotations

from functools import cache

from perflint.grammar.kept_trees import kept_trees
from perflint.grammar.tokens import Lexicon


@cache
def lexicon() -> Lexicon:
    """The terminals of the grammar."""
    found = kept_trees().terminals
    if found is None:
        from perflint.grammar.lalr import terminals  # Lark's import takes longer than most parses

        found = terminals()
    return Lexicon(found)
