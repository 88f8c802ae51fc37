"""A reply as text: a screen for a line, a table for a kernel or a file."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint.lint.account import Account, Attempt, Weighed
from perflint.plain_text import clean, one_line
from perflint.report.context import Context, plural
from perflint.why import words
from perflint.why.reply import Part, Reply, base

WIDTH = 100
SCREEN = 40  #: lines
MOST_COLUMNS = 140  #: of a table's row
MANY = 8  #: kernels, beyond which a line is said of each
_FOOT = 3  #: lines that say that there is more
_LEAST_ROWS = 3  #: of a kernel's table
_VERDICTS = ("confirmed", "undecided", "refuted")

KeptBack = Mapping[tuple[str, Path, int], str]


def render(reply: Reply, context: Context, *, verbose: bool = False) -> str:
    """The whole page."""
    target = reply.target
    head = one_line(context.shown(target.path)) + (f":{target.line}" if target.line else "")
    lines = [head] if target.line is None else [*_source(head, reply, context)]
    for note in reply.notes:
        lines += _wrapped(note, "note: ", "      ")
    for lost in reply.unanalysed:
        name = f"`{lost.kernel}`" if lost.kernel else "the file"
        lines += _wrapped(f"Not analysed: {name}: {lost.reason}")
    table = target.line is None
    pages = _tables if table else _line
    lines += pages(reply, context, verbose, SCREEN - len(lines))
    return "\n".join(clean(line).rstrip() for line in lines) + "\n"


def _source(head: str, reply: Reply, context: Context) -> Iterator[str]:
    """The line that is asked about, as it stands in the file."""
    yield head
    number = reply.target.line or 1
    lines = context.lines(reply.target.path)
    if number <= len(lines):
        text = clean(lines[number - 1].expandtabs(4)).rstrip()
        yield f"{number:6} | {text if len(text) <= 120 else text[:119] + '…'}"


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest or first,
        break_long_words=False,
        break_on_hyphens=False,
    )


# --- a line ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """What is said of one suspicion, or of several alike: in full, or in a line."""

    full: list[str]
    short: list[str]


def _line(reply: Reply, context: Context, verbose: bool, room: int) -> list[str]:
    """The parts, those that say the same once."""
    kept = dict(reply.kept_back)
    groups: dict[object, list[Part]] = {}
    for part in reply.parts:
        groups.setdefault(_sameness(part), []).append(part)
    ranked = sorted(groups.values(), key=lambda parts: _rank(parts[0]))
    lines: list[str] = []
    for number, parts in enumerate(ranked):
        left = room - len(lines) - _FOOT * (number + 1 < len(ranked))
        found = _answers(parts, kept, context, verbose, left)
        if number and not verbose and len(found) > left:
            others = [f"`{p.account.kernel}`" for group in ranked[number:] for p in group]
            names = ", ".join(others[:3]) + (f" and {len(others) - 3} more" * (len(others) > 3))
            lines += ["", *_wrapped(f"Other answers for {names}: --verbose")]
            break
        lines += found
    return lines


def _sameness(part: Part) -> object:
    """Equal for kernels of which the same is to be said: instances of one template."""
    said = tuple(
        (w.code, w.about, w.verdict, words.objection(w)) for w in sorted(part.weighed, key=_code_of)
    )
    return said, tuple(s.passed for s in part.seen), part.account.reason, part.account.arch


def _code_of(weighed: Weighed) -> tuple[str, str]:
    return weighed.code, weighed.about


def _rank(part: Part) -> tuple[object, ...]:
    ranks = [words.order(each)[0] for each in part.weighed]
    return (min(ranks, default=9), part.account.kernel)  # type: ignore[type-var]


def _answers(
    parts: Sequence[Part], kept: KeptBack, context: Context, verbose: bool, room: int
) -> list[str]:
    part = parts[0]
    account = part.account
    lines = [*_kernel(parts, context), *_attempts(part, context, verbose)]
    groups = words.grouped(part.weighed)
    blocks = [_block(group, account, kept, context, verbose) for group in groups]
    tail = _tail(part, context)
    return [*lines, *_fitted(blocks, room - len(lines) - len(tail), verbose), *tail]


def _kernel(parts: Sequence[Part], context: Context) -> list[str]:
    account = parts[0].account
    others = [f"`{p.account.kernel}`" for p in parts[1:]]
    also = f"; the same in {', '.join(others[:3])}" if others else ""
    also += f" and {len(others) - 3} more" if len(others) > 3 else ""
    lines = ["", *_wrapped(f"In the kernel `{account.kernel}`, for {account.arch}{also}")]
    if context.shown(account.path.absolute()) != context.shown(account.place.path.absolute()):
        lines += _wrapped(f"compiled with {context.shown(account.path)}", "  ")
    if account.reason:
        lines += _wrapped(f"not analysed: {account.reason}", "  ")
    if account.partial:
        lines += _wrapped(f"not all of it was seen: {account.partial}", "  ")
    return lines


def _attempts(part: Part, context: Context, verbose: bool) -> list[str]:
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
    lines = _wrapped(f"{attempt.text}{at}{ran}", "  launch   ", " " * 11)
    if attempt.assumed:
        lines += _wrapped(attempt.assumed, " " * 11)
    for condition in attempt.supposing:
        lines += _wrapped(f"supposing {condition}", " " * 11)
    for condition in attempt.broken:
        lines += _wrapped(f"no values tried meet `{condition}`", " " * 11)
    worlds = [
        f"{w.name}{f' ({w.text})' if w.text else ''}{f', cut short: {w.end}' if w.end else ''}"
        for w in attempt.worlds
    ]
    if len(worlds) > 1 or any(w.end for w in attempt.worlds):
        most = len(worlds) if verbose else 4
        more = [f"{len(worlds) - most} more"] * (len(worlds) > most)
        lines += _wrapped(f"{'; '.join((*worlds[:most], *more))}", "  tried    ", " " * 11)
    return lines


def _block(
    group: Sequence[Weighed], account: Account, kept: KeptBack, context: Context, verbose: bool
) -> _Block:
    first = group[0]
    codes = ", ".join(dict.fromkeys(each.code for each in group))
    name = f" {first.name}" if len(group) == 1 else ""
    about = f": {first.about}" if first.about else ""
    objection = words.objection(first)
    head = f"{codes}{name}{about}"
    said = words.reason(first) + (f" [{objection}]" if objection else "")
    verdict = f"{words.verdict(first)}{_aside(first, kept, context)}"
    answer = first.answer
    figures = words.measured(first, answer) if answer is not None else []
    full = ["", *_wrapped(head), *_wrapped(f"{verdict}: {said}", "  verdict  ", " " * 11)]
    for number, each in enumerate(figures):
        full += _wrapped(each, "  measured " if number == 0 else " " * 11, " " * 11)
    full += _more_answers(first, account, verbose)
    return _Block(full, _wrapped(f"{head}: {verdict}: {said}", "", "  ")[:2])


def _aside(weighed: Weighed, kept: KeptBack, context: Context) -> str:
    """What keeps a finding from being seen, or where it is."""
    if weighed.fate in ("", "left"):
        return ""
    if weighed.fate == "related" and weighed.beside is not None:
        place = weighed.beside
        return f", told with the finding at {context.shown(place.path)}:{place.line}"
    if why := kept.get((weighed.code, weighed.place.path, weighed.place.line)):
        return f", but {why}"
    return ", a note that --show-unconfirmed shows" if weighed.verdict == "undecided" else ""


def _more_answers(weighed: Weighed, account: Account, verbose: bool) -> list[str]:
    """What other launches say, and each objection that was asked."""
    lines: list[str] = []
    answers = weighed.answers
    if len(answers) > 1:
        counts = Counter(each.verdict for each in answers)
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        if len(counts) > 1 or verbose:
            lines += _wrapped(f"{len(answers)} launches: {said}", " " * 11)
    for each in answers if verbose else ():
        asked = [f"{name}: {why or 'no'}" for name, why in each.asked]
        launch = account.attempts[each.attempt].text if len(answers) > 1 else ""
        lines += _wrapped(
            "; ".join((*([launch] if launch else []), *asked)), "  asked    ", " " * 11
        )
        if each.missed:
            lines += _wrapped(f"not reached with {', '.join(each.missed)}", " " * 11)
    return lines


def _tail(part: Part, context: Context) -> list[str]:
    """What nobody suspected, and why not."""
    if not part.weighed and not part.seen and part.code:
        nothing = "No rule suspects anything here: the line accesses no memory, and of what else it"
        return ["", *_wrapped(f"{nothing} computes nothing is known to be slow.")]
    lines: list[str] = []
    account = part.account
    everything = {seen.about for seen in part.seen}
    suspected = {each.code for each in part.weighed}
    for (why, codes), about in _passed(part).items():
        of = f" {', '.join(about)}:" if set(about) != everything else ""
        lines += _wrapped(f"{', '.join(codes)}:{of} {why}", "  ", "    ")
    explained = {code for seen in part.seen for code, _ in seen.passed}
    quiet = [c for c in account.rules if c not in suspected | explained]
    if quiet and (part.code or part.seen):
        quiet_ones = words.in_ranges(quiet, account.rules)
        lines += _wrapped(f"{quiet_ones}: nothing of their kind here", "  ", "    ")
    if lines:
        lines = ["", "Not suspected", *lines]
    if part.others:
        file, name = context.shown(account.place.path), base(account.kernel)
        lines += [
            "",
            one_line(f"Other lines, {part.others} suspicions: perflint why {file}:{name}"),
        ]
    return lines


def _passed(part: Part) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """What keeps rules from suspecting accesses: by reason and rules, the accesses."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for seen in part.seen:
        for why in dict.fromkeys(why for _, why in seen.passed):
            codes = tuple(code for code, said in seen.passed if said == why)
            about = found.setdefault((why, codes), [])
            if seen.about not in about:
                about.append(seen.about)
    return found


