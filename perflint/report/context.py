"""What a report format may know besides the result: where it runs, the rules, the sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from perflint.rulebook import RuleInfo

#: Control characters, and those that reorder text on a terminal (Unicode TR 36, bidi overrides).
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


@cache
def read_source(path: Path) -> str | None:
    """A source file's text as UTF-8, wrong bytes replaced; None if it cannot be read."""
    from perflint.frontend.source.reading import standing_in

    if (data := standing_in(path)) is not None:
        return data.decode("utf-8", errors="replace")
    try:
        if not path.is_file():
            return None
        return path.read_bytes().decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return None


@dataclass(frozen=True)
class Context:
    """The surroundings of a report."""

    root: Path  #: absolute; paths below it are shown relative to it
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)  #: those that ran, by code
    hidden: int = 0  #: notes left out
    without_compiler: str = ""  #: why no compiler was used
    color: bool = False
    summary: bool = True
    read: Callable[[Path], str | None] = read_source

    def shown(self, path: Path) -> str:
        """A path as reports print it: below `root` relative to it, with forward slashes."""
        absolute = path if path.is_absolute() else self.root / path
        if absolute.is_relative_to(self.root):
            return absolute.relative_to(self.root).as_posix()
        return path.as_posix()

    def lines(self, path: Path) -> list[str]:
        """A file's lines without their ends; [] if it cannot be read."""
        text = self.read(path)
        return [] if text is None else [line.removesuffix("\r") for line in text.split("\n")]


def clean(text: str) -> str:
    """Text without what could steer a terminal: such characters become U+FFFD."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """`clean` text with every run of white space a single blank."""
    return clean(" ".join(text.split()))


def number(value: float) -> str:
    """A figure as people write it: `32`, `4.5`, `12.25`, `1234567`."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def plural(count: int, noun: str) -> str:
    """`1 kernel`, `2 kernels`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
