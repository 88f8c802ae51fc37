"""The source lines around a place, with carets under it."""

from __future__ import annotations

from collections.abc import Sequence

from click import style
from rich.cells import cell_len

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.report.context import clean

CONTEXT = 2  #: lines shown before and after
TAB = 4  #: columns a tab advances to a multiple of
WIDTH = 120  #: cells of a source line that are shown
_MARGIN = 20  #: cells kept in front of the carets when a line is cut


@dataclass(frozen=True)
class Paint:
    """Colours, or none."""

    on: bool

    def __call__(self, text: str, color: str | None = None, bold: bool = True) -> str:
        return style(text, fg=color, bold=bold) if self.on and text else text


def draw(lines: Sequence[str], place: Span, label: str, mark: str, paint: Paint) -> list[str]:
    """The lines of a snippet, its gutter included: [] where the file has no such line.

    lines: the file's. mark: the colour of carets and label. Columns count code points; what is
    printed counts terminal cells, so tabs, wide and combining characters keep the carets in place.
    """
    shown = shown_lines(lines, place)
    if not shown:
        return []
    line = lines[place.line - 1]
    begin = _cells(line[: place.column - 1])
    stop = line[: place.end_column - 1] if place.end_line == place.line else line.rstrip()
    width = max(1, _cells(stop) - begin)
    offset = 0
    if _cells(line) > WIDTH and begin + width > WIDTH:
        offset = max(0, begin - _MARGIN)
    digits = len(str(shown[-1]))
    bar = paint("|", "blue")
    out = [f"{' ' * digits} {bar}"]
    for n in shown:
        text = _window(_expand(lines[n - 1]), offset)
        out.append(f"{paint(str(n).rjust(digits), 'blue')} {bar} {text}".rstrip())
        if n == place.line:
            at = min(begin - offset, WIDTH)
            carets = "^" * max(1, min(width, WIDTH - at))
            below = paint(f"{carets} {clean(label)}".rstrip(), mark)
            out.append(f"{' ' * digits} {bar} {' ' * at}{below}")
    out.append(f"{' ' * digits} {bar}")
    return out


def shown_lines(lines: Sequence[str], place: Span) -> range:
    """The numbers of the lines around a place, without empty ones at either end."""
    if not 1 <= place.line <= len(lines):
        return range(0)
    first = max(1, place.line - CONTEXT)
    last = min(len(lines), place.line + CONTEXT)
    while first < place.line and not lines[first - 1].strip():
        first += 1
    while last > place.line and not lines[last - 1].strip():
        last -= 1
    return range(first, last + 1)


def gutter(lines: Sequence[str], place: Span) -> int:
    """The width of the line numbers that `draw` prints."""
    return len(str(min(max(len(lines), place.line), place.line + CONTEXT)))


def _expand(line: str) -> str:
    """The line as it is printed: tabs as blanks, control characters replaced."""
    if "\t" not in line:
        return clean(line)
    out = ""
    for index, piece in enumerate(line.split("\t")):
        if index:
            out += " " * (TAB - cell_len(out) % TAB)
        out += clean(piece)
    return out


def _cells(line: str) -> int:
    return cell_len(_expand(line))


def _window(text: str, offset: int) -> str:
    """The WIDTH cells of a line from `offset` on, with marks where it was cut."""
    if offset == 0 and cell_len(text) <= WIDTH:
        return text
    out, cells, end = "", 0, cell_len(text)
    for character in text:
        width = cell_len(character)
        if cells >= offset + (offset > 0) and cells + width < offset + WIDTH:
            out += character
        cells += width
        if cells >= offset + WIDTH:
            break
    # a wide character at the cut leaves one cell less
    return ("…" if offset else "") + out + ("…" if end > offset + WIDTH else "")