def _fitted(blocks: Sequence[_Block], room: int, verbose: bool) -> list[str]:
    """The blocks in so many lines: the last ones in short, or only counted."""
    if verbose:
        return [line for block in blocks for line in block.full]
    short = 0
    while short < len(blocks) and _height(blocks, short) > room:
        short += 1
    shown = list(blocks)
    while len(shown) > 1 and _height(shown, short) + 1 > room:
        shown.pop()
    cut = max(0, len(shown) - short)
    lines = [line for block in shown[:cut] for line in block.full]
    lines += [""] * (cut < len(shown)) + [line for block in shown[cut:] for line in block.short]
    left = len(blocks) - len(shown)
    return lines + [f"and {plural(left, 'more answer')}: --verbose"] * bool(left)


def _height(blocks: Sequence[_Block], short: int) -> int:
    cut = max(0, len(blocks) - short)
    full = sum(len(block.full) for block in blocks[:cut])
    return full + sum(len(block.short) for block in blocks[cut:]) + (cut < len(blocks))


# --- a kernel, a file -----------------------------------------------------------------------------


def _tables(reply: Reply, context: Context, verbose: bool, room: int) -> list[str]:
    """A table for each kernel."""
    parts = [p for p in reply.parts if p.weighed or p.code or p.launches]
    if len(parts) > MANY and not verbose:
        return _kernels(parts, context, room)
    each = max(_LEAST_ROWS, (room - 4 * len(parts)) // max(1, len(parts)))
    kept = dict(reply.kept_back)
    lines: list[str] = []
    for part in parts:
        lines += _kernel([part], context)
        if reply.target.kernel:
            lines += _attempts(part, context, verbose)
        lines += _table(part, kept, context, None if verbose else each)
    return lines


def _kernels(parts: Sequence[Part], context: Context, room: int) -> list[str]:
    """A line for each of many kernels: how many suspicions became what, the worst first."""
    lines = [""]
    shown = sorted(parts, key=_rank)[: room - 4]
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
        lines += _wrapped(f"{said}: not much above the ideal, or not reached", "  ", "    ")
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
