"""The macros that a build gives unless it is asked for something else.

`build_files` reads every `-D` of a build file, whichever of its conditions it stands under: that
may complete a source, but not decide which of two is built. Here a word counts only where it stands
in a variable of make's, under no condition or in the `else` of an `ifdef` of what nothing sets, or
in a command of CMake's for all targets, under no condition but an `option` as it is unless somebody
sets it. What CMake says for all targets it says for those of the folders below, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.build_files import BuildMacro, build_macros, nearest_files, text_of

_MAKE = pattern(r"(?i)(?:gnu)?makefile(?:\.am|\.in)?|.*\.(?:mk|mak|make)")
_CMAKE = pattern(r"CMakeLists\.txt|.*\.cmake")
_LISTS = "CMakeLists.txt"
_CONDITION = pattern(r"[ \t]*(ifdef|ifndef|ifeq|ifneq|else|endif)\b[ \t]*(.*)")
#: A variable, but no target's own (`debug: FLAGS += -g`).
_ASSIGNED = pattern(r" *(?:export +|override +)?(\w+)[ \t]*[:+?]?=")
#: Variables of other builds than the one that is made by default.
_ANOTHER = pattern(r"(?i)debug|dbg|test|prof")
_COMMAND = pattern(r"(?i)[ \t]*(?:add_definitions|add_compile_definitions|set)\s*\(([^()]*)")
_OPENS = pattern(r"(?i)[ \t]*(if|foreach|while|function|macro)\s*\((.*)")
_TURNS = pattern(r"(?i)[ \t]*(else(?:if)?)\s*\(")
_CLOSES = pattern(r"(?i)[ \t]*end(?:if|foreach|while|function|macro)\s*\(")
_OPTION = pattern(r"(?im)^[ \t]*option\s*\(\s*(\w+)\s+\"[^\"]*\"\s*(ON|OFF|TRUE|FALSE|1|0)?\s*\)")
_SETS = pattern(r"(?im)^[ \t]*(?:set|unset)\s*\(\s*(\w+)")
_ON = frozenset({"ON", "TRUE", "1"})


def default_macros(source: Path, root: Path) -> Mapping[str, BuildMacro]:
    """The macros that the build files nearest to a source give by default."""
    near = {path: frozenset(_lines(path, changed)) for path, changed in _files(source, root)}
    return {
        name: macro
        for name, macro in (build_macros(source, root).items() if near else ())
        if macro.path is not None and macro.line in near.get(macro.path, ())
    }


def _files(source: Path, root: Path) -> Iterator[tuple[Path, int]]:
    """The build files that are nearest to a source, and those of CMake's that are around them."""
    near = nearest_files(source, root)
    yield from near
    while lists := [stamp for stamp in near if stamp[0].name == _LISTS]:
        near = nearest_files(lists[0][0].parent, root)
        yield from (stamp for stamp in near if stamp[0].name == _LISTS)


@lru_cache(maxsize=256)
def _lines(path: Path, changed: int) -> tuple[int, ...]:
    """The lines of a build file whose words count."""
    text = text_of(path, changed)
    if _MAKE.fullmatch(path.name):
        return tuple(_of_make(text))
    return tuple(_of_cmake(text)) if _CMAKE.fullmatch(path.name) else ()


def _of_make(text: str) -> Iterator[int]:
    """The lines of variables that are set whatever is asked for."""
    lines = text.split("\n")
    names = {found[1] for line in lines if (found := _ASSIGNED.match(line))}
    open_ones: list[bool | None] = []
    goes_on = counts = False
    for number, line in enumerate(lines, 1):
        if not goes_on:
            if condition := _CONDITION.match(line):
                _turn(open_ones, condition[1], condition[2].strip(), names)
            assigned = _ASSIGNED.match(line)
            counts = assigned is not None and not _ANOTHER.search(assigned[1])
        if counts and all(open_ones):
            yield number
        goes_on = line.rstrip().endswith("\\")


def _turn(
    open_ones: list[bool | None], word: str, name: str, names: frozenset[str] | set[str]
) -> None:
    """What holds behind a condition of make's; None where that is not known."""
    if word == "endif":
        del open_ones[-1:]
    elif word == "else":
        if open_ones:
            held = open_ones.pop()
            open_ones.append(None if held is None or name else not held)
    elif word in ("ifdef", "ifndef"):
        open_ones.append(None if name in names else word == "ifndef")
    else:
        open_ones.append(None)


def _of_cmake(text: str) -> Iterator[int]:
    """The lines on which commands begin that are for all targets and under no condition."""
    options = {each[1]: (each[2] or "OFF").upper() in _ON for each in _OPTION.finditer(text)}
    changed = {each[1] for each in _SETS.finditer(text)}
    open_ones: list[bool | None] = []
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _OPENS.match(line):
            open_ones.append(_holds(opened[1], opened[2], options, changed))
        elif turned := _TURNS.match(line):
            held = open_ones.pop() if open_ones else None
            open_ones.append(None if held is None or turned[1].lower() != "else" else not held)
        elif _CLOSES.match(line):
            del open_ones[-1:]
        command = _COMMAND.match(line)
        if command and all(open_ones) and not _ANOTHER.search(command[1]):
            yield number


def _holds(
    word: str, condition: str, options: Mapping[str, bool], changed: Collection[str]
) -> bool | None:
    """Whether a condition of CMake's holds by default; None where that is not known."""
    *negated, name = condition.rstrip().removesuffix(")").split() or [""]
    if (
        word.lower() != "if"
        or name in changed
        or name not in options
        or negated not in ([], ["NOT"])
    ):
        return None
    return options[name] != bool(negated)
