"""How the values of options are written, on the command line and in a configuration file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.base.launch_option import LaunchSpec, LaunchSpecError
from perflint.base.launch_option import parse as parse_launch
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.lint.options import read_size


@dataclass(frozen=True)
class Origin:
    """Where values come from, and what they may therefore say."""

    title: str  #: `command line`, or the file's path
    base: Path  #: what paths and patterns are relative to
    own: bool = True  #: the user's own: may name a program, and any folder


@dataclass(frozen=True)
class Glob:
    """A pattern as in `.gitignore`, relative to a folder."""

    base: Path
    pattern: str


@dataclass(frozen=True)
class PerFileIgnore:
    """Rules not wanted in the files that a pattern matches."""

    glob: Glob
    selectors: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One way to write values. The functions raise ValueError or TypeError: what was expected."""

    toml: str  #: what a configuration file holds, for people
    of_toml: Callable[[Any, Origin], Any]
    of_text: Callable[[str, Origin], Any] = lambda text, _: text  #: one word of the command line
    many: bool = False  #: a tuple; may be given several times
    split: bool = False  #: commas part values
    flag: bool = False
    optional: bool = False  #: the value, behind `=` only, may be left out
    to_toml: Callable[[Any], Any] = str  #: one value as a file would have it


def _string(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("expected a string")
    return value


def many(one: Callable[[str, Origin], Any], **more: Any) -> Kind:
    """A list of strings, each read by `one`."""

    def of_toml(value: Any, origin: Origin) -> tuple[Any, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise TypeError("expected a list of strings")
        return tuple(one(item, origin) for item in value)

    return Kind("list of strings", of_toml, one, many=True, **more)


def _bool(value: Any, _: Origin) -> bool:
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return value


def _own_bool(value: Any, origin: Origin) -> bool:
    """What a project's file must not say for itself."""
    if not origin.own:
        raise ValueError("it comes from the command line or from your own configuration folder")
    return _bool(value, origin)


def _launch(text: str, _: Origin) -> LaunchSpec:
    try:
        return parse_launch(text)
    except LaunchSpecError as error:
        raise ValueError(str(error)) from None


_DEFINE = pattern(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?(?:=[^\n\r\0]*)?", re.ASCII)


def _define(text: str, _: Origin) -> str:
    if not _DEFINE.fullmatch(text):
        raise ValueError(f"{text!r} is no macro; write NAME or NAME=VALUE")
    return text


def _path(text: str, origin: Origin) -> Path:
    """A path, relative to where it was written. A project's file cannot name one outside it."""
    if "\0" in text:
        raise ValueError("a path cannot hold a NUL")
    path = origin.base / text
    if not origin.own and not bounds.around([origin.base]).allows(path):
        raise ValueError(f"{text!r} is outside the project; only the command line can give it")
    return path


def _folder(text: str, origin: Origin) -> Path:
    path = _path(text, origin)
    if not path.is_dir():
        raise ValueError(f"there is no directory {path}")
    return path


def _program(value: Any, origin: Origin) -> str | None:
    """`nvcc = true`, or a program: "" is the one on the PATH."""
    if isinstance(value, bool):
        return "" if value else None
    if not isinstance(value, str) or not value:
        raise TypeError("expected true, false or the path of nvcc")
    if not origin.own:
        raise ValueError(
            "a program's path comes from the command line or from your own configuration folder; "
            "write true for the nvcc on the PATH"
        )
    return str(origin.base / value) if "/" in value else value


_ADDRESS = pattern(
    r"(?:(?:tcp|tls|ucx|wss?)://)?(?:[\w.-]+|\[[0-9a-f:.]+\]):\d{1,5}", re.ASCII | re.IGNORECASE
)


def _address(value: Any, origin: Origin) -> str:
    """A scheduler's address. Sources are sent there, so that a project must not name one."""
    if not origin.own:
        raise ValueError(
            "a cluster's address comes from the command line or from your own configuration folder"
        )
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise ValueError(f"{value!r} is no scheduler's address; write HOST:PORT or tls://HOST:PORT")
    return value


def _ignores(value: Any, origin: Origin) -> tuple[PerFileIgnore, ...]:
    if not isinstance(value, dict):
        raise TypeError('expected a table: { "tests/*" = ["CU101"] }')
    return tuple(
        PerFileIgnore(Glob(origin.base, pattern), CODES.of_toml(selectors, origin))
        for pattern, selectors in value.items()
    )


def _ignore(text: str, origin: Origin) -> PerFileIgnore:
    pattern, colon, selectors = text.rpartition(":")
    codes = tuple(selectors.replace(",", " ").split())
    if not colon or not pattern or not codes:
        raise ValueError(f"{text!r} is not PATTERN:RULES, as in 'tests/*:CU101'")
    return PerFileIgnore(Glob(origin.base, pattern), codes)


def _output(text: str, origin: Origin) -> tuple[str, Path | None]:
    from perflint.report import formats

    name, equals, file = text.partition("=")
    known = formats()
    if name not in known:
        raise ValueError(f"there is no format {name!r}; choose from {', '.join(known)}")
    if equals and not file:
        raise ValueError(f"{text!r} names no file after '='")
    return name, Path(file) if file else None


def one_of(names: Sequence[str]) -> Kind:
    """One of some words."""

    def read(value: Any, _: Origin) -> str:
        if value not in names:
            raise ValueError(f"expected one of {', '.join(names)}, not {value!r}")
        return str(value)

    return Kind(" or ".join(f'"{name}"' for name in names), read, read)


def number(what: str, of: type[int] | type[float], most: float) -> Kind:
    """A number above 0."""

    def of_toml(value: Any, _: Origin) -> int | float:
        right = isinstance(value, int | of) and not isinstance(value, bool)
        if not right or not 0 < value <= most:
            raise ValueError(f"expected a {what} above 0, not {value!r}")
        return of(value)

    def of_text(text: str, origin: Origin) -> int | float:
        try:
            return of_toml(of(text), origin)
        except ValueError:
            raise ValueError(f"expected a {what} above 0, not {text!r}") from None

    return Kind("number", of_toml, of_text, to_toml=of)


def _size(value: Any, _: Origin) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError('expected a size such as "16K"')
    return read_size(str(value))


def _plain(text: str, _: Origin) -> str:
    return text


CODES = many(_plain, split=True)
LAUNCHES = many(_launch, to_toml=lambda launch: launch.text)
DEFINES = many(_define)
FOLDERS = many(_folder)
GLOBS = many(lambda text, origin: Glob(origin.base, text), to_toml=lambda glob: glob.pattern)
FLAG = Kind("true or false", _bool, flag=True, to_toml=bool)
OWN_FLAG = Kind("true or false, in your own file", _own_bool, flag=True, to_toml=bool)
PATH = Kind("string", lambda value, origin: _path(_string(value), origin), _path)
FILE = Kind("string", lambda value, origin: _path(_string(value), origin), lambda t, _: Path(t))
TEXT = Kind("string", lambda value, _: _string(value))
OPTIONAL_TEXT = Kind("string", lambda value, _: _string(value), optional=True)
SIZE = Kind("size", _size, _size, to_toml=int)
PROGRAM = Kind(
    "true, false or a path",
    _program,
    optional=True,
    to_toml=lambda value: value or True,
)
ADDRESS = Kind("string, in your own file", _address, _address)
OUTPUTS = many(_output, to_toml=lambda out: out[0] if out[1] is None else f"{out[0]}={out[1]}")
IGNORES = Kind(
    "table of lists", _ignores, _ignore, many=True, to_toml=lambda ignore: list(ignore.selectors)
)


def as_toml(kind: Kind, value: Any) -> str:
    """A value as a configuration file would have it."""
    if value is None:
        return '""'
    if kind is IGNORES:
        table: Mapping[str, list[str]] = {i.glob.pattern: list(i.selectors) for i in value}
        inside = ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in table.items())
        return f"{{ {inside} }}" if inside else "{}"
    return _toml([kind.to_toml(item) for item in value] if kind.many else kind.to_toml(value))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    import json

    return json.dumps(str(value), ensure_ascii=False)
