"""Files that build programs or run them: the commands in each, and what it builds from what."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.project import build_calls, cmake_files, prose_commands
from perflint.frontend.source.project.makefiles import Makefile
from perflint.frontend.source.project.shell_words import (
    MOST_LINES,
    UNKNOWN,
    Command,
    Line,
    commands,
    joined,
)
from perflint.frontend.source.project.user_files import words

#: How much a place says of how a program is run, the most first.
TEST, SCRIPT, OTHER_SCRIPT, PAGE = range(4)

_MAKEFILES = words("Makefile makefile GNUmakefile")
_CALLING = words("BUILD BUILD.bazel meson.build")
_PAGES = (".md", ".rst", ".txt", ".markdown")
_SHELL = words(".sh .bash .zsh .ksh .csh .sbatch .slurm .pbs .lsf .bat .cmd")
_CONFIGURATION = words(".json .yml .yaml .ini .cfg .toml")
_C = words(".cu .c .cc .cpp .cxx .cuh")
_RUNS = pattern(r"run|test|check|bench|verif|perf|profile|exec|launch|demo", re.IGNORECASE)
_SOURCE_OR_OBJECT = pattern(r"\.(?:cu|c|cc|cpp|cxx|o|obj|lo|cu\.o)\Z")
#: Files that no program is: what a rule or `-o` makes on the way.
_MADE = pattern(r"\.(?:o|obj|lo|a|so|lib|dll|ptx|cubin|fatbin|d|h|hpp|log|txt|pdf|gch|i|ii|s)\Z")
_NO_TARGETS = words(
    """
    add_library cuda_add_library set list file message set_source_files_properties
    set_property string if elseif while foreach install source_group include_directories
    """
)
#: CMake's words that end a command or a list of arguments.
_KEYWORDS = words(
    """
    COMMAND WORKING_DIRECTORY DEPENDS CONFIGURATIONS VERBATIM COMMENT POST_BUILD PRE_BUILD PRE_LINK
    ARGS BYPRODUCTS USES_TERMINAL COMMAND_EXPAND_LISTS MAIN_DEPENDENCY OUTPUT NAME SOURCES LIBRARIES
    PROPERTIES LABELS TIMEOUT COST PROCESSORS TARGET SOURCE LIBS LINK_LIBRARIES RUN_SERIAL FIXTURES
    PASS_REGULAR_EXPRESSION FAIL_REGULAR_EXPRESSION TEST_PREFIX TEST_SUFFIX NUM_PROCS NPROCS
    """
)
_ARGUMENTS = pattern(r"(?:\w+_)?(?:ARGS|ARGUMENTS|ARGV)\Z")
_KEYS = words("args arguments argv test_args cmd_args cmdline_args parameters params")
_PROGRAMS = words("program executable binary exe target name command cmd app")
_PYTHON_TEXT = pattern(r"""[rbfuRBFU]{0,2}("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""")
_PYTHON_LIST = pattern(r"\[((?:[^\[\]\"']|\"[^\"\n]*\"|'[^'\n]*'){3,600})\]")
_VALUE = pattern(r"\s*(?:-\s+)?(?:[\w.-]+\s*[:=]\s*)?[|>]?\s*(.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Built:
    """A program, or what a build calls it, and what it is made of."""

    program: str
    inputs: tuple[str, ...]  #: as written, from the file's folder
    folder: str


@dataclass(frozen=True)
class Content:
    """What one file says."""

    commands: tuple[tuple[int, Command], ...]  #: each with what its place says
    built: tuple[Built, ...]


Read = Callable[[Path], str | None]


def is_run_file(name: str) -> bool:
    """Whether a file of this name may say how a program is run, or what it is called."""
    stem, suffix = os.path.splitext(name)  # noqa: PTH122
    if suffix in _PAGES:
        return name == "CMakeLists.txt" or bool(re.match(r"readme|usage|run|test", stem, re.I))
    return (
        name in _MAKEFILES
        or name in _CALLING
        or suffix in _SHELL
        or suffix in (".mk", ".mak", ".py")
        or (suffix in _CONFIGURATION and bool(_RUNS.search(stem)))
        or (not suffix and bool(re.match(r"readme|run|test|verif|bench|check", name, re.I)))
    )


def content(path: Path, text: str, read: Read, folders: tuple[Path, ...]) -> Content:
    """What a file says. `folders`: its own and those above, whose CMake files it builds upon."""
    name, suffix, folder = path.name, path.suffix, str(path.parent)
    rank = SCRIPT if _RUNS.search(path.stem) else OTHER_SCRIPT
    built: list[Built] = []
    if name in _MAKEFILES or suffix in (".mk", ".mak"):
        found = list(_of_makefile(path, text, read, built))
    elif name == "CMakeLists.txt":
        found = list(_of_cmake(path, text, read, folders, built))
    elif name in _CALLING:
        found = list(_of_calls(text, folder, built))
    elif suffix in _PAGES or name.lower().startswith("readme"):
        found = [(PAGE, c) for c in prose_commands.in_page(text, folder)]
    elif suffix in _C:
        found = [(PAGE, c) for c in prose_commands.in_comments(text, folder)]
    elif suffix == ".py":
        found = [(rank, c) for c in _of_python(text, folder)]
    elif suffix == ".json":
        found = [(SCRIPT, c) for c in _of_json(text, folder)]
    elif suffix in _CONFIGURATION:
        values = (replaced for line in joined(text) if (replaced := _value(line)))
        found = [(SCRIPT, c) for c in commands(values, folder)]
    else:
        found = [(rank, c) for c in commands(joined(text), folder)]
    found = [(rank, command) for rank, command in found if command.words]
    built += [b for _, command in found if (b := _compiled(command, folder)) is not None]
    return Content(tuple(found), tuple(built))


def _compiled(command: Command, folder: str) -> Built | None:
    """What a compiler or linker makes of which files."""
    given = command.words
    if "-c" in given or "--compile" in given:
        return None
    inputs = tuple(w for w in given[1:] if _SOURCE_OR_OBJECT.search(w) and w[0] != "-")
    at = given.index("-o") + 1 if "-o" in given else 0
    program = given[at] if 0 < at < len(given) else "a.out"
    inputs = tuple(w for w in inputs if w != program)
    if not inputs or _MADE.search(program) or (not at and not re.search("cc|\\+\\+", given[0])):
        return None
    return Built(program, inputs, command.folder or folder)


# --- make and CMake -------------------------------------------------------------------------------


def _of_makefile(
    path: Path, text: str, read: Read, built: list[Built]
) -> Iterator[tuple[int, Command]]:
    folder = path.parent

    def include(name: str) -> str | None:
        return read(Path(os.path.normpath(folder / name)))

    try:
        with os.scandir(folder) as entries:
            names = tuple(sorted(e.name for e in entries if Path(e.name).suffix in _C))
    except OSError:
        names = ()
    for rule in Makefile(text, include, names).rules():
        rank = TEST if any(_RUNS.search(target) for target in rule.targets) else OTHER_SCRIPT
        links = False
        for line in rule.recipe:
            for command in commands([line], str(folder)):
                links |= "-o" in command.words
                yield rank, command
        if not links:
            named = (t for t in rule.targets if not _MADE.search(t) and "%" not in t)
            inputs = tuple(n for n in rule.needs if _SOURCE_OR_OBJECT.search(n))
            built += [Built(target, inputs, str(folder)) for target in named if inputs]


def _of_cmake(
    path: Path, text: str, read: Read, folders: tuple[Path, ...], built: list[Built]
) -> Iterator[tuple[int, Command]]:
    variables: cmake_files.Variables = {}
    for above in reversed(folders):
        if above != path.parent and path.is_relative_to(above):
            for _ in cmake_files.calls(read(above / path.name) or "", variables):
                pass
    folder = str(path.parent)
    for call in cmake_files.calls(text, variables):
        if not call.words or call.name in _NO_TARGETS:
            continue
        first = next((w for w in call.words if w not in ("NAME", "TARGET")), "")
        inputs = tuple(w for w in call.words if re.search(r"\.(?:cu|c|cc|cpp|cxx)\Z", w))
        if inputs and first not in inputs:
            built.append(Built(first, inputs, folder))
        if call.name == "set_target_properties" and "OUTPUT_NAME" in call.words[:-1]:
            named = call.words[call.words.index("OUTPUT_NAME") + 1]
            built += [
                Built(named, b.inputs, folder) for b in list(built) if b.program in call.words
            ]
        for given in _tested(call, first):
            yield TEST, Command(given, None, call.line, call.text)


def _tested(call: cmake_files.Call, first: str) -> Iterator[tuple[str, ...]]:
    """The commands of a call of CMake's or of the project's own."""
    given = call.words
    if call.name == "add_test" and "COMMAND" not in given and given[0] != "NAME":
        yield given[1:]
    for at, word in enumerate(given):
        if word != "COMMAND" and not _ARGUMENTS.match(word):
            continue
        start = at + 1
        if word == "COMMAND" and given[start : start + 1] == ("ARGS",):
            start += 1
        end = next(
            (i for i in range(start, len(given)) if given[i] in _KEYWORDS and given[i] != "ARGS"),
            len(given),
        )
        values = tuple(w for w in given[start:end] if w != "ARGS")
        yield values if word == "COMMAND" else (first, *(v for w in values for v in w.split()))


def _of_calls(text: str, folder: str, built: list[Built]) -> Iterator[tuple[int, Command]]:
    for target in build_calls.targets(text):
        if target.sources:
            built.append(Built(target.name, target.sources, folder))
        if target.arguments is not None:
            yield TEST, Command((target.name, *target.arguments), None, target.line, target.text)


# --- JSON, Python, others -------------------------------------------------------------------------


def _value(line: Line) -> Line | None:
    """A line of a configuration file without its key."""
    match = _VALUE.match(line.text)
    text = match[1].strip() if match else ""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return Line(text, line.number) if text else None


def _of_json(text: str, folder: str) -> Iterator[Command]:
    """Lists of arguments under a program's name, or beside it."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    todo: list[tuple[str, Any]] = [("", data)]
    for _ in range(5_000):  # of what is nested in each other
        if not todo:
            return
        name, value = todo.pop(0)
        if isinstance(value, list):
            todo += [(name, v) for v in value if isinstance(v, dict | list)]
        elif isinstance(value, dict):
            beside = (v for k, v in value.items() if k in _PROGRAMS and isinstance(v, str))
            name = next(beside, name)
            for key, inner in value.items():
                if key in _KEYS and name and (given := _listed(inner)) is not None:
                    at = text.find(json.dumps(name))
                    line = text.count("\n", 0, max(at, 0)) + 1
                    shown = " ".join((name, *given))
                    yield Command((*name.split(), *given), folder, line, shown)
                elif isinstance(inner, dict | list):
                    todo.append((name if key in ("runs", "tests", "cases") else key, inner))


def _listed(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, list) and all(isinstance(v, str | int | float) for v in value):
        return tuple(map(str, value))
    return None


def _of_python(text: str, folder: str) -> Iterator[Command]:
    """Texts that begin with a path to a program, and lists of a program and its arguments."""
    for match in itertools.islice(_PYTHON_LIST.finditer(text), MOST_LINES):
        given = tuple(_plain(item.strip()) for item in match[1].split(",") if item.strip())
        if given and "/" in given[0]:
            yield _python_command(text, match.start(), given, folder)
    for match in itertools.islice(_PYTHON_TEXT.finditer(text), MOST_LINES):
        value = match[1][1:-1]
        if re.match(r"\s*(?:\w+ )*\.{0,2}/?[\w./-]*/", value) and " " in value:
            value = re.sub(r"\{[^}]*\}|%[sd]", f"{UNKNOWN}{{}}{UNKNOWN}", value)
            line = text.count("\n", 0, match.start()) + 1
            for command in commands(joined(value), folder):
                if (typed := prose_commands.as_typed(command.words)) is not None:
                    yield Command(typed, folder, line, " ".join(match[0].split()))


def _plain(item: str) -> str:
    match = _PYTHON_TEXT.fullmatch(item)
    if match:
        return match[1][1:-1]
    return item if re.fullmatch(r"-?[\d.]+", item) else f"{UNKNOWN}{item}{UNKNOWN}"


def _python_command(text: str, at: int, given: Iterable[str], folder: str) -> Command:
    line = text.count("\n", 0, at) + 1
    shown = " ".join(text.splitlines()[line - 1].split())
    return Command(tuple(given), folder, line, shown)
