"""Options that a program keeps in a map from their names: `stoi(kv["width"])`, `opt.at("--n")`.

The words that the program is run with come first, `width=640` or `--n 4096`, then files of such
lines that they name; else what the map is made with, `{{"width", "1920"}}`, or set to before they
are read. Conditions, too: `kv.count("width")`, `kv["mode"] == "sobel"`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.maps import MAP
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.options.program_arguments import READERS
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.project.command_lines import CommandLine, number
from perflint.frontend.source.project.option_files import options

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: The reader of text, the map and the key.
_KEYED = pattern(
    r'(?:(?:std::)?(\w+)\()?(\w+)(?:\[|\.at\()"([^"\\]+)"[\])](?:\.c_str\(\))?(?:,[^()]*)?\)?'
)
#: Whether a key is there, and whether its text is some other.
_THERE = pattern(
    r'(\w+)\.(?:(?:count|contains)\("([^"\\]+)"\)(?:>0|!=0|>=1|==1)?|find\("([^"\\]+)"\)!=\1\.c?end\(\))'
)
_SAME = pattern(r'(\w+)(?:\[|\.at\()"([^"\\]+)"[\])]([=!]=)"([^"\\]*)"')
_SPACE = pattern(r'("[^"]*")|\s+')
_ARGUMENTS = pattern(r"\bargv\b|\bchar\s*(?:const\s*)?\*\s*(?:const\s*)?\*")
_FILE = pattern(r"/|\.[A-Za-z]\w*\Z")
_TEXT = pattern(r"(?:const )?(?:std ?:: ?)?string(?:_view)?|(?:const )?char")


def keyed_option(place: Environment, text: str) -> Value | None:
    """The number that a map has for an option; None for any other expression."""
    asked = _KEYED.fullmatch("".join(text.split()))
    kind = _kind(place, asked[1] or "", asked[2]) if asked is not None else None
    if asked is None or kind is None or not _sees_arguments(place):
        return None  # some other map
    lines = program_arguments.runs(place, place.file)
    given = _given(_said(lines[0]), asked[3]) if lines else None
    if given is not None and (found := number(given, kind)) is not None:
        place.session.note("runs", program_arguments.told(place, place.file))
        return found
    default = _default(place, asked[2], asked[3])
    return None if default is None else number(default, kind)


def keyed_condition(place: Environment, text: str) -> bool | None:
    """Whether the words of the program's runs decide a condition of an option, and all alike."""
    compact = _SPACE.sub(lambda m: m[1] or "", text)
    there, same = _THERE.fullmatch(compact), _SAME.fullmatch(compact)
    name, key = (
        (there[1], there[2] or there[3]) if there else same.group(1, 2) if same else ("", "")
    )
    if not name or not _is_text_map(place, name) or not _sees_arguments(place):
        return None
    lines, default = program_arguments.runs(place, place.file), _default(place, name, key)
    if not lines:
        return True if there and default is not None else None
    given = {line: _given(_said(line), key) for line in lines}
    if not all(text or _says_all(line, key) for line, text in given.items()):
        return None  # what else may be asked for is not in sight
    held = {text or default for text in given.values()}
    if _is_put(place, name, key) or (len(held) > 1 and (same or None in held)):
        return None  # now this, now that
    place.session.note("runs", program_arguments.told(place, place.file))
    found = held.pop()
    return found is not None if same is None else (found == same[4]) == (same[3] == "==")


def _said(line: CommandLine) -> tuple[str, ...]:
    """The words of a run, and after them the options in files that they name."""
    files = [options(word, line.path.parent) or () for word in line.arguments]
    return (*line.arguments, *(option for each in files for option in each))


def _says_all(line: CommandLine, key: str) -> bool:
    """Whether a run leaves no room for an option: as a flag, or in a file that it names."""
    named = [word for word in line.arguments if "=" not in word]
    flags = [word.lstrip("-") for word in named]
    files = (options(word, line.path.parent) for word in named if _FILE.search(word))
    return key.lstrip("-") not in flags and None not in files


def _is_put(place: Environment, name: str, key: str) -> bool:
    """Whether the program itself puts something into the map that is not written there."""
    quoted = re.escape(f'"{key}"')
    put = re.compile(
        rf'\b{name}\s*(?:\[\s*{quoted}\s*\]\s*=(?!=)\s*(?!["\d])|\.\s*\w*(?:emplace|insert)\w*\W+{key}")'
    )
    return any(put.search(file.unit.text) for file in place.file.family)


def _sees_arguments(place: Environment) -> bool:
    function = place.function
    text = place.file.source.text_of(function.node) if function is not None else ""
    return _ARGUMENTS.search(text) is not None


def _is_text_map(place: Environment, name: str) -> bool:
    """Whether a variable is a map from text to text."""
    words, depth = place.declared_words(name)
    kind = MAP.fullmatch(words.removeprefix("const ").strip())
    return kind is not None and not depth and all(_TEXT.fullmatch(k.strip()) for k in kind.groups())


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
