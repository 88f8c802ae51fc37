"""What a report format may know besides the result: where it runs, the rules, the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from perflint import bounds
from perflint.plain_text import clean, one_line
from perflint.rulebook import RuleInfo

__all__ = ["Context", "clean", "line_start", "number", "one_line", "plural", "read_source"]


def read_source(path: Path) -> str | None:
    """A source file's text as UTF-8, wrong bytes replaced.

    None if it cannot be read or is none of the project's sources, whatever a PTX file calls its
    source: then nothing of it is shown.
    """
    from perflint.frontend.finder import SUFFIXES
    from perflint.frontend.source.reading import standing_in

    if path.suffix.lower() not in SUFFIXES | {".ptx", ".py"} or not bounds.allowed(path):
        return None
    if (data := standing_in(path)) is not None:
        return data.decode("utf-8", errors="replace")
    try:
        status = path.stat()
        return _remembered(path.absolute(), status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):  # UnreadableError is one
        return None


@lru_cache(maxsize=64)
def _remembered(path: Path, _changed: int, _size: int) -> str:
    from perflint.frontend.source.reading import LARGEST_FILE, LARGEST_PTX, read_bytes

    largest = LARGEST_PTX if path.suffix.lower() == ".ptx" else LARGEST_FILE
    return read_bytes(path, largest).decode("utf-8", errors="replace")


@dataclass(frozen=True)
class Context:
    """The surroundings of a report."""

    root: Path  #: absolute; paths below it are shown relative to it
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)  #: those that ran, by code
    hidden: int = 0  #: notes left out
    without_compiler: str = ""  #: why no compiler was used
    color: bool = False
    summary: bool = True
    suppressed: bool = False  #: SARIF holds what is silenced too
    silence: bool = False  #: JSON tells of what was suspected and led to no finding
    unconfirmed: bool = False  #: notes on what could not be decided are among the findings
    read: Callable[[Path], str | None] = read_source

    def shown(self, path: Path) -> str:
        """A path as reports print it: below `root` relative to it, with forward slashes."""
        absolute = path if path.is_absolute() else self.root / path
        if absolute.is_relative_to(self.root):
            return absolute.relative_to(self.root).as_posix()
        return path.as_posix()

    @property
    def repository(self) -> Path:
        """The repository's root, which hosts want paths relative to; else `root`."""
        return bounds.repository(self.root) or self.root

    def shown_in_repository(self, path: Path) -> str:
        """A path relative to the repository's root, where it lies below it."""
        absolute = path if path.is_absolute() else self.root / path
        if absolute.is_relative_to(self.repository):
            return absolute.relative_to(self.repository).as_posix()
        return self.shown(path)

    def lines(self, path: Path) -> list[str]:
        """A file's lines without their ends; [] if it cannot be read."""
        text = self.read(path)
        return [] if text is None else [line.removesuffix("\r") for line in text.split("\n")]


def line_start(path: str) -> str:
    """A path as a line may begin with it: `::` at its start would command GitHub's runner."""
    return f"./{path}" if path.lstrip().startswith(("::", "##[")) else path


def number(value: float) -> str:
    """A figure as people write it: `32`, `4.5`, `12.25`, `1234567`."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def plural(count: int, noun: str) -> str:
    """`1 kernel`, `2 kernels`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
