"""Source lines as rows of a table: those around a place, and those that a fix changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from perflint.base.edits import apply_edits, by_file
from perflint.base.evidence import Edit, Fix
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.report.snippet import shown_lines

_WIDTH = 240  #: characters of a line that are shown
_MARGIN = 40  #: … of them before what is marked, where the line is cut


@dataclass(frozen=True)
class Row:
    """One line, in up to three parts; nothing in it is escaped."""

    number: int | None  #: in the file; None stands for lines left out
    before: str
    marked: str = ""
    after: str = ""
    kind: Literal["", "gone", "new"] = ""


def place_rows(lines: Sequence[str], place: Span) -> list[Row]:
    """The lines around a place, its own marked on its first line: [] where the file has none."""
    return [_row(lines[n - 1], n, place) for n in shown_lines(lines, place)]


def _row(line: str, number: int, place: Span) -> Row:
    if number != place.line:
        return Row(number, _cut(line))
    begin = min(place.column - 1, len(line))
    stop = place.end_column - 1 if place.end_line == place.line else len(line.rstrip())
    stop = max(begin + 1, stop)
    first = max(0, begin - _MARGIN) if stop > _WIDTH else 0
    last = first + _WIDTH
    marked = line[begin : min(stop, last)] or " "
    after = line[stop:last] + ("…" if len(line) > last else "")
    return Row(number, ("…" if first else "") + line[first:begin], marked, after)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def fix_rows(
    fix: Fix, lines_of: Callable[[Path], Sequence[str]]
) -> Iterator[tuple[Path, list[Row]]]:
    """Each file that a fix changes, with the lines before and after and one around them.

    Nothing for a file that is not there any more, or another one now.
    """
    for path, edits in sorted(by_file(fix.edits).items()):
        rows = list(_changed(lines_of(path), edits))
        if rows:
            yield path, rows


def _changed(before: Sequence[str], edits: Sequence[Edit]) -> Iterator[Row]:
    if not before or max(edit.span.end_line for edit in edits) > len(before):
        return
    after = apply_edits("\n".join(before), edits).split("\n")
    # the lines around all edits are the same in both: only those between are compared
    first = max(0, min(edit.span.line for edit in edits) - 2)
    tail = max(0, len(before) - max(edit.span.end_line for edit in edits) - 1)
    old, new = (text[first : len(text) - tail] for text in (before, after))
    groups = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1)
    for number, group in enumerate(groups):
        if number:
            yield Row(None, "…")
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (Row(first + i + 1, _cut(old[i])) for i in range(a, b))
            else:
                yield from (Row(first + i + 1, _cut(old[i]), kind="gone") for i in range(a, b))
                yield from (Row(first + i + 1, _cut(new[i]), kind="new") for i in range(c, d))
