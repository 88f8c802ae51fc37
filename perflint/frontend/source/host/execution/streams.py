"""Streams of a run: files of settings that it opens, and strings; `getline`, `>>`, `eof`."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perflint.base import bounds
from perflint.frontend.source.host.execution.char_arrays import text_of
from perflint.frontend.source.host.execution.interpreter import Interpreter
from perflint.frontend.source.host.execution.run_state import Alias, Frame, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Cells, Record
from perflint.frontend.source.language.streams import Stream
from perflint.frontend.source.project.option_files import is_option_file
from perflint.frontend.source.project.user_files import UnreadableError, read_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.language.c_types import CType

STREAMS = ("ifstream", "istringstream", "stringstream", "fstream")
_OF_FILES = ("ifstream", "fstream")
_LARGEST = 64 << 10  #: bytes of a file of settings
_LEVELS = 4  #: folders upwards


def working_folders(file: Path, lines: Sequence[Path]) -> tuple[Path, ...]:
    """Where a program whose `main` is in a file may be run: where a line of one of `lines` says so,
    else beside the file or above it, within its project."""
    top = bounds.project(Path(os.path.realpath(file.parent)))
    above = (file.parent, *file.parent.parents)[:_LEVELS]
    inside = [f for f in above if Path(os.path.realpath(f)).is_relative_to(top)]
    return (*(line.parent for line in lines), *inside)


class Streams(Interpreter):
    """What reads text."""

    folders: tuple[Path, ...] = ()  #: where the program may be run, and its files lie
    unsure = False  #: whether a branch may have left the function that runs
    loose = False  #: whether one may have left the loop that runs
    fed = 0  #: how often something was read of a stream
    perhaps = 0  #: branches around what runs of which nobody can tell whether they are taken

    @abstractmethod
    def _set(self, place: Reference, value: Any, frame: Frame) -> None:
        """Write to a variable, and note what was there if that may not happen."""

    def stream(self, type_: str, values: Sequence[Any]) -> Stream:
        """A stream that is made with some values."""
        given = text_of(values[0]) if values else UNKNOWN
        if not isinstance(given, str):
            return Stream(None)
        return Stream(self._content(given) if type_ in _OF_FILES else given)

    def _content(self, named: str) -> str | None:
        for folder in self.folders:
            path = Path(os.path.normpath(folder / named))
            if is_option_file(path.name) and path.is_relative_to(folder):
                try:
                    return read_text(path, _LARGEST).replace("\r\n", "\n")
                except UnreadableError:
                    continue
        return None

    def of_stream(self, on: Stream, name: str, values: Sequence[Any]) -> Any:
        """A method of a stream."""
        if name == "open":
            made = self.stream("ifstream", values)
            on.text, on.at, on.failed, on.ended = made.text, 0, False, False
            return None
        if name == "close":
            return None
        if on.text is None:
            return UNKNOWN
        asked = {"is_open": not on.failed, "good": not (on.failed or on.ended),
                 "fail": on.failed, "eof": on.ended, "bad": False}  # fmt: skip
        if name in asked:
            return int(asked[name])
        on.lose()
        return UNKNOWN

    def get_line(self, on: Stream, arguments: Sequence[Node], frame: Frame) -> Stream:
        """`std::getline(in, line)`, perhaps with what ends a line."""
        end = self.value(arguments[2], frame) if len(arguments) > 2 else 10
        place = self._place(arguments[1], frame)
        self._in_doubt(on)
        known = on.text is not None and isinstance(end, int)
        if not known:
            on.lose()
        if place is not None:
            self._set(place, on.line(chr(end & 0x7F)) if known else UNKNOWN, frame)
        return on

    def shifted(self, on: Stream, sign: str, right: Node | None, frame: Frame) -> Stream:
        """`in >> n` and `out << n`."""
        self._in_doubt(on)
        place = self._place(right, frame) if sign == ">>" else None
        if place is None:
            self.value(right, frame)
            on.lose()
        else:
            self._set(place, self._read(on, place), frame)
        return on

    def _read(self, on: Stream, place: Reference) -> Any:
        """What `>>` gives a variable of what is behind it in a stream."""
        held = place.get()
        if isinstance(held, Alias):
            place, held = held, held.get()
        kind = kind_at(place)
        if on.text is None or (kind is None and not isinstance(held, str)):
            on.lose()
            return UNKNOWN
        if kind is None:
            return on.word() or (held if on.failed else "")
        if kind.name == "bool":
            found = on.number(is_whole=True)
            on.failed = on.failed or found not in (0, 1)
            return int(found != 0)
        if kind.size == 1 or kind.kind not in ("int", "float"):
            on.lose()
            return UNKNOWN
        return on.number(is_whole=kind.kind == "int")

    def _in_doubt(self, on: Stream) -> None:
        self.fed += 1
        if self.perhaps or self.unsure or self.loose:
            on.lose()


def kind_at(place: Reference) -> CType | None:
    """The type of the number that is kept at a place; None where it keeps none."""
    within = place.within
    return within.kinds.get(place.key) if isinstance(within, (Cells, Record)) else None
