"""Edits of source text, applied."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perflint.base.evidence import Edit
from perflint.base.text_lines import with_ends


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """A file's text with edits that do not overlap. Raises ValueError where they do.

    Lines that edits add end as the file's do.
    """
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    lines = with_ends(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return min(len(text), starts[min(line, len(starts)) - 1] + column - 1)

    places = sorted(
        ((at(e.span.line, e.span.column), at(e.span.end_line, e.span.end_column), e.replacement))
        for e in edits
    )
    out, position = [], 0
    for begin, end, replacement in places:
        if begin < position or end < begin:
            raise ValueError("edits overlap")
        out += [text[position:begin], replacement.replace("\n", end_of_line)]
        position = end
    return "".join((*out, text[position:]))


def by_file(edits: Sequence[Edit]) -> dict[Path, list[Edit]]:
    """Edits by the file that they change."""
    out: dict[Path, list[Edit]] = {}
    for edit in edits:
        out.setdefault(edit.span.path, []).append(edit)
    return out


def plain_index(text: str) -> tuple[str, ...]:
    """What stands between the brackets of `a[i + 1][b[j]]`: `i + 1`, `b[j]`; () if it is more."""
    found: list[str] = []
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        if letter == "[":
            begin = at + 1 if not depth else begin
            depth += 1
        elif letter == "]":
            depth -= 1
            if not depth:
                found.append(text[begin:at].strip())
        elif found and not depth and not letter.isspace():
            return ()
    return tuple(found)
