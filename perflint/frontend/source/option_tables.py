"""Options that a program declares by name: `op.addOption("points", OPT_INT, "4096", …)`.

What `op.getOptionInt("points")` gives where the program is told nothing is the default there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from perflint.frontend.source.c_types import CType
from perflint.frontend.source.command_lines import number
from perflint.frontend.source.files import File
from perflint.frontend.source.tokens import spell, split, tokenize

_GETS = re.compile(r"(?:get|as|option|param)\w*", re.IGNORECASE)
_NAMED = re.compile(r'\(\s*"([^"\\]+)"\s*\)$')
_NUMBER = re.compile(r'"?\s*([-+]?\d[\w.+-]*)\s*"?')
_LENGTH = 400  #: characters of one declaration that are read


def default_of(called: str, text: str, files: Iterable[File], kind: CType) -> int | float | None:
    """The default of the option that a call `text` of a function reads; None for any other call.

    A default of 0 says that another value is wanted.
    """
    named = _NAMED.search(text)
    if named is None or not _GETS.fullmatch(called):
        return None
    declares = re.compile(rf'\b(?:add|define|register)\w*\s*\(\s*"{re.escape(named[1])}"\s*,')
    for file in files:
        for match in declares.finditer(file.unit.text):
            rest = file.unit.text[match.end() : match.end() + _LENGTH].partition(";")[0]
            for part in split(tokenize(rest), ","):
                found = _NUMBER.fullmatch(spell(part))
                value = number(found[1], kind) if found is not None else None
                if value is not None:
                    return value.number or None
    return None
