"""The configuration file: `[tool.perflint]` in pyproject.toml, or perflint.toml without a table."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from perflint.findings import Level
from perflint.launch_option import LaunchSpec, LaunchSpecError
from perflint.launch_option import parse as parse_launch
from perflint.options import Frontend, read_size

#: In the order they are looked for in one directory.
FILENAMES = (".perflint.toml", "perflint.toml", "pyproject.toml")


class ConfigError(Exception):
    """A configuration file that cannot be used; the message begins with its path."""


@dataclass(frozen=True)
class Config:
    """What a configuration file sets; the defaults stand for "not set"."""

    path: Path | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    launch: tuple[LaunchSpec, ...] = ()
    define: tuple[str, ...] = ()
    include: tuple[Path, ...] = ()
    compile_commands: Path | None = None
    frontend: Frontend | None = None
    nvcc: str | None = None  #: the program; "" is the one on the PATH
    jobs: int | None = None
    budget: float | None = None
    cache_size: int | None = None  #: bytes
    show_unconfirmed: bool | None = None
    fail_on: Level | None = None

    @property
    def base(self) -> Path:
        """The directory that patterns and paths in the file are relative to."""
        return self.path.parent if self.path else Path()


def find(start: Path) -> Path | None:
    """The nearest configuration file at or above a directory.

    A pyproject.toml without `[tool.perflint]` is passed over. Raises ConfigError for one that is
    not TOML.
    """
    start = start.resolve()
    for directory in (start, *start.parents):
        for name in FILENAMES:
            path = directory / name
            if path.is_file() and (name != "pyproject.toml" or _table(path) is not None):
                return path
    return None


def load(path: Path) -> Config:
    """Read one configuration file. Raises ConfigError: unreadable, not TOML, a wrong key, value."""
    table = _table(path)
    if table is None:
        raise ConfigError(f"{path}: there is no [tool.perflint] table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            near = difflib.get_close_matches(key.replace("_", "-"), _READERS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_READERS)}"
            raise ConfigError(f"{path}: unknown key {key!r}; {hint}")
        try:
            values[key.replace("-", "_")] = _READERS[key](value)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{path}: {key}: {error}") from None
    base = path.parent
    values["include"] = tuple(base / folder for folder in values.get("include", ()))
    for folder in values["include"]:
        if not folder.is_dir():
            raise ConfigError(f"{path}: include: there is no directory {folder}")
    if "/" in (values.get("nvcc") or ""):
        values["nvcc"] = str(base / values["nvcc"])
    if "compile_commands" in values:
        values["compile_commands"] = base / values["compile_commands"]
    return Config(path=path, **values)


def _table(path: Path) -> Mapping[str, Any] | None:
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if path.name != "pyproject.toml":
        return data
    table = data.get("tool", {}).get("perflint")
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.perflint must be a table")
    return table


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("expected a list of strings")
    return tuple(value)


_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?(?:=[^\n\r\0]*)?", re.ASCII)


def check_define(text: str) -> str:
    """A macro as behind -D. Raises ValueError for what names none."""
    if not _DEFINE.fullmatch(text):
        raise ValueError(f"{text!r} is no macro; write NAME or NAME=VALUE")
    return text


def _defines(value: object) -> tuple[str, ...]:
    return tuple(map(check_define, _strings(value)))


def _launches(value: object) -> tuple[LaunchSpec, ...]:
    try:
        return tuple(parse_launch(text) for text in _strings(value))
    except LaunchSpecError as error:
        raise ValueError(str(error)) from None


def _paths(value: object) -> tuple[Path, ...]:
    return tuple(Path(text) for text in _strings(value))


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value:
        raise TypeError("expected the path of a file or folder")
    return Path(value)


def _nvcc(value: object) -> str | None:
    if isinstance(value, bool):
        return "" if value else None
    if not isinstance(value, str) or not value:
        raise TypeError("expected true, false or the path of nvcc")
    return value


def _jobs(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"expected a number of processes above 0, not {value!r}")
    return value


def _ignores(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise TypeError('expected a table: { "tests/*" = ["CU101"] }')
    return tuple((pattern, _strings(selectors)) for pattern, selectors in value.items())


def _budget(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise ValueError(f"expected a number of seconds above 0, not {value!r}")
    return float(value)


def _size(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError('expected a size such as "16K"')
    return read_size(str(value))


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return value


def _one_of(names: tuple[str, ...]) -> Callable[[object], object]:
    def read(value: object) -> str:
        if value not in names:
            raise ValueError(f"expected one of {', '.join(names)}, not {value!r}")
        return str(value)

    return read


_READERS: dict[str, Callable[[object], object]] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "per-file-ignores": _ignores,
    "exclude": _strings,
    "arch": _strings,
    "launch": _launches,
    "define": _defines,
    "include": _paths,
    "compile-commands": _path,
    "frontend": _one_of(get_args(Frontend)),
    "nvcc": _nvcc,
    "jobs": _jobs,
    "budget": _budget,
    "cache-size": _size,
    "show-unconfirmed": _boolean,
    "fail-on": _one_of(get_args(Level)),
}
