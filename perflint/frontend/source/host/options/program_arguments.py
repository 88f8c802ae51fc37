"""What host code reads of a program's arguments, where some file says what it is run with.

`argc`, `atoi(argv[1])`, `getCmdLineArgumentInt(argc, argv, "n")`, `case 'n': n = atoi(optarg)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.values.device_properties import words
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.project.command_lines import CommandLine, number
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.linkage import chosen_main

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: How a supposition begins that the program is run with certain words.
RUN_AS = "it is run as"
#: What is supposed where no file says what the program is run with: its own defaults.
RUN_BARE = "it is run without arguments, as no file says with which"
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
#: What a loop over options, or a branch on them, asks.
_ASKS = pattern(r"\b(?:argv|argc|optind|optarg|getopt\w*|\w*CmdLine\w*)\b")
_CALLED = pattern(r"\bgetopt\w*\s*\([^;]*")
_ENDLESS = pattern(r"[\s()]*(?:1|true|;)?[\s()]*")
#: The samples' own helpers (cuda-samples, Common/helper_string.h).
_FLAG = "checkCmdLineFlag"
_OPTIONS = {"getCmdLineArgumentInt": c_types.INT, "getCmdLineArgumentFloat": c_types.FLOAT}
#: A parameter that gets the program's arguments, and the type of a variable that holds text.
ARGV = pattern(r"\bchar\s*(?:const\s*)?\*\s*(?:const\s*)?(?:\*|\w*\s*\[)")
_TEXT = pattern(r"\b(?:string|string_view|char)(?:\s*>)?$")
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
        if line is None or index is None or is_an_option(place):
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


def told_as_text(place: Environment) -> set[str]:
    """The variables of the function around a place that hold what the program was told, as text."""
    function, body = place.function, place.body()
    if function is None or body is None:
        return set()
    names = {p.name for p in function.parameters if ARGV.search(p.written)}
    names.add("argv")
    for definitions in body.definitions.values():
        for each in definitions:
            is_text = each.declares and each.value is not None and _TEXT.search(each.type)
            if is_text and each.value and not names.isdisjoint(words(body.text_of(each.value))):
                names.add(each.name)
    return names


def is_over_options(place: Environment, region: Region) -> bool:
    """Whether a loop goes over what the program is run with, or a branch asks for it."""
    return asks(place, asked(place, region))


def is_an_option(place: Environment) -> bool:
    """Whether a place stands in a loop over options, or in a branch that asks for one by its name.

    `if (argc > 2) n = atoi(argv[2]);` only counts the words.
    """
    body = place.body()
    around = body.enclosing(place.at) if body is not None else []
    return any(
        is_over_options(place, region)
        and (region.kind == "loop" or not {"'", '"'}.isdisjoint(asked(place, region)))
        for region in around
    )


def asks(place: Environment, text: str) -> bool:
    """Whether an expression is about what the program is run with."""
    if _ASKS.search(text) is not None:
        return True
    return not words(text).isdisjoint(told_as_text(place) | counts(place))


def asked(place: Environment, region: Region) -> str:
    """What a loop goes over, or a branch asks; the call of getopt in a loop that has no end."""
    text_of = place.file.source.text_of
    fields = ("condition", "right")
    nodes = (region.node.child_by_field_name(field) for field in fields)
    text = " ".join(text_of(node) for node in nodes if node is not None)
    if region.kind != "loop" or not _ENDLESS.fullmatch(text):
        return text
    found = _CALLED.search(text_of(region.node))
    return found[0] if found is not None else text


def counts(place: Environment) -> set[str]:
    """The parameters that stand before the program's arguments and count these: `int ac`."""
    parameters = place.function.parameters if place.function is not None else ()
    return {a.name for a, b in pairwise(parameters) if ARGV.search(b.written) and a.name}


def runs_of(place: Environment) -> Sequence[CommandLine]:
    """How files say that the program is run whose `main` is in sight of a place, best first."""
    return runs(place, main_file(place))


def runs(place: Environment, file: File) -> Sequence[CommandLine]:
    """The same of the program whose `main` is in a file; where a run was chosen, that one."""
    project, chosen = place.session.project, place.session.run()
    return project.command_lines(file) if chosen is None else (project.run(file, chosen),)


def main_file(place: Environment) -> File:
    """The file with the program's `main`; the place's own where nobody can say which that is."""
    if place.file.has_main:
        return place.file
    if (program := place.session.program()) is not None:
        return program
    mains = {file.path: file for file in place.session.project.mains}
    chosen = chosen_main(list(mains))
    return place.file if chosen is None else mains[chosen]


def told(place: Environment, file: File) -> str:
    """How the program is run, for people."""
    line = next(iter(runs(place, file)), None)
    if line is None:
        return RUN_BARE
    if not line.line:
        return f"{RUN_AS} `{line.text}`, for else it is not launched"
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
            lines = runs(place, place.file)
            if lines:
                place.session.note("runs", told(place, place.file))
            return lines[0] if lines else None
        passed = place.argument(function, at)
        words = re.findall(r"\w+", passed[0]) if passed is not None else []
        if passed is None or not words:
            return None
        name, place = words[-1], passed[1]
    return None
