"""Where rules lie: our own package, and those that other distributions add. Nothing is imported.

A distribution adds rules by an entry point of the group `perflint.rules` that names a package; it
is walked as ours is. Metadata folders are read as they are: `importlib.metadata` takes longer to
import than all of our own rules to read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.user_error import UserError

GROUP = "perflint.rules"
OWN = "perflint.rules"
_METADATA = (".dist-info", ".egg-info")
_SECTION = pattern(rf"^\[{re.escape(GROUP)}\][ \t]*\n((?:(?!\[).*\n?)*)", re.MULTILINE)
_ENTRY = pattern(r"^\s*([^=#;\s][^=\n]*?)\s*=\s*([\w.]+)", re.MULTILINE)


class RulebookError(UserError):
    """A rule file that cannot be found, read or imported; says whose it is."""


@dataclass(frozen=True)
class RulePackage:
    """A package that holds rules."""

    module: str  #: as it is imported
    path: Path  #: its folder, or its file if it is a single module
    added_by: str = ""  #: the entry point, where it is another distribution's

    @property
    def whose(self) -> str:
        """How messages name it; "" for our own."""
        return f"the rules that {self.added_by} adds: " if self.added_by else ""

    def files(self) -> Iterator[tuple[str, Path]]:
        """Its files, by the modules they are."""
        if self.path.is_file():
            yield self.module, self.path
            return
        for path in sorted(self.path.rglob("*.py")):
            parts = path.relative_to(self.path).with_suffix("").parts
            yield ".".join((self.module, *parts)).removesuffix(".__init__"), path


@cache
def packages() -> tuple[RulePackage, ...]:
    """Our own package first, then the others by name. Raises RulebookError for one not there."""
    added = sorted({(module, name) for name, module in _entry_points()})
    return (_package(OWN), *(_package(module, name) for module, name in added))


def _package(module: str, name: str = "") -> RulePackage:
    added_by = f"the entry point {name!r} ({GROUP})" if name else ""
    top, *below = module.split(".")
    if not name:  # the parent is imported already
        top, below = module, []
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        spec = None
    for place in _places(top, spec):
        path = place.joinpath(*below)
        for found in (path, path.with_suffix(".py")):
            if found.is_dir() or found.is_file():
                return RulePackage(module, found, added_by)
    what = f"{added_by} names" if name else "perflint needs"
    raise RulebookError(f"{what} the module {module}, which is not installed")


def _places(top: str, spec: object) -> Iterator[Path]:
    """The folders of a package, or the file of a module."""
    folders = getattr(spec, "submodule_search_locations", None)
    if folders:
        yield from map(Path, folders)
    elif origin := getattr(spec, "origin", None):
        yield Path(origin)


def _entry_points() -> Iterator[tuple[str, str]]:
    """Name and module of each entry point of the group in what is installed."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = sorted(os.listdir(folder or "."))  # noqa: PTH208 - names are enough
        except OSError:
            continue
        for name in names:
            if name.endswith(_METADATA):
                yield from _entries(Path(folder, name, "entry_points.txt"))


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    for section in _SECTION.findall(text):
        yield from _ENTRY.findall(section)
