"""Text that host code reads from its start on: a file of settings, or `std::istringstream`."""

from __future__ import annotations

import re

from perflint.base.patterns import pattern

_SPACE, _WORD = pattern(r"\s*"), pattern(r"\S+")
DIGITS = 20  #: of the widest number, and its sign
_WHOLE, _REAL = pattern(r"[-+]?\d+"), pattern(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Stream:
    """Text, and how far it is read; `text` is None where nobody can tell.

    Methods do what those of C++'s input streams do ([istream] of the standard).
    """

    def __init__(self, text: str | None) -> None:
        self.text, self.at = text, 0
        self.failed = self.ended = False

    @property
    def holds(self) -> bool | None:
        """What it is worth as a condition; None where nobody can tell."""
        return None if self.text is None else not self.failed

    def lose(self) -> None:
        """Nothing is known of it any more."""
        self.text = None

    def line(self, end: str = "\n") -> str:
        """What `getline` reads; "" where it fails."""
        assert self.text is not None
        if self.failed or self.at >= len(self.text):
            self.failed = self.ended = True
            return ""
        stop = self.text.find(end, self.at)
        self.ended = stop < 0
        stop = len(self.text) if stop < 0 else stop
        found, self.at = self.text[self.at : stop], stop + 1
        return found

    def letter(self) -> str:
        """What `fgetc` reads; "" at the end."""
        return self.letters(1)

    def letters(self, most: int) -> str:
        """What `fgets` reads: letters up to the end of the line, which is kept; "" at the end."""
        assert self.text is not None
        stop = self.text.find("\n", self.at, self.at + most) + 1
        found = self.text[self.at : stop or self.at + most]
        self.at += len(found)
        self.ended = self.ended or (len(found) < most and not stop)
        return found

    def word(self) -> str:
        """What `>>` reads into a string; "" where it fails."""
        return self._next(_WORD)

    def number(self, *, is_whole: bool) -> float:
        """What `>>` reads into a number; 0 where it fails."""
        found = self._next(_WHOLE if is_whole else _REAL)
        if is_whole and len(found) > DIGITS:
            self.failed, found = True, ""
        return (int(found) if is_whole else float(found)) if found else 0

    def _next(self, wanted: re.Pattern[str]) -> str:
        assert self.text is not None
        space = _SPACE.match(self.text, self.at)
        assert space is not None
        found = None if self.failed else wanted.match(self.text, space.end())
        if found is None:
            self.failed, self.ended = True, self.ended or space.end() >= len(self.text)
            return ""
        self.at = found.end()
        self.ended = self.at >= len(self.text)
        return str(found[0])
