"""A table of suspicions for each kernel of a reply; of many kernels a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from perflint.base.plain_text import one_line
from perflint.lint.account import Weighed
from perflint.report.context import Context, plural
from perflint.why import words
from perflint.why.heading import KeptBack, attempts, heading, rank, wrapped
from perflint.why.reply import Part, Reply

MOST_COLUMNS = 140  #: of a table's row
MANY = 8  #: kernels, beyond which a line is said of each
_LEAST_ROWS = 3  #: of a kernel's table
_VERDICTS = ("confirmed", "undecided", "refuted")


def tables(reply: Reply, context: Context, verbose: bool, room: int) -> list[str]:
    """A table for each kernel."""
    parts = [p for p in reply.parts if p.weighed or p.code or p.launches]
    if len(parts) > MANY and not verbose:
        return _kernels(parts, context, room)
    each = max(_LEAST_ROWS, (room - 4 * len(parts)) // max(1, len(parts)))
    kept = dict(reply.kept_back)
    lines: list[str] = []
    for part in parts:
        lines += heading([part], context)
        if reply.target.kernel:
            lines += attempts(part, context, verbose)
        lines += _table(part, kept, context, None if verbose else each)
    return lines


def _kernels(parts: Sequence[Part], context: Context, room: int) -> list[str]:
    """A line for each of many kernels: how many suspicions became what, the worst first."""
    lines = [""]
    shown = sorted(parts, key=rank)[: room - 4]
    width = max(len(p.account.kernel[:60]) for p in shown)
    for part in shown:
        account = part.account
        counts = Counter(each.verdict for each in part.weighed)
        told = ", ".join(f"{counts[v]} {v}" for v in _VERDICTS if counts[v])
        said = account.reason and f"not analysed: {account.reason}"
        name = one_line(account.kernel[:60])
        text = one_line(said or told or "nothing suspected")
        lines.append(f"  {account.place.line:5}  {name:{width}}  {text}"[:MOST_COLUMNS])
    if len(parts) > len(shown):
        lines.append(f"  and {plural(len(parts) - len(shown), 'more kernel')}: --verbose")
    return [*lines, "", "FILE:KERNEL shows one of them, --verbose all."]


def _table(part: Part, kept: KeptBack, context: Context, most: int | None) -> list[str]:
    groups = words.grouped(part.weighed)
    if not groups:
        return [] if part.account.reason else ["  no rule suspected anything"]
    plain = [g for g in groups if words.order(g[0])[0] == 3]
    telling = groups if most is None else [g for g in groups if g not in plain]
    shown = telling[:most]
    rows = [_row(group, kept, context) for group in shown]
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    lines = [
        f"  {row[0]:>{widths[0]}}  {row[1]:{widths[1]}}  {row[2]:{widths[2]}}  {row[3]}"
        for row in rows
    ]
    if most is not None:
        lines = [t if len(t) <= MOST_COLUMNS else f"{t[: MOST_COLUMNS - 1]}…" for t in lines]
    left = sum(len(g) for g in telling[len(shown) :])
    if left:
        lines.append(f"  {plural(left, 'more suspicion')}: --verbose")
    if most is not None and plain:
        count = sum(len(g) for g in plain)
        rules = sorted({w.code for g in plain for w in g})
        said = f"{plural(count, 'suspicion')} of {words.in_ranges(rules, part.account.rules)}"
        lines += wrapped(f"{said}: not much above the ideal, or not reached", "  ", "    ")
    return lines


def _row(group: Sequence[Weighed], kept: KeptBack, context: Context) -> tuple[str, str, str, str]:
    first = group[0]
    codes = list(dict.fromkeys(each.code for each in group))
    rule = f"{codes[0]} {first.name}" if len(codes) == 1 else words.in_ranges(codes, codes)
    about = f"{first.about}: " if first.about and first.verdict != "confirmed" else ""
    aside = kept.get((first.code, first.place.path, first.place.line), "")
    if first.fate == "related" and first.beside is not None:
        aside = f"told at line {first.beside.line}"
    why = f"{about}{words.reason(first)}" + (f" ({aside})" if aside else "")
    return str(first.place.line), rule, words.verdict(first), one_line(why)
