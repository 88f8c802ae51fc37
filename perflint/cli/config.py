"""Configuration files: `[tool.perflint]` in pyproject.toml, or perflint.toml without a table.

The nearest one of the project serves, and under it the user's own. A project's file may be a
stranger's: it is bounded in size, it names no program, and no directory outside the project.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.cli.option_kinds import Origin
from perflint.cli.settings import Source, options

#: In the order they are looked for in one directory.
FILENAMES = (".perflint.toml", "perflint.toml", "pyproject.toml")
_LARGEST = 1 << 20  #: bytes
#: Of this size TOML is read in no time, however it is written; a key of 100,000 parts is not.
_SMALL = 8 << 10


class ConfigError(Exception):
    """A configuration that cannot be used; the message begins with the file's path."""


def user_folder() -> Path:
    """The user's own configuration folder (XDG Base Directory Specification; %APPDATA%)."""
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "perflint"
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(base if base.startswith("/") else Path("~/.config").expanduser()) / "perflint"


def user_file() -> Path | None:
    """The user's own configuration file, if there is one."""
    path = user_folder() / "perflint.toml"
    return path if path.is_file() else None


def find(start: Path, warn: Callable[[str], None]) -> Path | None:
    """The nearest configuration file at or above a directory, within its project.

    A pyproject.toml without `[tool.perflint]` is passed over. So is, with a warning, one that
    cannot be read and does not seem to have that table. Raises ConfigError.
    """
    for directory in bounds.own_folders(start.resolve()):
        for name in FILENAMES:
            path = directory / name
            if not os.path.lexists(path):
                continue
            _check_link(path)
            if name != "pyproject.toml" or _is_ours(path, warn):
                return path
    return None


def _check_link(path: Path) -> None:
    """Raise ConfigError for a link of a tree to what is none of its files."""
    real = Path(os.path.realpath(path))
    if path.is_symlink() and not real.is_relative_to(bounds.project(path.parent)):
        raise ConfigError(f"{path}: is a link that leads out of the project")


def _is_ours(path: Path, warn: Callable[[str], None]) -> bool:
    try:
        return _table(path) is not None
    except ConfigError as error:
        try:
            if "perflint" in _text(path):
                raise
        except _UnusableError:
            pass
        warn(f"{error}; the file is passed over")
        return False


def load(path: Path) -> Source:
    """Read one configuration file. Raises ConfigError: unreadable, not TOML, a wrong key, value."""
    table = _table(path)
    if table is None:
        raise ConfigError(f"{path}: there is no [tool.perflint] table")
    # the folder that it lies in, not what it links to: paths in it are relative to that folder
    own = Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(user_folder()))
    origin = Origin(str(path), path.absolute().parent, own)
    known = {name: each for name, each in options().items() if each.file}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key.replace("_", "-"), known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise ConfigError(f"{path}: unknown key {key[:100]!r}; {hint}")
        try:
            values[known[key].field] = known[key].kind.of_toml(value, origin)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{path}: {key}: {error}") from None
    return Source(origin, values)


class _UnusableError(Exception):
    """Why a file cannot be read."""


def _table(path: Path) -> Mapping[str, Any] | None:
    """The file's table for perflint. None if it is a pyproject.toml that has none."""
    try:
        data = _parsed(_text(path))
    except _UnusableError as error:
        raise ConfigError(f"{path}: {error}") from None
    if path.name != "pyproject.toml":
        return data
    tool = data.get("tool")
    table = tool.get("perflint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.perflint must be a table")
    return table


def _text(path: Path) -> str:
    from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

    try:
        return read_bytes(path, _LARGEST).decode("utf-8")
    except (UnreadableError, UnicodeDecodeError) as error:
        raise _UnusableError(str(error)) from None


def _parsed(text: str) -> Mapping[str, Any]:
    """The file's data. A large one is read in a process with limits of its own."""
    from perflint.base.limits import Limits
    from perflint.work.parallel import Crash, alone

    if len(text) <= _SMALL:
        found = _toml(text)
    else:
        crash = alone(lambda: _toml(text), Limits(2.0, 60.0, 256 << 20))
        found = crash.reason if isinstance(crash, Crash) else crash
    if isinstance(found, str):
        raise _UnusableError(found)
    return found


def _toml(text: str) -> dict[str, Any] | str:
    """The data, or what is wrong."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        return "it is nested too deeply"
    except MemoryError:
        return "it takes too much memory"
    except ValueError as error:  # TOMLDecodeError, or a number of too many digits
        return " ".join(str(error).split())
