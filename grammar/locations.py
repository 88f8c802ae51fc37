"""`.loc` directives: source positions, and the calls that they were inlined at (PTX ISA 11.5.2)."""

from __future__ import annotations

from collections.abc import Mapping

from perflint.grammar.model import Location
from perflint.grammar.syntax import Text

_Key = tuple[str, str, str]


class Locations:
    """The positions of one function, chained as they come."""

    def __init__(self, files: Mapping[int, str], strings: Mapping[str, str]) -> None:
        self._files, self._strings = files, strings
        self._made: dict[tuple[str, ...], Location] = {}
        self._inlined: dict[_Key, Location] = {}

    def read(self, text: Text, first: int, end: int) -> Location:
        """The location of the `.loc` at tokens [first, end).

        `inlined_at` names a position; where that was itself inlined before, the chain goes on.
        """
        values = tuple(text.values[first:end])
        made = self._made.get(values)
        if made is not None and len(values) == 4:
            return made
        key: _Key = (values[1], values[2], values[3])
        function = at = None
        i = 4
        while i < len(values):
            if values[i] == "function_name":
                function = values[i + 1]
                if values[i + 2 : i + 3] in (("+",), ("-",)):
                    function += values[i + 2] + values[i + 3]
                    i += 2
                i += 2
            elif values[i] == "inlined_at":
                at = self._at((values[i + 1], values[i + 2], values[i + 3]))
                i += 4
            else:
                i += 1
        name = self._strings.get(function, function) if function else None
        made = self._location(key, name, at)
        self._made[values] = made
        if at is not None:
            self._inlined[key] = made
        return made

    def _at(self, key: _Key) -> Location:
        return self._inlined.get(key) or self._location(key, None, None)

    def _location(self, key: _Key, function: str | None, at: Location | None) -> Location:
        number, line, column = (int(n, 0) for n in key)
        file = self._files.get(number, f"file {number}")
        if at is not None and len(at.chain()) > 60:
            at = None  # no compiler nests calls so deeply: a position that leads back to itself
        return Location(file, line, column, function, at)


def debug_strings(text: Text, sections: list[tuple[int, int]]) -> dict[str, str]:
    """Strings of `.debug_str` by the name that `function_name` gives: a label, or `label+8`.

    `sections` are the token ranges of `.section` pieces.
    """
    out: dict[str, str] = {}
    for first, end in sections:
        if text.values[first + 1] != ".debug_str":
            continue
        label, data = "", bytearray()
        strings: list[tuple[str, bytes]] = []
        for i in range(first + 3, end - 1):
            kind, value = text.kinds[i], text.values[i]
            if kind == "NAME" and text.kinds[i + 1] == "COLON":
                strings.append((label, bytes(data)))
                label, data = value, bytearray()
            elif kind == "INTEGER":
                data.append(int(value.rstrip("uU"), 0) & 0xFF)
        strings.append((label, bytes(data)))
        for name, content in strings:
            at = 0
            for piece in content.split(b"\0"):
                if piece and name:
                    key = f"{name}+{at}" if at else name
                    out[key] = piece.decode("utf-8", "replace")
                at += len(piece) + 1
    return out
