"""What functions of C's library do with text in arrays of characters, and with files that they
read: `strtok`, `sprintf`, `fgets`, `fscanf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import text_functions
from perflint.frontend.source.host.execution.allocations import Allocations
from perflint.frontend.source.host.execution.char_arrays import cells_of, start_of, text_of
from perflint.frontend.source.host.execution.run_state import Frame, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, lose, moved
from perflint.frontend.source.language.streams import Stream

if TYPE_CHECKING:
    from tree_sitter import Node

_EOF = -1
_CONVERSION = pattern(r"%(?:hh?|ll?|z|j)?([diusc%])")


class CText(Allocations):
    """C's text; `Library` has the other functions of the library."""

    _token: Any = UNKNOWN  #: where `strtok` goes on; None at the end

    def _of_c_text(self, name: str, arguments: Sequence[Node], frame: Frame) -> tuple[Any] | None:
        """What a call gives; None for a function that is none of these."""
        does = _FUNCTIONS.get(name)
        values = [self.value(each, frame) for each in arguments] if does is not None else []
        if does is None or not values:
            return None
        on = next((value for value in values if isinstance(value, Stream)), None)
        if on is not None:
            self._in_doubt(on)
        return (does(self, arguments, values, frame),)

    # --- text -------------------------------------------------------------------------------------

    def _write(self, node: Node, value: Any, text: Any, frame: Frame) -> None:
        """Put text, or what is not known, where a pointer to characters leads."""
        at = start_of(value)
        if at is None:
            place = None if isinstance(value, Reference) else self._place(node, frame)
            if place is not None and isinstance(value, str):
                self._set(place, text if isinstance(text, str) else UNKNOWN, frame)
            else:
                lose([value])
            return
        cells = cells_of(text, at) if isinstance(text, str) else None
        if cells is None:
            lose([value])
        for cell, code in cells or ():
            self._set(cell, code, frame)

    def _room(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """How much may be written, by the second of some arguments: `sizeof(line)`."""
        if len(values) < 2 or isinstance(values[1], int):
            return values[1] if len(values) > 1 else UNKNOWN
        to, size = (frame.place.file.source.text_of(each) for each in arguments[:2])
        is_all = "".join(size.split()) in (f"sizeof({to})", f"sizeof{to}")
        return values[0].size if is_all and isinstance(values[0], Array) else UNKNOWN

    def _copied(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strcpy(to, from)`; `strncpy` may leave out the 0 behind the text."""
        text = text_of(values[1]) if len(values) > 1 else UNKNOWN
        if len(values) > 2:
            room = values[2]
            fits = isinstance(text, str) and isinstance(room, int) and len(text) < room
            text = text if fits else UNKNOWN
        self._write(arguments[0], values[0], text, frame)
        return start_of(values[0]) or values[0]

    def _appended(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strcat(to, from)`."""
        parts = [text_of(value) for value in values[:2]]
        known = len(values) == 2 and all(isinstance(part, str) for part in parts)
        self._write(arguments[0], values[0], "".join(parts) if known else UNKNOWN, frame)
        return start_of(values[0]) or values[0]

    def _printed(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`sprintf(to, "%s/%d", …)`."""
        return self._print_to(arguments[0], values[0], values[1:], None, frame)

    def _printed_within(
        self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame
    ) -> Any:
        """`snprintf(to, sizeof(to), "%s/%d", …)`."""
        room = self._room(arguments, values, frame)
        return self._print_to(arguments[0], values[0], values[2:], room, frame)

    def _print_to(self, node: Node, to: Any, values: Sequence[Any], room: Any, frame: Frame) -> Any:
        text = _formatted([text_of(value) for value in values])
        if room is not None and not (isinstance(text, str) and isinstance(room, int)):
            text = UNKNOWN
        kept = text[: max(0, room - 1)] if isinstance(text, str) and room is not None else text
        self._write(node, to, kept, frame)
        return len(text) if isinstance(text, str) else UNKNOWN

    def _first_at(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strchr(text, ':')`, `strstr(text, part)`: a pointer into the array."""
        return _found_at(values, str.find)

    def _last_at(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strrchr(path, '/')`."""
        return _found_at(values, str.rfind)

    def _span(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strcspn(line, "\\n")`: the letters before one of some."""
        text, stops = (text_of(value) for value in (*values, UNKNOWN)[:2])
        if not isinstance(text, str) or not isinstance(stops, str):
            return UNKNOWN
        return next((i for i, letter in enumerate(text) if letter in stops), len(text))

    def _next_token(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`strtok(line, " =")`, `strtok(NULL, " =")`."""
        at = self._token if values[0] is None else start_of(values[0])
        stops = text_of(values[1]) if len(values) > 1 else UNKNOWN
        text = UNKNOWN if at is None or at is UNKNOWN else text_of(at)
        if values[0] is None and at is None:
            return None  # it was at the end
        if not isinstance(text, str) or not isinstance(stops, str):
            lose([values[0]])
            self._token = UNKNOWN
            return UNKNOWN
        begin = len(text) - len(text.lstrip(stops))
        if begin == len(text):
            self._token = None
            return None
        end = next((i for i in range(begin, len(text)) if text[i] in stops), None)
        self._token = None
        if end is not None and at is not None:
            self._set(Reference(at.within, at.key + end), 0, frame)
            self._token = moved(at, end + 1, "+")
        return moved(at, begin, "+")

    def _scanned(self, arguments: Sequence[Node], frame: Frame) -> Any:
        """`sscanf(text, "%dx%d", &width, &height)`."""
        values = [self.value(each, frame) for each in arguments]
        text, written = (text_of(value) for value in values[:2])
        known = isinstance(text, str) and isinstance(written, str)
        found = text_functions.scanned(text, written) if known else None
        return self._scan_to(arguments[2:], values[2:], found, text, frame)

    def _scan_to(
        self,
        arguments: Sequence[Node],
        values: Sequence[Any],
        found: tuple[list[Any], int] | None,
        text: Any,
        frame: Frame,
    ) -> Any:
        """Give the targets of a scan what it read; those behind it stay as they are."""
        if found is None:
            lose(value for value in values if not isinstance(value, Stream))
            return UNKNOWN
        for node, target, value in zip(arguments, values, found[0], strict=False):
            if isinstance(value, str):
                self._write(node, target, value, frame)
            elif isinstance(target, Reference):
                self._set(target, value, frame)
        return len(found[0]) if found[0] or text[found[1] :].strip() else _EOF

    # --- files ------------------------------------------------------------------------------------

    def _opened(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`fopen(name, "r")`."""
        name, mode = (text_of(value) for value in (*values, UNKNOWN)[:2])
        if not isinstance(name, str) or not isinstance(mode, str) or mode not in ("r", "rt", "rb"):
            return UNKNOWN
        made = self.stream("ifstream", [name])
        return UNKNOWN if made.text is None else made

    def _is_at_end(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        on = values[0]
        return int(on.ended) if isinstance(on, Stream) and on.text is not None else UNKNOWN

    def _got_letter(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        on = values[0]
        if not isinstance(on, Stream) or on.text is None:
            return UNKNOWN
        found = on.letter()
        return ord(found) if found else _EOF

    def _got_line(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`fgets(line, sizeof(line), file)`: with the end of the line, if there is room."""
        on, room = values[-1], self._room(arguments, values, frame)
        if not isinstance(on, Stream) or on.text is None or not isinstance(room, int) or room < 2:
            lose(values)
            return UNKNOWN
        found = on.letters(room - 1)
        if not found:
            return None
        self._write(arguments[0], values[0], found, frame)
        return start_of(values[0]) or values[0]

    def _scanned_file(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`fscanf(file, "%d %d", &rows, &columns)`."""
        on, written = values[0], text_of(values[1]) if len(values) > 1 else UNKNOWN
        found = None
        if isinstance(on, Stream) and on.text is not None and isinstance(written, str):
            found = text_functions.scanned(on.text, written, on.at)
        if found is None:
            lose([on])
            return self._scan_to(arguments[2:], values[2:], None, "", frame)
        text, on.at = on.text, found[1]
        on.ended = on.at >= len(text)
        return self._scan_to(arguments[2:], values[2:], found, text, frame)

    def _rewound(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        if isinstance(values[0], Stream):
            values[0].at, values[0].ended = 0, False
        return UNKNOWN

    def _where(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        on = values[0]
        return on.at if isinstance(on, Stream) and on.text is not None else UNKNOWN

    def _sought(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """`fseek(file, at, SEEK_SET)`, where `ftell` has been asked before."""
        on, at = (*values, UNKNOWN)[:2]
        from_start = frame.place.file.source.text_of(arguments[-1]) == "SEEK_SET"
        known = isinstance(on, Stream) and on.text is not None and isinstance(at, int)
        if known and from_start and 0 <= at <= len(on.text):
            on.at, on.ended = at, False
            return 0
        lose([on])
        return UNKNOWN

    def _closed(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        return 0

    def _lost(self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame) -> Any:
        """What reads a file in other ways: neither what it read nor where it is is known."""
        lose(values)
        return UNKNOWN


def _found_at(values: Sequence[Any], find: Callable[[str, str], int]) -> Any:
    """Where a letter or a part is found in text: a pointer into its array; None: nowhere."""
    at, text = start_of(values[0]), text_of(values[0])
    part = text_of(values[1]) if len(values) > 1 else UNKNOWN
    part = chr(part) if isinstance(part, int) and 0 < part < 256 else part
    if not isinstance(text, str) or not isinstance(part, str):
        return UNKNOWN
    index = find(text, part)
    if index < 0:
        return None
    return text[index:] if at is None else moved(at, index, "+")


def _formatted(values: Sequence[Any]) -> Any:
    """The text that a format gives; UNKNOWN for one with more than plain text and numbers."""
    form, given = (values[0], list(values[1:])) if values else (UNKNOWN, [])
    if not isinstance(form, str) or form.count("%") != len(_CONVERSION.findall(form)) + form.count(
        "%%"
    ):
        return UNKNOWN
    parts, done = [], 0
    for match in _CONVERSION.finditer(form):
        parts.append(form[done : match.start()])
        done = match.end()
        if match[1] == "%":
            parts.append("%")
            continue
        value = given.pop(0) if given else UNKNOWN
        if isinstance(value, int) and match[1] == "c" and 0 < value < 256:
            parts.append(chr(value))
        elif isinstance(value, str if match[1] == "s" else int) and match[1] != "c":
            parts.append(str(value))
        else:
            return UNKNOWN
    return "".join((*parts, form[done:]))


_FUNCTIONS: dict[str, Callable[[CText, Sequence[Node], Sequence[Any], Frame], Any]] = {
    **dict.fromkeys(("strcpy", "strncpy"), CText._copied),
    "strcat": CText._appended,
    "sprintf": CText._printed,
    "snprintf": CText._printed_within,
    **dict.fromkeys(("strchr", "strstr"), CText._first_at),
    "strrchr": CText._last_at,
    "strcspn": CText._span,
    "strtok": CText._next_token,
    "fopen": CText._opened,
    "feof": CText._is_at_end,
    **dict.fromkeys(("fgetc", "getc"), CText._got_letter),
    "fgets": CText._got_line,
    "fscanf": CText._scanned_file,
    "rewind": CText._rewound,
    "ftell": CText._where,
    "fseek": CText._sought,
    "fclose": CText._closed,
    **dict.fromkeys(("fread", "ungetc", "fsetpos", "vfscanf"), CText._lost),
}
