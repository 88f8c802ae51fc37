"""What is said of a line: each suspicion, as far as a screen has room, and what kept rules off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from perflint.base.plain_text import one_line
from perflint.base.records import dataclass
from perflint.lint.account import Account, Weighed
from perflint.report.context import Context, plural
from perflint.why import words
from perflint.why.heading import KeptBack, attempts, heading, rank, wrapped
from perflint.why.reply import Part, Reply, base

_FOOT = 3  #: lines that say that there is more


@dataclass(frozen=True)
class _Block:
    """What is said of one suspicion, or of several alike: in full, or in a line."""

    full: list[str]
    short: list[str]


def answers(reply: Reply, context: Context, verbose: bool, room: int) -> list[str]:
    """The parts, those that say the same once."""
    kept = dict(reply.kept_back)
    groups: dict[object, list[Part]] = {}
    for part in reply.parts:
        groups.setdefault(_sameness(part), []).append(part)
    ranked = sorted(groups.values(), key=lambda parts: rank(parts[0]))
    lines: list[str] = []
    for number, parts in enumerate(ranked):
        left = room - len(lines) - _FOOT * (number + 1 < len(ranked))
        found = _answers(parts, kept, context, verbose, left)
        if number and not verbose and len(found) > left:
            others = [f"`{p.account.kernel}`" for group in ranked[number:] for p in group]
            names = ", ".join(others[:3]) + (f" and {len(others) - 3} more" * (len(others) > 3))
            lines += ["", *wrapped(f"Other answers for {names}: --verbose")]
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


def _answers(
    parts: Sequence[Part], kept: KeptBack, context: Context, verbose: bool, room: int
) -> list[str]:
    part = parts[0]
    account = part.account
    lines = [*heading(parts, context), *attempts(part, context, verbose)]
    groups = words.grouped(part.weighed)
    blocks = [_block(group, account, kept, context, verbose) for group in groups]
    tail = _tail(part, context)
    return [*lines, *_fitted(blocks, room - len(lines) - len(tail), verbose), *tail]


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
    full = ["", *wrapped(head), *wrapped(f"{verdict}: {said}", "  verdict  ", " " * 11)]
    for number, each in enumerate(figures):
        full += wrapped(each, "  measured " if number == 0 else " " * 11, " " * 11)
    if first.unfixed:
        full += wrapped(
            f"a change was tried, and is not offered: {first.unfixed}", "  fix      ", " " * 11
        )
    full += _more_answers(first, account, verbose)
    return _Block(full, wrapped(f"{head}: {verdict}: {said}", "", "  ")[:2])


def _aside(weighed: Weighed, kept: KeptBack, context: Context) -> str:
    """What keeps a finding from being seen, or where it is."""
    if weighed.fate in ("", "left"):
        return ""
    if weighed.fate == "related" and weighed.beside is not None:
        place = weighed.beside
        lead = "note" if weighed.verdict == "undecided" else "finding"
        return f", told with the {lead} at {context.shown(place.path)}:{place.line}"
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
            lines += wrapped(f"{len(answers)} launches: {said}", " " * 11)
    for each in answers if verbose else ():
        asked = [f"{name}: {why or 'no'}" for name, why in each.asked]
        launch = account.attempts[each.attempt].text if len(answers) > 1 else ""
        lines += wrapped(
            "; ".join((*([launch] if launch else []), *asked)), "  asked    ", " " * 11
        )
        if each.missed:
            lines += wrapped(f"not reached with {', '.join(each.missed)}", " " * 11)
    return lines


def _tail(part: Part, context: Context) -> list[str]:
    """What nobody suspected, and why not."""
    if not part.weighed and not part.seen and part.code:
        nothing = "No rule suspects anything here: the line accesses no memory, and of what else it"
        return ["", *wrapped(f"{nothing} computes nothing is known to be slow.")]
    lines: list[str] = []
    account = part.account
    everything = {seen.about for seen in part.seen}
    suspected = {each.code for each in part.weighed}
    for (why, codes), about in _passed(part).items():
        of = f" {', '.join(about)}:" if set(about) != everything else ""
        lines += wrapped(f"{', '.join(codes)}:{of} {why}", "  ", "    ")
    explained = {code for seen in part.seen for code, _ in seen.passed}
    quiet = [c for c in account.rules if c not in suspected | explained]
    if quiet and (part.code or part.seen):
        quiet_ones = words.in_ranges(quiet, account.rules)
        lines += wrapped(f"{quiet_ones}: nothing of their kind here", "  ", "    ")
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
