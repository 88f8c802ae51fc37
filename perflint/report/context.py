"""What a report format may know besides the result: where it runs, the rules, the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from perflint.base import bounds
from perflint.base.plain_text import clean, one_line
from perflint.base.records import dataclass
from perflint.lint.rulebook import RuleInfo
from perflint.lint.source_text import read_source

__all__ = ["Context", "clean", "line_start", "number", "one_line", "plural", "read_source"]


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
    """`1 kernel`, `2 kernels`, `2 launches`."""
    ending = "es" if noun.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{count} {noun}" + ("" if count == 1 else ending)


def plain(value: float) -> int | float:
    """32 for 32.0, so that the same figure has the same text whatever computed it."""
    return int(value) if value == int(value) else round(float(value), 6)
