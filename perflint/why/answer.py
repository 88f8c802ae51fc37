"""The run that answers: the files to check for a place, checked as `perflint check` would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from perflint.base import bounds
from perflint.base.bounds import Bound
from perflint.base.user_error import UserError
from perflint.cli.check_command import files_of, sources
from perflint.cli.discovery import SUFFIXES
from perflint.cli.request import Request
from perflint.cli.settings import Source, merged
from perflint.lint.findings import Result
from perflint.lint.options import CheckOptions
from perflint.why.reply import NOT_COMPILED, Reply, concerns, reply
from perflint.why.target import Target
from perflint.work.pipeline import check


def answered(
    target: Target,
    paths: tuple[Path, ...],
    line: Source,
    finish: Callable[[CheckOptions], CheckOptions],
    say: Callable[[str], None],
) -> tuple[Reply, Bound]:
    """What a run has to say about a place, and what may be read of the files to show it.

    A header is looked at through the files that include it. Raises UserError, PathError and
    ConfigError.
    """
    plain = target.path.suffix.lower() in SUFFIXES
    own = (target.path,) if plain else includers(target.path, (*paths, target.path), line, say)
    result, request = _run((*own, *paths), line, finish, say)
    here = target.path.resolve()
    accounts = [account for account in result.accounts if concerns(account, here)]
    assumed = any(attempt.assumed for account in accounts for attempt in account.attempts)
    known = result.unanalysed or accounts
    if plain and target.path.suffix.lower() != ".ptx" and (assumed or not known):
        above = _above(target.path, request.bound())
        if above:  # device functions are code of who calls them, and launches may stand there
            result, request = _run((*(own if known else ()), *above, *paths), line, finish, say)
    return reply(target, result, request.visible(result)[0].findings, Path.cwd()), request.bound()


def _run(
    paths: tuple[Path, ...],
    line: Source,
    finish: Callable[[CheckOptions], CheckOptions],
    say: Callable[[str], None],
) -> tuple[Result, Request]:
    own = merged([line])
    request = Request(paths, (*sources(paths, own, say), line))
    options = replace(
        request.options(),
        rules=request.rules | {NOT_COMPILED},
        cache=request.cache(),
        explain=True,
    )
    request.visible(Result((), (), 0, 0))  # a wrong selector is told before the work
    return check(files_of(request).files, finish(options)), request


def includers(
    path: Path, known: tuple[Path, ...], line: Source, say: Callable[[str], None]
) -> tuple[Path, ...]:
    """The sources that include a header. Raises UserError where there is none."""
    request = Request(known, (*sources(known, merged([line]), say), line))
    found = _above(path, request.bound())
    if not found:
        raise UserError(f"{path}: no .cu file of the project includes it; name one behind it")
    return found


def _above(path: Path, bound: Bound) -> tuple[Path, ...]:
    """The CUDA sources that include a file, the nearest first."""
    from perflint.frontend.finder import project_root
    from perflint.frontend.includers import sources_above

    real = path.resolve()
    with bounds.within(bound):
        found = sources_above(project_root(real)[0], real)
    return tuple(_near(each) for each in found if each.suffix.lower() in SUFFIXES)


def _near(path: Path) -> Path:
    """A path relative to where we are, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
