"""What a run has to say about a line, a kernel or a file: the parts of its accounts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.user_error import UserError
from perflint.lint.account import Account, Outline, Seen, Weighed
from perflint.lint.findings import Finding, Result, Unanalysed
from perflint.why.target import Target, near

NOT_COMPILED = "CU001"  #: the rule that tells of files which the compiler refuses
MOST_REMARKS = 2  #: of the front end's on a file
_NEAREST = 2  #: lines with code that are named on either side


@dataclass(frozen=True)
class Part:
    """What one kernel's account says about what is asked."""

    account: Account
    weighed: tuple[Weighed, ...] = ()
    seen: tuple[Seen, ...] = ()
    code: bool = False  #: whether instructions of it come from there
    launches: tuple[int, ...] = ()  #: its launches that stand there
    others: int = 0  #: suspicions about other lines of the kernel, and about it as a whole


@dataclass(frozen=True)
class Reply:
    """All there is to say."""

    target: Target
    parts: tuple[Part, ...] = ()
    unanalysed: tuple[Unanalysed, ...] = ()  #: kernels, or the file, of which there is no account
    notes: tuple[str, ...] = ()
    #: (rule, file, line) of findings that are not shown, and why not
    kept_back: tuple[tuple[tuple[str, Path, int], str], ...] = ()


def reply(target: Target, result: Result, shown: Sequence[Finding], root: Path) -> Reply:
    """What `result` says about `target`; `shown` are its findings that `check` would print.

    Raises UserError for a line or a kernel that is not there.
    """
    here = Path(os.path.realpath(target.path))
    every = (*result.unanalysed, *_refused(result))
    missing = tuple(u for u in every if _real(root / u.path) == here)
    outlines = [o for o in result.outlines if _real(o.place.path) == here]
    accounts = [a for a in result.accounts if concerns(a, here)]
    empty = Reply(target, kept_back=tuple(_kept_back(result, shown, root)))
    if target.kernel:
        found = _of_kernel(empty, accounts, missing, outlines)
    elif target.line is not None:
        found = _of_line(empty, here, target.line, accounts, missing, outlines)
    else:
        parts = tuple(_part(account, here) for account in accounts)
        found = replace(empty, parts=parts, unanalysed=missing)
        if not parts and not missing:
            note = "no code of a kernel that was analysed comes from this file"
            found = replace(found, notes=(note,))
    mine = {base(part.account.kernel) for part in found.parts}
    others = {base(account.kernel) for account in result.accounts} - mine
    remarks = [
        remark
        for remark in result.remarks
        if remark.startswith(f"{_shown(here, root)}: ")
        and others.isdisjoint(re.findall(r"\w+", remark.rpartition(":")[2]))
    ]
    return replace(found, notes=(*remarks[:MOST_REMARKS], *found.notes))


def _refused(result: Result) -> Iterator[Unanalysed]:
    """The files that the compiler refuses."""
    for each in result.findings:
        if each.code == NOT_COMPILED:
            yield Unanalysed(
                each.place.path, None, f"line {each.place.line}: {each.message}", each.place.line
            )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _shown(path: Path, root: Path) -> str:
    real = _real(root)
    return str(path.relative_to(real) if path.is_relative_to(real) else path)


def concerns(account: Account, here: Path) -> bool:
    """Whether a kernel has something to do with a file: its code, or a launch."""
    return (
        _real(account.place.path) == here
        or any(path == here for path, _ in account.code)
        or any(path == here for each in account.weighed for path, _ in each.lines)
        or any(a.place is not None and _real(a.place.path) == here for a in account.attempts)
    )


def _kept_back(
    result: Result, shown: Sequence[Finding], root: Path
) -> Iterator[tuple[tuple[str, Path, int], str]]:
    def key(finding: Finding) -> tuple[str, Path, int]:
        return finding.code, _real(root / finding.place.path), finding.place.line

    for silenced in result.silenced:
        why = f": {silenced.reason}" if silenced.reason else ""
        yield key(silenced.finding), f"a comment silences it{why}"
    there = {key(each) for each in shown}
    for each in result.findings:
        if key(each) not in there and each.verdict == "confirmed":
            yield key(each), "the configuration leaves it out here"


# --- a kernel -------------------------------------------------------------------------------------


