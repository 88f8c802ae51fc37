"""Options that a program keeps in a map from their names: `stoi(kv["width"])`, `opt.at("--n")`.

The words that the program is run with come first, `width=640` or `--n 4096`; else what the map is
made with, `{{"width", "1920"}}`, or set to before they are read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source import program_arguments
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.command_lines import number
from perflint.frontend.source.lookup import type_of_words
from perflint.frontend.source.maps import MAP
from perflint.frontend.source.program_arguments import READERS

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

#: The reader of text, the map and the key.
_KEYED = pattern(
    r'(?:(?:std::)?(\w+)\()?(\w+)(?:\[|\.at\()"([^"\\]+)"[\])](?:\.c_str\(\))?(?:,[^()]*)?\)?'
)
_ARGUMENTS = pattern(r"\bargv\b|\bchar\s*(?:const\s*)?\*\s*(?:const\s*)?\*")
_TEXT = pattern(r"(?:const )?(?:std ?:: ?)?string(?:_view)?|(?:const )?char")


def keyed_option(place: Environment, text: str) -> Value | None:
    """The number that a map has for an option; None for any other expression."""
    asked, function = _KEYED.fullmatch("".join(text.split())), place.function
    kind = _kind(place, asked[1] or "", asked[2]) if asked is not None else None
    if asked is None or kind is None or function is None:
        return None
    if not _ARGUMENTS.search(place.file.source.text_of(function.node)):
        return None  # some other map
    lines = place.session.project.command_lines(place.file)
    given = _given(lines[0].arguments, asked[3]) if lines else None
    if given is not None and (found := number(given, kind)) is not None:
        place.session.note("runs", program_arguments.told(place, place.file))
        return found
    default = _default(place, asked[2], asked[3])
    return None if default is None else number(default, kind)


def _kind(place: Environment, reader: str, name: str) -> CType | None:
    """The type of the number that is read; None where the variable is no map from text."""
    words, depth = place.declared_words(name)
    kind = MAP.fullmatch(words.removeprefix("const ").strip())
    if kind is None or depth or not _TEXT.fullmatch(kind[1].strip()):
        return None
    if reader:
        return READERS.get(reader) if _TEXT.fullmatch(kind[2].strip()) else None
    return type_of_words(kind[2].split(), place)


def _given(words: tuple[str, ...], key: str) -> str | None:
    """`640` of the words `width=640`, `--width=640`, `--width 640` and `width 640`."""
    bare = key.lstrip("-")
    for word, following in pairwise((*words, "")):
        name, sign, value = word.partition("=")
        if name.lstrip("-") == bare:
            return value if sign else following or None
    return None


def _default(place: Environment, name: str, key: str) -> str | None:
    """What the program puts into the map for a key, if that is one number."""
    quoted = re.escape(f'"{key}"')
    written = re.compile(
        rf'\{{\s*{quoted}\s*,\s*"?([-+.\w]+)"?\s*\}}|\b{name}\s*\[\s*{quoted}\s*\]\s*=\s*"?([-+.\w]+)"?;'
    )
    found = {a or b for file in place.file.family for a, b in written.findall(file.unit.text)}
    return found.pop() if len(found) == 1 else None
