"""Options that a program declares by name: `op.addOption("points", OPT_INT, "4096", …)`.

What `op.getOptionInt("points")` gives where the program is told nothing is the default there; so is
what `FLAGS_points` holds behind gflags' `DEFINE_int32(points, 4096, "…")`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.tokens import spell, split, tokenize
from perflint.frontend.source.project.command_lines import number
from perflint.frontend.source.project.files import File

_GETS = pattern(r"(?:get|as|option|param)\w*", re.IGNORECASE)
#: `getOptionInt("points")`, `get_parameter("points").as_int()`, `result["points"].as<int>()`
_NAMED = pattern(
    r'\(\s*"([^"\\]+)"\s*\)(?:\s*\.\s*as_\w+\s*\(\s*\))?$'
    r'|\[\s*"([^"\\]+)"\s*\]\s*\.\s*as\s*<[^<>]*>\s*\(\s*\)$'
)
_NUMBER = pattern(r'"?\s*([-+]?\d[\w.+-]*)\s*"?')
#: What cxxopts and Boost have in one entry of a list of options, `("n,size", …)("m", …)`.
_DEFAULT = pattern(
    r'(?:(?!\)\s*\(\s*"|;).){0,400}?\bdefault_value\(\s*"?([-+]?\d[\w.+-]*)"?\s*\)', re.DOTALL
)
_LENGTH = 400  #: characters of one declaration that are read


def default_of(called: str, text: str, files: Iterable[File], kind: CType) -> int | float | None:
    """The default of the option that a call `text` of a function reads; None for any other call.

    A default of 0 says that another value is wanted.
    """
    named = _NAMED.search(text)
    if named is None or not _GETS.fullmatch(called.partition("<")[0]):
        return None
    for file in files:
        for written in _numbers(file.unit.text, named[1] or named[2]):
            value = number(written, kind)
            if value is not None:
                return value.number or None
    return None


@lru_cache(maxsize=256)
def _numbers(text: str, name: str) -> tuple[str, ...]:
    """The numbers with which a file declares an option, as written. Every launch asks for some."""
    if name not in text:
        return ()
    listed = rf'\(\s*"(?:\w\s*,\s*)?{re.escape(name)}(?:\s*,\s*\w)?"\s*,'
    defaults = (_DEFAULT.match(text, at.end()) for at in re.finditer(listed, text))
    if given := tuple(d[1] for d in defaults if d is not None):
        return given
    declares = (
        rf'\b(?:add|define|register|declare)\w*\s*(?:<[^<>]*>)?\s*\(\s*"{re.escape(name)}"\s*,'
    )
    rests = (text[at.end() : at.end() + _LENGTH] for at in re.finditer(declares, text))
    parts = (part for rest in rests for part in split(tokenize(rest.partition(";")[0]), ","))
    return tuple(
        found[1] for part in parts if (found := _NUMBER.fullmatch(spell(part).rstrip(") ")))
    )


#: What gflags calls the types of its flags (gflags.h).
_FLAG_TYPES = {
    "bool": c_types.BOOL, "int32": c_types.INT, "uint32": c_types.UINT, "int64": c_types.LONG,
    "uint64": c_types.ULONG, "double": c_types.DOUBLE,
}  # fmt: skip


def flag(name: str, files: Iterable[File]) -> tuple[CType, str, Span] | None:
    """The type and the default, as written, of the flag that a variable is, and where that stands.

    None for any other variable.
    """
    if not name.startswith("FLAGS_"):
        return None
    bare = re.escape(name.removeprefix("FLAGS_"))
    defines = re.compile(rf"\bDEFINE_({'|'.join(_FLAG_TYPES)})\s*\(\s*{bare}\s*,")
    for file in files:
        for match in defines.finditer(file.unit.text):
            rest = split(tokenize(file.unit.text[match.end() : match.end() + _LENGTH]), ",")
            if rest:
                line = file.unit.text.count("\n", 0, match.start()) + 1
                return _FLAG_TYPES[match[1]], spell(rest[0]), Span(file.path, line, 1, line, 2)
    return None
