"""`.loc` directives: source positions, and the calls they were inlined at (PTX ISA 11.5.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from perflint.grammar.constants import Integers
from perflint.grammar.model import Location

#: File, line and column, as written.
Place = tuple[str, str, str]

#: No compiler nests inlined calls so deeply: such a chain leads back to itself.
_DEEPEST = 64

_ASSEMBLY = re.compile(r"// begin inline asm$.*?// end inline asm$", re.MULTILINE | re.DOTALL)
_LOC = re.compile(r"^\s*\.loc\b.*", re.MULTILINE)


def of_statements(text: str) -> str:
    """PTX text without the `.loc` directives inside of inline assembly, line by line.

    LLVM (and so Triton) writes one before each line of an `asm` statement, and counts the source's
    line on with each: of a load that has four lines before it, the fourth line behind the load.
    """
    if "// begin inline asm" not in text or ".loc" not in text:
        return text
    return _ASSEMBLY.sub(lambda found: _LOC.sub("", found[0]), text)


class Strings(dict[str, str | None]):
    """What `function_name` gives → the string: a label of `.debug_str`, or `label+8`."""

    def __init__(self, data: Mapping[str, tuple[bytes, int]], integers: Integers) -> None:
        super().__init__()
        self._data = data
        self._integers = integers

    def __missing__(self, written: str) -> str | None:
        label, _, offset = written.partition("+")
        name: str | None = written or None
        if label in self._data:
            data, start = self._data[label]
            start += self._integers[offset or "0"]
            found = data[start : data.find(b"\0", start)]
            name = found.decode("utf-8", "replace") or None
        self[written] = name
        return name


class Locations:
    """A module's positions, chained as they come.

    `inlined_at` names a position. Where that position was itself inlined before in the function,
    the chain goes on there: the compiler writes the outer call first.
    """

    def __init__(self, files: Mapping[int, str], strings: Mapping[str, tuple[bytes, int]]) -> None:
        self._files = files
        self._integers = Integers()
        self._strings = Strings(strings, self._integers)
        self._plain: dict[Place, Location] = {}
        self._inlined: dict[Place, tuple[Location, int]] = {}
        self._written: dict[str, tuple[Place, str, Place | None]] = {}
        self._made: dict[tuple[Place, str, Place], tuple[Location, Location]] = {}

    def begin(self) -> None:
        """A function begins: nothing is inlined in it yet."""
        self._inlined.clear()

    def written(self, text: str) -> Location:
        """`.loc 1 30 5`, with or without `, function_name f, inlined_at 1 20 3`, as one token."""
        known = self._written.get(text)
        if known is None:
            words = text.replace(",", " ").split()
            place = words[1], words[2], words[3]
            call = (words[7], words[8], words[9]) if len(words) > 4 else None
            known = self._written[text] = place, words[5] if call else "", call
        place, function, at = known
        return self.plain(place) if at is None else self.inlined(place, function, at)

    def plain(self, place: Place) -> Location:
        """`.loc 1 30 5`."""
        found = self._plain.get(place)
        if found is None:
            found = self._plain[place] = self._location(place, None, None)
        return found

    def inlined(self, place: Place, function: str, at: Place) -> Location:
        """`.loc 2 10 3, function_name function, inlined_at 1 30 5`."""
        outer, depth = self._inlined.get(at) or (self.plain(at), 1)
        if depth >= _DEEPEST:
            outer, depth = self.plain(at), 1
        known = self._made.get((place, function, at))
        if known is not None and known[0] is outer:
            made = known[1]
        else:
            made = self._location(place, self._strings[function], outer)
            self._made[place, function, at] = outer, made
        self._inlined[place] = made, depth + 1
        return made

    def _location(self, place: Place, function: str | None, at: Location | None) -> Location:
        file, line, column = map(self._integers.__getitem__, place)
        return Location(self._files.get(file, f"file {file}"), line, column, function, at)
