"""What a program's words tell of a flag by its name: `--rows=64`, `-rows 64`, `--noverify`.

Flags of gflags by their variables, and options that are declared with theirs, as CLI11 has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.language.c_types import BOOL, CType
from perflint.frontend.source.project.command_lines import number

_TRUE, _FALSE = ("1", "t", "true", "y", "yes"), ("0", "f", "false", "n", "no")


def told(words: Sequence[str], name: str, kind: CType) -> object:
    """What the last word of a flag makes of it, UNKNOWN where that is no number; None without."""
    found: object = None
    for word, following in pairwise((*words, "")):
        if word == "--":
            break
        given, sign, value = word.partition("=")
        bare = given.lstrip("-") if given.startswith("-") else ""
        if kind == BOOL and bare in (name, f"no{name}") and not sign:
            found = int(bare == name)
        elif kind == BOOL and bare == name:
            known = value.lower() in _TRUE + _FALSE
            found = int(value.lower() in _TRUE) if known else UNKNOWN
        elif bare == name:
            read = number(value if sign else following, kind)
            found = UNKNOWN if read is None else read.number
    return found


def option(words: Sequence[str], names: str) -> str | None:
    """The word that tells an option `-n,--rows` its value, the last one; None without."""
    keys = [key.strip() for key in names.split(",")]
    found: str | None = None
    for word, following in pairwise((*words, "")):
        given, sign, value = word.partition("=")
        if given in keys:
            found = value if sign else following
        elif word[:2] in keys and word[1:2] != "-":
            found = word[2:]
    return found
