"""What PTX text itself says of its entries and of where they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

_FILE = pattern(r'^[^\S\n]*\.file\s+([0-9]{1,9})\s+"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)
_ENTRY = pattern(r"^[^/\n]*?\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?", re.MULTILINE)
_PARAMETER = pattern(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)(\s+\.ptr\b)?[^,]*?([\w$]+)(?:\[\d*\])?\s*(?:,|$)"
)
_LOCATION = pattern(r"^[^\S\n]*\.loc\s+([0-9]{1,9})\s+([0-9]{1,9})", re.MULTILINE)


@dataclass(frozen=True)
class EntryParameter:
    """A parameter of an entry."""

    type: str  #: `u64`
    pointer: bool  #: the compiler says that it is one
    read: bool  #: the body loads it


@dataclass(frozen=True)
class Entry:
    """An entry and the line that its function begins at."""

    name: str
    parameters: tuple[EntryParameter, ...]
    file: str  #: as `.file` names it; "" if the entry names no line
    line: int


def files(ptx: str) -> dict[int, str]:
    """The file table, names unescaped."""
    return {int(n): unescape(name) for n, name in _FILE.findall(ptx)}


def unescape(name: str) -> str:
    """A name as a `.file` directive writes it."""
    return name.replace('\\"', '"').replace("\\\\", "\\")


def entries(ptx: str) -> Iterator[Entry]:
    """The module's entries, in order."""
    table = files(ptx)
    found = list(_ENTRY.finditer(ptx))
    for match, following in zip_longest(found, found[1:]):
        body = ptx[match.end() : following.start() if following else len(ptx)]
        parameters = tuple(
            EntryParameter(type_, bool(pointer), f"[{name}]" in body or f"[{name}+" in body)
            for type_, pointer, name in _PARAMETER.findall((match[2] or "").strip())
        )
        at = _LOCATION.search(body)
        file = table.get(int(at[1]), "") if at else ""
        yield Entry(match[1], parameters, file, int(at[2]) if at else 0)
