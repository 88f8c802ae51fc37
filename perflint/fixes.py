"""`--fix` and `--diff`: the changes that findings carry, made in the files or printed.

A fix was compiled, simulated and counted before its finding was made. Of two that change the same
place the first one is made; the next run offers the other again, if it still is one.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perflint.evidence import Edit, Fix
from perflint.findings import Finding
from perflint.variants import apply_edits


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


def changes(fixes: Fixes, root: Path) -> tuple[Change, ...]:
    """Each file with its edits. Raises OSError for one that cannot be read."""
    out = []
    for path, edits in sorted(fixes.edits.items()):
        with open(root / path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            before = file.read()
        out.append(Change(path, before, apply_edits(before, edits)))
    return tuple(change for change in out if change.before != change.after)


def write(made: Iterable[Change], root: Path, *, undo: bool = False) -> None:
    """Put the changed texts in the files' places, or take them back. Raises OSError.

    Each file is replaced as a whole: nobody sees half of one.
    """
    for change in made:
        target = Path(os.path.realpath(root / change.path))
        beside = target.with_name(f".{target.name}.perflint")
        text = change.before if undo else change.after
        beside.write_bytes(text.encode("utf-8", "surrogateescape"))
        beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)


def unified(made: Iterable[Change], root: Path) -> str:
    """The changes as a unified diff that `patch -p0` takes at `root`."""
    out: list[str] = []
    for change in made:
        name = os.path.relpath(root / change.path, root)
        before, after = (text.splitlines(keepends=True) for text in (change.before, change.after))
        for line in difflib.unified_diff(before, after, name, name):
            out.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(out)


def summary(fixes: Fixes, *, would: bool = False) -> list[str]:
    """What was done, for people."""
    out = []
    count = len(fixes.findings)
    if count:
        out.append(f"{'would fix' if would else 'fixed'} {_counted(count)}")
    if fixes.overlapping:
        out.append(
            f"{_counted(len(fixes.overlapping))} left: the fix changes what another one changes; "
            "run again"
        )
    if fixes.unsafe:
        out.append(
            f"{_counted(len(fixes.unsafe))} left: the fix changes results; --unsafe-fixes makes it"
        )
    return out


def _counted(count: int) -> str:
    return f"{count} finding" if count == 1 else f"{count} findings"
