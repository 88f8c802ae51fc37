"""A build's `compile_commands.json`: the flags each source is compiled with.

The format is Clang's JSON Compilation Database: a list of `directory`, `file` and `arguments` or
`command`. Options are read in nvcc's spelling (CUDA Compiler Driver NVCC, "NVCC Command Options")
and in clang's ("Compiling CUDA with clang").
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file
from perflint.base.records import dataclass
from perflint.frontend.source.project.user_files import (
    UnreadableError,
    by_word,
    read_bytes,
    read_text,
    words,
)

NAME = "compile_commands.json"
_LARGEST = 256 << 20  #: bytes; Chromium's database has 60 MB
_RESPONSE_DEPTH = 4  #: response files that name response files
_RESPONSE_BYTES = 256 << 10  #: of all response files of one command, each as often as it is named
_READING = 256  #: what reading one counts for beside its bytes
_COMMAND_BYTES = 2 << 20  #: Linux takes no longer ones (execve(2), ARG_MAX)


class DatabaseError(Exception):
    """A database that cannot be used; the message begins with its path."""


@dataclass(frozen=True)
class Flags:
    """What of a compile command bears on the PTX."""

    define: tuple[str, ...] = ()  #: `NAME` or `NAME=VALUE`, each name once
    include: tuple[Path, ...] = ()  #: absolute folders, in the order they are searched
    before: tuple[Path, ...] = ()  #: headers included before the first line (`-include`)
    std: str | None = None  #: `c++17`
    arch: str | None = None  #: the newest GPU compiled for: `sm_90`
    codegen: tuple[str, ...] = ()  #: `--use_fast_math` and the like, in nvcc's spelling


#: Options with a value, by what the value is. nvcc takes `-I dir`, `-Idir` and `-I=dir` alike,
#: long ones with `=` or as two words.
_VALUED = by_word(
    {
        "define": "-D --define-macro",
        "undefine": "-U --undefine-macro",
        "include": "-I --include-path -iquote",
        "system": "-isystem --system-include -idirafter",
        "before": "-include --pre-include",
        "std": "-std --std",
        "arch": "-arch --gpu-architecture -code --gpu-code -gencode --generate-code "
        "--cuda-gpu-arch --offload-arch",
        "response": "--options-file -optf",
    }
)
#: Options whose next word is theirs, whatever it looks like.
_SKIPPED = words(
    """
    -o --output-file -x --x -Xcompiler --compiler-options -Xptxas --ptxas-options -Xlinker
    --linker-options -Xarchive --archive-options -Xnvlink --nvlink-options -Xcudafe -Xcicc -Xclang
    -Xpreprocessor -Xcuda-ptxas -Xcuda-fatbinary -Xarch_device -Xarch_host -mllvm -MT -MF -MQ
    -odir --output-directory -ccbin --compiler-bindir -target -L -l --cuda-path
    -maxrregcount --maxrregcount -t --threads
    """
)
#: Options joined to their value without a space or `=`.
_JOINED = ("-D", "-U", "-I")
#: What changes the code that is made, by the spelling that nvcc and NVRTC share. The dashes are
#: as nvcc wants them: `-fmad=false` is refused by no version.
_CODEGEN = {
    "use_fast_math": "--use_fast_math",
    "ffast-math": "--use_fast_math",
    "fcuda-flush-denormals-to-zero": "--ftz=true",
    "fgpu-flush-denormals-to-zero": "--ftz=true",
}
_TOGGLES = frozenset({"fmad", "ftz", "prec-div", "prec-sqrt"})
_SPLIT_COMMAS = frozenset({"define", "undefine", "include", "system", "before"})
_NUMBER = pattern(r"(?:sm|compute|lto)_(\d{1,4})[af]?\b", re.ASCII)


@dataclass(frozen=True, eq=False)
class CompilationDatabase:
    """The entries of one file, by the source's real path."""

    path: Path
    entries: Mapping[Path, Mapping[str, Any]]

    def flags(self, source: Path) -> Flags | None:
        """The flags of a source; None if the build does not compile it.

        A header (`.cuh`) is compiled as the source of the same name is, else as the one that
        shares most folders with it. Raises DatabaseError for an entry that cannot be read.
        """
        real = Path(os.path.realpath(source))
        entry = self.entries.get(real)
        if entry is None and real.suffix.lower() == ".cuh" and self.entries:
            entry = self.entries[min(self.entries, key=lambda other: _distance(real, other))]
        if entry is None:
            return None
        try:
            return _flags(_words(entry), Path(entry["directory"]))
        except ValueError as error:  # an open quotation mark
            raise DatabaseError(f"{self.path}: the command for {source}: {error}") from None


def _distance(header: Path, source: Path) -> tuple[bool, int, str]:
    shared = os.path.commonpath([header, source])
    return (header.stem != source.stem, -len(PurePath(shared).parts), str(source))


