"""A reply as text: a screen for a line, a table for a kernel or a file."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.plain_text import clean, one_line
from perflint.report.context import Context
from perflint.why.heading import wrapped
from perflint.why.line import answers
from perflint.why.reply import Reply
from perflint.why.table import tables

SCREEN = 40  #: lines


def render(reply: Reply, context: Context, *, verbose: bool = False) -> str:
    """The whole page."""
    target = reply.target
    head = one_line(context.shown(target.path)) + (f":{target.line}" if target.line else "")
    lines = [head] if target.line is None else [*_source(head, reply, context)]
    for note in reply.notes:
        lines += wrapped(note, "note: ", "      ")
    for lost in reply.unanalysed:
        name = f"`{lost.kernel}`" if lost.kernel else "the file"
        lines += wrapped(f"Not analysed: {name}: {lost.reason}")
    page = tables if target.line is None else answers
    lines += page(reply, context, verbose, SCREEN - len(lines))
    return "\n".join(clean(line).rstrip() for line in lines) + "\n"


def _source(head: str, reply: Reply, context: Context) -> Iterator[str]:
    """The line that is asked about, as it stands in the file."""
    yield head
    number = reply.target.line or 1
    lines = context.lines(reply.target.path)
    if number <= len(lines):
        text = clean(lines[number - 1].expandtabs(4)).rstrip()
        yield f"{number:6} | {text if len(text) <= 120 else text[:119] + '…'}"
