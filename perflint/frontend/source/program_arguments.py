"""What host code reads of a program's arguments, where some file says what it is run with.

`argc`, `atoi(argv[1])`, `getCmdLineArgumentInt(argc, argv, "n")`, `case 'n': n = atoi(optarg)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.command_lines import CommandLine, number
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import Definition
from perflint.frontend.source.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

#: How a supposition begins that the program is run with certain words.
RUN_AS = "it is run as"
_DEPTH = 8  #: functions that the arguments are handed through

#: Functions that read a number from text, and what they return (C17 7.22.1; C++ has the others).
READERS: dict[str, CType] = {
    **dict.fromkeys(("atoi", "stoi"), c_types.INT),
    **dict.fromkeys(("atol", "strtol", "stol"), c_types.LONG),
    **dict.fromkeys(("atoll", "strtoll", "stoll"), c_types.LLONG),
    **dict.fromkeys(("strtoul", "stoul"), c_types.ULONG),
    **dict.fromkeys(("strtoull", "stoull"), c_types.ULLONG),
    **dict.fromkeys(("atof", "strtod", "stod"), c_types.DOUBLE),
    **dict.fromkeys(("strtof", "stof"), c_types.FLOAT),
}
#: The samples' own helpers (cuda-samples, Common/helper_string.h).
_FLAG = "checkCmdLineFlag"
_OPTIONS = {"getCmdLineArgumentInt": c_types.INT, "getCmdLineArgumentFloat": c_types.FLOAT}
#: An option of getopt_long by its letter: `{"size", required_argument, nullptr, 's'}`.
_LONG = r"""\{{\s*"([\w-]+)"\s*,\s*\w+\s*,\s*\w+\s*,\s*'{}'\s*\}}"""
_ELEMENT = pattern(r"\(?\s*(\w+)\s*\[(.+)\]\s*\)?")


def count(place: Environment, name: str) -> Value | None:
    """The value of `argc`, or what it is handed on as."""
    line = _command_line(place, name, 0)
    return None if line is None else Value(len(line.arguments) + 1, c_types.INT)


def call(place: Environment, name: str, texts: Sequence[str]) -> Value | None:
    """What a function reads of the program's arguments; None for any other."""
    last = name.rsplit("::", 1)[-1]
    if last in READERS and texts:
        found = _ELEMENT.fullmatch(texts[0])
        index = fold(found[2], place) if found else None
        line = _command_line(place, found[1], 1) if found and index is not None else None
        if line is None or index is None:
            return None
        word = _word(line, int(index.number))
        return None if word is None else number(word, READERS[last])
    if (last != _FLAG and last not in _OPTIONS) or len(texts) != 3:
        return None
    argv = re.findall(r"\w+", texts[1])
    line = _command_line(place, argv[-1], 1) if argv else None
    if line is None:
        return None
    values = dict(_options(line))
    wanted = texts[2].strip('" ')
    if last == _FLAG:
        return Value(int(wanted in values), c_types.BOOL)
    return number(values.get(wanted, "0"), _OPTIONS[last])


def option(place: Environment, definition: Definition, kind: CType) -> Value | None:
    """What `case 'n': n = atoi(optarg)` makes of a variable; None unless the option is given."""
    source = place.file.source
    node = source.tree.root_node.descendant_for_byte_range(definition.start, definition.start)
    while node is not None and node.type != "case_statement":
        node = node.parent
    label = node.child_by_field_name("value") if node is not None else None
    letter = source.text_of(label).strip("' ") if label is not None else ""
    lines = place.session.project.command_lines(place.file)
    if len(letter) != 1 or not lines:
        return None
    long = re.search(_LONG.format(re.escape(letter)), source.text)
    for word, following in pairwise((*lines[0].arguments, "")):
        name, sign, value = word.partition("=")
        if long is not None and name == f"--{long[1]}":
            return number(value if sign else following, kind)
        if word[:2] == f"-{letter}":
            return number(word[2:] or following, kind)
    return None


def main_file(place: Environment) -> File:
    """The file with the program's `main`; the place's own where not just one is in sight."""
    if _has_main(place.file):
        return place.file
    found = {f.path: f for f in place.session.project.neighbours("main") if _has_main(f)}
    return next(iter(found.values())) if len(found) == 1 else place.file


def _has_main(file: File) -> bool:
    return any(not f.method for f in file.declarations.by_name.get("main", ()))


def told(place: Environment, file: File) -> str:
    """How the program is run, for people."""
    line = place.session.project.command_lines(file)[0]
    return f"{RUN_AS} `{' '.join(line.text.split())}` (line {line.line} of {line.path.name})"


def _word(line: CommandLine, index: int) -> str | None:
    return line.arguments[index - 1] if 1 <= index <= len(line.arguments) else None


def _options(line: CommandLine) -> list[tuple[str, str]]:
    """`-n=64`, `--n=64` and `-flag` as (name, value)."""
    parts = (word.lstrip("-").partition("=") for word in line.arguments if word[:1] == "-")
    return [(name, value) for name, _, value in parts]


def _command_line(place: Environment, name: str, position: int) -> CommandLine | None:
    """The run of the program of whose `main` a variable is the argument at a position."""
    for _ in range(_DEPTH):
        function = place.function
        if function is None or all(p.name != name for p in function.parameters):
            return None
        body = place.body()
        if body is not None and body.visible(name, place.at) is not None:
            return None
        at = function.position(name)
        if function.name == "main" and not function.method:
            if at != position:
                return None
            lines = place.session.project.command_lines(place.file)
            if lines:
                place.session.note("runs", told(place, place.file))
            return lines[0] if lines else None
        passed = place.argument(function, at)
        words = re.findall(r"\w+", passed[0]) if passed is not None else []
        if passed is None or not words:
            return None
        name, place = words[-1], passed[1]
    return None