def read_database(file: Path) -> CompilationDatabase:
    """Read a database. Raises DatabaseError: missing, unreadable, too large, not of this form."""
    try:
        data = json.loads(read_bytes(file, _LARGEST))
    except UnreadableError as error:
        hint = f"; a build makes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear ({NAME})"
        raise DatabaseError(f"{file}: {error}{'' if file.exists() else hint}") from None
    except json.JSONDecodeError as error:
        raise DatabaseError(f"{file}:{error.lineno}:{error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:  # not UTF-8, a number of too many digits
        raise DatabaseError(f"{file}: not JSON: {error}") from None
    if not isinstance(data, list):
        raise DatabaseError(f"{file}: expected a list of compile commands")
    entries: dict[Path, Mapping[str, Any]] = {}
    for number, entry in enumerate(data, 1):
        wrong = _wrong(entry)
        if wrong:
            raise DatabaseError(f"{file}: entry {number} {wrong}")
        folder = os.path.join(os.path.dirname(file), entry["directory"])  # noqa: PTH118, PTH120
        entry["directory"] = os.path.abspath(folder)  # noqa: PTH100 (Path.absolute keeps `..`)
        source = Path(os.path.realpath(Path(entry["directory"]) / entry["file"]))
        entries.setdefault(source, entry)
    return CompilationDatabase(file, entries)


def _wrong(entry: object) -> str:
    """What is wrong with an entry; "" if nothing is."""
    if not isinstance(entry, dict):
        return "is no object"
    for key in ("directory", "file"):
        if not isinstance(entry.get(key), str) or "\0" in entry[key]:
            return f"has no {key!r} that is a text"
    arguments = entry.get("arguments")
    if isinstance(arguments, list) and all(isinstance(a, str) for a in arguments):
        return ""
    if arguments is None and isinstance(entry.get("command"), str):
        return ""
    return "has neither 'arguments' (a list of texts) nor 'command' (a text)"


def _words(entry: Mapping[str, Any]) -> list[str]:
    """The command line of an entry, response files expanded. Raises ValueError."""
    words = entry.get("arguments")
    if sum(map(len, (entry["command"],) if words is None else words)) > _COMMAND_BYTES:
        raise ValueError(f"it has more than {_COMMAND_BYTES >> 20} MB")
    if words is None:
        words = shlex.split(entry["command"], posix=os.name != "nt")
    words = list(_Response(Path(entry["directory"])).expanded(words, _RESPONSE_DEPTH))
    if any("\0" in word for word in words):
        raise ValueError("an option holds a NUL")
    return words


class _Response:
    """The response files of one command."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = _RESPONSE_BYTES

    def expanded(self, words: Sequence[str], depth: int) -> Iterator[str]:
        """The words with those of `@file` and `--options-file file` in their place."""
        waiting = iter(words)
        for word in waiting:
            name, equals, value = word.partition("=")
            if word.startswith("@"):
                value = word[1:]
            elif _VALUED.get(name) == "response":
                value = value if equals else next(waiting, "")
            else:
                yield word
                continue
            if depth == 0:
                raise ValueError(f"response files are nested too deeply at {value}")
            for file in value.split(","):
                yield from self.expanded(shlex.split(self._read(file)), depth - 1)

    def _read(self, file: str) -> str:
        try:
            text = read_text(self._folder / file, _RESPONSE_BYTES)
        except UnreadableError as error:
            raise ValueError(f"the response file {file}: {error}") from None
        self._left -= len(text) + _READING
        if self._left < 0:
            raise ValueError(f"response files have more than {_RESPONSE_BYTES >> 10} KB at {file}")
        return text


def _flags(words: Sequence[str], folder: Path) -> Flags:
    clang = "clang" in PurePath(words[0]).name if words else False
    found: dict[str, list[str]] = defaultdict(list)
    define: dict[str, str] = {}
    for kind, text in _options(words):
        for value in text.split(",") if kind in _SPLIT_COMMAS and not clang else [text]:
            found[kind].append(value)
            if kind == "define":
                define[value.partition("=")[0]] = value
            elif kind == "undefine":
                define.pop(value, None)
    folders = [_absolute(folder, value) for value in found["include"]]
    system = [_absolute(folder, value) for value in found["system"]]
    return Flags(
        tuple(define.values()),
        tuple(dict.fromkeys((*folders, *system))),
        tuple(_found(Path(header), folder, folders) for header in found["before"]),
        next((std.replace("gnu++", "c++") for std in reversed(found["std"])), None),
        _newest(found["arch"]),
        tuple(dict.fromkeys(found["codegen"])),
    )


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(what the value is, the value) of the options that matter, in order."""
    waiting = iter(words[1:])
    for word in waiting:
        name, equals, value = word.partition("=")
        if word in _SKIPPED:
            next(waiting, None)
        elif name in _VALUED:
            yield _VALUED[name], value if equals else next(waiting, "")
        elif word.startswith(_JOINED):
            yield _VALUED[word[:2]], word[2:]
        elif word.startswith("-isystem"):
            yield "system", word.removeprefix("-isystem")
        else:
            plain = name.lstrip("-")
            if plain in _CODEGEN and word.startswith("-"):
                yield "codegen", _CODEGEN[plain]
            elif plain in _TOGGLES and value in ("true", "false"):
                yield "codegen", f"--{plain}={value}"


def _absolute(folder: Path, name: str) -> Path:
    return Path(os.path.abspath(folder / name))  # noqa: PTH100 (Path.absolute keeps `..`)


def _found(header: Path, folder: Path, folders: Sequence[Path]) -> Path:
    """A header of `-include`: in the command's folder, else in those of -I."""
    candidates = [_absolute(f, str(header)) for f in (folder, *folders)]
    return next((c for c in candidates if is_file(c)), candidates[0])


@cache
def _number(arch: str) -> int:
    return max((int(n) for n in _NUMBER.findall(arch)), default=0)


def _newest(archs: Sequence[str]) -> str | None:
    """The newest GPU that any of `-arch`, `-gencode` and their like names; `native` names none."""
    newest = max(map(_number, archs), default=0)
    return f"sm_{newest}" if newest else None
