"""What a kernel's part of a page begins with: its name, and the launches it was tried with."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from perflint.base.english import readable
from perflint.base.plain_text import one_line
from perflint.lint.account import Attempt
from perflint.report.context import Context, plural
from perflint.why import words
from perflint.why.reply import Part

WIDTH = 100

#: Why findings are not shown, by rule, file and line.
KeptBack = Mapping[tuple[str, Path, int], str]


def wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    """Lines of a text, with what the first one and the others begin with."""
    return textwrap.wrap(
        one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest or first,
        break_long_words=False,
        break_on_hyphens=False,
    )


def rank(part: Part) -> tuple[object, ...]:
    """The kernels of which most is told come first."""
    ranks = [words.order(each)[0] for each in part.weighed]
    return (min(ranks, default=9), part.account.kernel)  # type: ignore[type-var]


def heading(parts: Sequence[Part], context: Context) -> list[str]:
    """Of which kernel this is; several of which the same is to be said are one."""
    account = parts[0].account
    others = [f"`{p.account.kernel}`" for p in parts[1:]]
    also = f"; the same in {', '.join(others[:3])}" if others else ""
    also += f" and {len(others) - 3} more" if len(others) > 3 else ""
    lines = ["", *wrapped(f"In the kernel `{account.kernel}`, for {account.arch}{also}")]
    if context.shown(account.path.absolute()) != context.shown(account.place.path.absolute()):
        lines += wrapped(f"compiled with {context.shown(account.path)}", "  ")
    if account.reason:
        lines += wrapped(f"not analysed: {account.reason}", "  ")
    if account.partial:
        lines += wrapped(f"not all of it was seen: {account.partial}", "  ")
    return lines


def attempts(part: Part, context: Context, verbose: bool) -> list[str]:
    """The launches tried, and where they came from."""
    found = part.account.attempts
    shown = found if verbose else found[:2]
    lines = [line for attempt in shown for line in _attempt(attempt, context, verbose)]
    if len(found) > len(shown):
        lines.append(f"           and {plural(len(found) - len(shown), 'more launch')}"[:WIDTH])
    return lines


def _attempt(attempt: Attempt, context: Context, verbose: bool) -> list[str]:
    at = f", at {context.shown(attempt.place.path)}:{attempt.place.line}" if attempt.place else ""
    ran = f"; {attempt.blocks} simulated" if attempt.blocks else ""
    lines = wrapped(f"{attempt.text}{at}{ran}", "  launch   ", " " * 11)
    if attempt.assumed:
        lines += wrapped(attempt.assumed, " " * 11)
    for condition in attempt.supposing:
        lines += wrapped(f"supposing {readable(condition)}", " " * 11)
    for condition in attempt.broken:
        lines += wrapped(f"no values tried meet `{condition}`", " " * 11)
    worlds = [
        f"{w.name}{f' ({w.text})' if w.text else ''}{f', cut short: {w.end}' if w.end else ''}"
        for w in attempt.worlds
    ]
    if len(worlds) > 1 or any(w.end for w in attempt.worlds):
        most = len(worlds) if verbose else 4
        more = [f"{len(worlds) - most} more"] * (len(worlds) > most)
        lines += wrapped(f"{'; '.join((*worlds[:most], *more))}", "  tried    ", " " * 11)
    return lines
