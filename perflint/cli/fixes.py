"""`--fix` and `--diff`: the changes that findings carry, made in the files or printed.

A fix was compiled, simulated and counted before its finding was made. Of two that change the same
place the first one is made; the next round offers the other again, if it still is one.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from perflint.base.edits import apply_edits
from perflint.base.evidence import Edit, Fix
from perflint.base.records import dataclass
from perflint.base.text_lines import with_ends
from perflint.cli.discovery import PathError
from perflint.cli.output import write
from perflint.lint.findings import Finding, Result
from perflint.report.context import plural

_MARK = "\ufeff"  #: of the order of bytes, in front of a text
_NO_NEWLINE = "\n\\ No newline at end of file\n"


@dataclass(frozen=True)
class Fixes:
    """What is to be changed."""

    findings: tuple[Finding, ...] = ()  #: those whose fix is made
    overlapping: tuple[Finding, ...] = ()  #: those whose fix would change what another changes
    unsafe: tuple[Finding, ...] = ()  #: those whose fix changes results, which was not allowed
    edits: Mapping[Path, tuple[Edit, ...]] = field(default_factory=dict)  #: by file


def choose(findings: Iterable[Finding], *, unsafe: bool) -> Fixes:
    """The fixes of confirmed findings that go together, in the order of the findings.

    Without `unsafe` only those that keep every result. An edit that two fixes share is made once.
    """
    made: list[Finding] = []
    overlapping: list[Finding] = []
    refused: list[Finding] = []
    taken: dict[Path, list[Edit]] = {}
    for finding in findings:
        fix = finding.fix
        if fix is None or finding.verdict != "confirmed" or not fix.edits:
            continue
        if not fix.safe and not unsafe:
            refused.append(finding)
        elif _fits(fix, taken):
            made.append(finding)
            for edit in fix.edits:
                mine = taken.setdefault(edit.span.path, [])
                if edit not in mine:
                    mine.append(edit)
        else:
            overlapping.append(finding)
    edits = {path: tuple(found) for path, found in taken.items()}
    return Fixes(tuple(made), tuple(overlapping), tuple(refused), edits)


def _fits(fix: Fix, taken: Mapping[Path, Sequence[Edit]]) -> bool:
    return not any(
        clash(edit, other) for edit in fix.edits for other in taken.get(edit.span.path, ())
    )


def clash(a: Edit, b: Edit) -> bool:
    """Whether two edits of a file cannot both be made. Equal ones are one."""
    if a == b or a.span.path != b.span.path:
        return False
    one, other = sorted((a.span, b.span))
    return (other.line, other.column) < (one.end_line, one.end_column)


@dataclass(frozen=True)
class Change:
    """A file before and after."""

    path: Path
    before: str
    after: str


def readable(chosen: Fixes, root: Path, tell: Callable[[str], None]) -> Fixes:
    """The fixes whose files are all UTF-8; the other files are told."""
    wrong = set()
    for path in sorted(chosen.edits):
        try:
            (root / path).read_bytes().decode("utf-8")
        except OSError as error:
            wrong.add(path)
            tell(f"warning: {path}: not fixed: {error.strerror}")
        except UnicodeDecodeError:
            wrong.add(path)
            tell(f"warning: {path}: not fixed: it is not UTF-8")
    if not wrong:
        return chosen
    kept = [f for f in chosen.findings if f.fix and not wrong & {e.span.path for e in f.fix.edits}]
    return replace(choose(kept, unsafe=True), overlapping=chosen.overlapping, unsafe=chosen.unsafe)


def changes(fixes: Fixes, root: Path) -> tuple[Change, ...]:
    """Each file, which must be `readable`, with its edits."""
    out = []
    for path, edits in sorted(fixes.edits.items()):
        before = (root / path).read_bytes().decode("utf-8")
        mark = _MARK if before.startswith(_MARK) else ""  # it is no column of the first line
        after = mark + apply_edits(before.removeprefix(_MARK), edits)
        out.append(Change(path, before, after))
    return tuple(change for change in out if change.before != change.after)


def unified(made: Iterable[Change], root: Path) -> str:
    """The changes as a unified diff that `patch -p0` takes at `root`."""
    out: list[str] = []
    for change in made:
        name = shown(change.path, root)
        before, after = (with_ends(text) for text in (change.before, change.after))
        lines = difflib.unified_diff(before, after, name, name)
        out += [line if line.endswith("\n") else f"{line}{_NO_NEWLINE}" for line in lines]
    return "".join(out)


def shown(path: Path, root: Path) -> str:
    """A path as reports have it."""
    return Path(os.path.relpath(root / path, root)).as_posix()


def put(
    made: Iterable[Change], root: Path, tell: Callable[[str], None] = lambda _: None
) -> tuple[Change, ...]:
    """Put the changed texts in the files' places; those that could be. The others are told."""
    out = []
    for change in made:
        try:
            write(root / change.path, change.after)
        except PathError as error:
            tell(f"warning: {shown(change.path, root)}: not fixed: {error}")
        else:
            out.append(change)
    return tuple(out)


def of_files(chosen: Fixes, made: Iterable[Change]) -> Fixes:
    """The fixes all of whose files were changed."""
    paths = {change.path for change in made}
    kept = [f for f in chosen.findings if f.fix and {e.span.path for e in f.fix.edits} <= paths]
    return replace(chosen, findings=tuple(kept))


def take_back(made: Iterable[Change], root: Path) -> None:
    """Put the texts from before in the files' places. Raises PathError."""
    for change in made:
        write(root / change.path, change.before)


def broken(before: Result, after: Result) -> tuple[Path, str] | None:
    """What was well before the files were changed and is not now: the file, and what is wrong.

    An error of the compiler, or a kernel that is no longer analysed: its findings only seem gone.
    """
    known = {(f.code, f.place.path, f.message) for f in before.findings if f.level == "error"}
    for f in after.findings:
        if f.level == "error" and (f.code, f.place.path, f.message) not in known:
            return f.place.path, f.message
    missed = {(item.path, item.kernel) for item in before.unanalysed}
    for item in after.unanalysed:
        if (item.path, item.kernel) not in missed:
            return item.path, item.reason
    return None


def summary(fixes: Fixes, *, would: bool = False) -> list[str]:
    """What was done, or would be, for people."""
    out = []
    if fixes.findings:
        verb = "would fix" if would else "fixed"
        out.append(f"{verb} {plural(len(fixes.findings), 'finding')}")
    if fixes.overlapping:
        found = plural(len(fixes.overlapping), "finding")
        out.append(f"{found} not fixed: another fix changes the same place; run again")
    if fixes.unsafe:
        found = plural(len(fixes.unsafe), "finding")
        out.append(f"{found} not fixed: it would change results; --unsafe-fixes does it")
    return out or ["nothing to fix"]
