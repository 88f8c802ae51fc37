"""What becomes of findings before they are printed: baselines, diffs, comments, fixes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base import bounds
from perflint.cli import baseline, fixes, insertion
from perflint.cli.changed_lines import Changes
from perflint.cli.discovery import PathError
from perflint.cli.output import write
from perflint.cli.request import Request
from perflint.lint.findings import Finding, Result
from perflint.report.context import Context, plural
from perflint.report.identity import identity

MOST_TOLD = 5  #: stale entries that are named
MOST_ROUNDS = 8  #: of fixing: what is offered again after each change has no end

Tell = Callable[[str], None]


def narrowed(
    result: Result, files: Sequence[Path], request: Request, context: Context, tell: Tell
) -> Result:
    """The result without what a baseline lists, and what lies on lines that did not change.

    Raises ConfigError for a baseline that cannot be read, PathError where Git cannot be asked.
    """
    settings = request.settings
    if settings.baseline and not settings.write_baseline:
        known = baseline.read(settings.baseline)
        held = baseline.split(result.findings, known, _identify(context), context.shown)
        result = replace(result, findings=held.new, silenced=(*result.silenced, *held.known))
        checked = {context.shown(file) for file in files}
        held_gone = () if result.ended else held.gone  # what is not there may not have been reached
        gone = [e for e in held_gone if e.path in checked or _is_gone(context.root / e.path)]
        for entry in gone[:MOST_TOLD]:
            tell(f"note: {settings.baseline}: {entry.path}: {entry.code} {entry.message}: is gone")
        if gone:
            count = plural(len(gone), "entry").replace("entrys", "entries")
            tell(f"note: {settings.baseline}: {count} stale; --write-baseline renews it")
    if settings.diff_base:
        changes = Changes(settings.diff_base, _folder(request))
        changes.verify()
        touched = tuple(f for f in result.findings if changes.touch(f.place))
        result = replace(result, findings=touched)
    return result


def _is_gone(path: Path) -> bool:
    """Whether a file of the project is there no more; of others nothing is told."""
    return bounds.allowed(path) and not path.exists()


def _folder(request: Request) -> Path:
    first = request.paths[0]
    return first if first.is_dir() else first.absolute().parent


def _identify(context: Context) -> Callable[[Finding], str]:
    return lambda finding: identity(finding, context.lines(finding.place.path))


def write_baseline(result: Result, file: Path, context: Context, tell: Tell) -> None:
    """Write all findings as a baseline. Raises PathError."""
    found = baseline.entries(result.findings, _identify(context), context.shown)
    write(file, baseline.text(found))
    here = Path.cwd()
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    tell(f"perflint: wrote {plural(len(found), 'finding')} to {shown}")


def add_ignores(result: Result, reason: str, request: Request, context: Context, tell: Tell) -> int:
    """Put comments into the sources; 1 if some finding could not be silenced, else 0."""
    done = missed = 0
    for path, found in insertion.by_file(result.findings).items():
        text = context.read(path)
        if text is None or "\N{REPLACEMENT CHARACTER}" in text:
            left: Sequence[Finding] = found
        else:
            python = path.suffix == ".py"
            book = request.book
            new, left = insertion.inserted(text, found, insertion.one_line(reason), book, python)
            if new != text:
                try:
                    write(path, new)
                except PathError as error:
                    tell(f"warning: {error}")
                    left = found
        done += len(found) - len(left)
        missed += len(left)
        for each in left:
            tell(f"warning: {context.shown(path)}:{each.place.line}: no comment can silence this")
    tell(f"perflint: silenced {plural(done, 'finding')}" + (f", not {missed}" if missed else ""))
    return 1 if missed else 0


def print_diff(result: Result, unsafe: bool, tell: Tell) -> int:
    """Print what fixing would change; 1 if it is anything. Raises PathError."""
    chosen = fixes.readable(fixes.choose(result.findings, unsafe=unsafe), Path.cwd(), tell)
    made = fixes.changes(chosen, Path.cwd())
    sys.stdout.write(fixes.unified(made, Path.cwd()))
    sys.stdout.flush()
    for line in fixes.summary(chosen, would=True):
        tell(f"perflint: {line}")
    return 1 if made else 0


def fixed(result: Result, unsafe: bool, tell: Tell, check: Callable[[], Result]) -> Result:
    """Change the sources, and what `check` finds in them then. Raises PathError.

    Of fixes that overlap one is made in a round; the next round chooses among what is found then,
    until nothing is left to change.
    """
    done: list[Finding] = []
    chosen = fixes.Fixes()
    for number in range(MOST_ROUNDS):
        chosen = fixes.choose(result.findings, unsafe=unsafe)
        chosen = fixes.readable(chosen, Path.cwd(), _unheard if number else tell)
        made, result = _round(chosen, result, tell, check)
        done += made.findings
        if not made.findings or len(made.findings) < len(chosen.findings) or result.ended:
            break
    for line in fixes.summary(replace(chosen, findings=tuple(done))):
        tell(f"perflint: {line}")
    return result


def _unheard(text: str) -> None:
    """What was told before."""


def _round(
    chosen: fixes.Fixes, before: Result, tell: Tell, check: Callable[[], Result]
) -> tuple[fixes.Fixes, Result]:
    """Make fixes that go together: those that were made, and what is found then.

    Sources that no longer compile are put back as they were: those with the error, or all if it is
    in a source that was not changed.
    """
    made = fixes.put(fixes.changes(chosen, Path.cwd()), Path.cwd(), tell)
    result = before
    while made:
        result = check()
        if result.ended or (error := fixes.broken(before, result)) is None:
            break
        path, message = error
        at = (Path.cwd() / path).resolve()
        wrong = [change for change in made if change.path.resolve() == at] or made
        fixes.take_back(wrong, Path.cwd())
        made = tuple(change for change in made if change not in wrong)
        names = ", ".join(fixes.shown(change.path, Path.cwd()) for change in wrong)
        tell(f"warning: {names}: not fixed: {path}: {message}")
    else:
        result = before
    return fixes.of_files(chosen, made), result