def _of_kernel(
    found: Reply,
    accounts: Sequence[Account],
    missing: Sequence[Unanalysed],
    outlines: Sequence[Outline],
) -> Reply:
    name = found.target.kernel
    mine = [a for a in accounts if _is_named(a.kernel, name)]
    lost = tuple(u for u in missing if u.kernel and _is_named(u.kernel, name))
    if mine or lost:
        parts = (Part(a, a.weighed, a.seen, code=True) for a in mine)
        return replace(found, parts=tuple(parts), unanalysed=lost)
    if any(_is_named(o.name, name) for o in outlines):
        whole = tuple(u for u in missing if u.kernel is None)
        note = f"`{name}` was not compiled, so that nothing of it was looked at"
        return replace(found, unanalysed=whole, notes=(note,))
    names = [*(a.kernel for a in accounts), *(u.kernel for u in missing if u.kernel)]
    names += [o.name for o in outlines]
    raise UserError(f"{found.target.path}: no kernel `{name}`{near(name, map(base, names))}")


def _is_named(title: str, name: str) -> bool:
    """Whether a kernel is called so, with or without namespaces and template arguments."""
    if "<" in name:
        arguments = [each.partition("<")[2].replace(" ", "") for each in (title, name)]
        return arguments[0] == arguments[1] and base(title) == base(name)
    return base(title) == base(name)


def base(title: str) -> str:
    """A kernel's name without its namespaces and template arguments."""
    return title.partition("<")[0].rpartition("::")[2]


# --- a line ---------------------------------------------------------------------------------------


def _of_line(
    found: Reply,
    here: Path,
    line: int,
    accounts: Sequence[Account],
    missing: Sequence[Unanalysed],
    outlines: Sequence[Outline],
) -> Reply:
    last = _last_line(here)
    if not 1 <= line <= last:
        raise UserError(f"{found.target.path}:{line}: the file has {last} lines")
    parts = [_part(account, here, line) for account in accounts]
    parts = [p for p in parts if p.weighed or p.seen or p.code or p.launches]
    lost = tuple(u for u in missing if _covers(u, line, outlines))
    notes = [] if parts or lost else list(_nearest(here, line, accounts, outlines))
    whole = () if parts or lost else tuple(u for u in missing if u.kernel is None)
    return replace(
        found,
        parts=tuple(parts),
        unanalysed=(*lost, *whole),
        notes=tuple(notes),
    )


def _last_line(path: Path) -> int:
    data = path.read_bytes()
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _part(account: Account, here: Path, line: int | None = None) -> Part:
    def is_here(lines: Iterable[tuple[Path, int]]) -> bool:
        return any(path == here and line in (None, number) for path, number in lines)

    weighed = tuple(each for each in account.weighed if is_here(each.lines))
    whole = line is None and _real(account.place.path) == here
    launches = tuple(
        number
        for number, attempt in enumerate(account.attempts)
        if (p := attempt.place) is not None
        and _real(p.path) == here
        and (line is None or p.line <= line <= p.end_line)
    )
    return Part(
        account,
        account.weighed if whole else weighed,
        tuple(each for each in account.seen if whole or is_here(each.lines)),
        any(path == here and (line is None or line in lines) for path, lines in account.code),
        launches,
        len(account.weighed) - len(weighed),
    )


def _covers(lost: Unanalysed, line: int, outlines: Sequence[Outline]) -> bool:
    """Whether a kernel that was not analysed stands at a line."""
    if lost.kernel is None:
        return False
    named = [o for o in outlines if o.name == base(lost.kernel)]
    own = [o for o in named if o.first <= lost.line <= o.last]  # and not its overload
    return lost.line == line or any(o.first <= line <= o.last for o in own or named)


def _nearest(
    here: Path, line: int, accounts: Sequence[Account], outlines: Sequence[Outline]
) -> Iterator[str]:
    """Of a line that no instruction comes from: what is near."""
    around = [o for o in outlines if o.first <= line <= o.last]
    if around:
        name = min(around, key=lambda o: o.last - o.first).name
        mine = [a for a in accounts if base(a.kernel) == name]
        if not mine:
            yield f"this line is in the kernel `{name}`, of which nothing was compiled"
            return
        yield (
            f"no instruction comes from this line of `{name}`: a declaration, a comment, or code "
            "that the compiler took out or moved"
        )
    else:
        mine = list(accounts)
        kernels = sorted(outlines, key=lambda o: min(abs(o.first - line), abs(o.last - line)))
        nearest = f"; the nearest kernel is `{kernels[0].name}`" if kernels else ""
        span = f", lines {kernels[0].first} to {kernels[0].last}" if kernels else ""
        yield f"this line is in no kernel and in no function that a kernel calls{nearest}{span}"
    lines = sorted({n for a in mine for path, found in a.code if path == here for n in found})
    before = [n for n in lines if n < line][-_NEAREST:]
    after = [n for n in lines if n > line][:_NEAREST]
    if before or after:
        yield f"the nearest lines with code: {', '.join(map(str, [*before, *after]))}"
