"""Standard output and error as a CI's log reads them: what is printed gives its runner no orders.

GitHub's runner acts on `##[…]` anywhere in a line and on `::name …::` at its start, Azure's on
`##vso[…]` anywhere. Names, snippets and messages of a stranger's tree are printed in many places,
so that all text goes through here, whatever printed it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from perflint.base.patterns import pattern

_ANYWHERE = pattern(r"##(?=\[|vso\[)", re.IGNORECASE)
#: The runner's own commands (actions/runner, `ActionCommandManager.cs` and its extensions).
_AT_START = pattern(
    r"^(\s*)::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice"
    r"|internal-set-repo-path|remove-matcher|save-state|set-env|set-output|stop-commands"
    r"|warning)\b[^\n]*?::)",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = "\N{REPLACEMENT CHARACTER}"


def without_brackets(text: str) -> str:
    """Text without `##[` and `##vso[`; no character more or less, so that columns stay."""
    return _ANYWHERE.sub(f"#{_MARK}", text) if "##" in text else text


def defused(text: str) -> str:
    """Text, of whole lines, that commands no runner."""
    text = without_brackets(text)
    return _AT_START.sub(rf"\1:{_MARK}", text) if "::" in text else text


class Guarded:
    """A text stream whose text is `defused`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tail = ""  #: what was printed last, where it could be the beginning of a command

    def write(self, text: str) -> int:
        """Write text. What was begun before is seen together with it."""
        whole = defused(self._tail + text)
        # what is printed cannot be taken back: a mark goes between the two halves of a command
        broken = not whole.startswith(self._tail)
        shown = f"{_MARK}{defused(text)}" if broken else whole[len(self._tail) :]
        self._stream.write(shown)
        line = (self._tail + shown).rpartition("\n")[2]
        self._tail = line if len(line) < 200 else line[-10:].rjust(11, "x")
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def commands(self, text: str) -> None:
        """Write what is meant for GitHub's runner, and was made for it."""
        self._stream.write(without_brackets(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Let standard output and error be `Guarded` meanwhile."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(out), Guarded(err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
