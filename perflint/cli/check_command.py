"""`perflint check`: from the command line's values to the printed report and the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from perflint.base import bounds, endings
from perflint.base.streams import Guarded
from perflint.cli import config as configuration
from perflint.cli.discovery import Found, PathError, discover, not_checked
from perflint.cli.output import (
    TEXTS,
    WITHOUT_FIXES,
    Output,
    check_place,
    colored,
    outputs,
    progress,
    say,
    write,
)
from perflint.cli.request import Request
from perflint.cli.settings import Settings, Source, merged
from perflint.lint.findings import LEVELS, Result, Unanalysed
from perflint.lint.options import CheckOptions
from perflint.report.context import Context

MAX_REMARKS = 5  #: on assumptions made, shown without -v


def check(paths: tuple[Path, ...], line: Source) -> int:
    """Check, print, and return the exit status. `line` is what the command line sets.

    Raises PathError, ConfigError, UnknownSelectorError and ProcessError for what the user can put
    right.
    """
    own = merged([line])
    tell: Callable[[str], None] = (lambda _: None) if own.quiet else say
    to = outputs(own)
    if own.write_baseline:
        check_place(own.write_baseline)
    saved = Path("-") not in paths
    paths = _with_standard_input(paths, own)
    request = Request(paths, (*sources(paths, own, tell), line))
    fixes = own.fix or own.diff or not all(name in WITHOUT_FIXES for name, _ in to)
    options = replace(request.options(), cache=request.cache(), fixes=fixes)
    request.visible(Result((), (), 0, 0))  # a wrong selector is told before the work
    if not saved and options.frontend == "nvcc":
        raise PathError("-: nvcc cannot read what is not saved; leave --nvcc out")
    found = files_of(request) if saved or paths[0].exists() else Found(paths)
    for why in found.refused:
        say(f"perflint: {why}")
    if found.refused and not found.files:
        return 2
    status = _run(found, request, options, own, to, tell)
    return 2 if found.refused else status


def _run(
    found: Found,
    request: Request,
    options: CheckOptions,
    own: Settings,
    to: tuple[Output, ...],
    tell: Callable[[str], None],
) -> int:
    """Check the files, print what is found, and return the exit status."""
    for warning in found.warnings:
        tell(f"warning: {warning}")
    for code in request.unused_previews():
        tell(f"warning: {code} is in preview and does not run; --preview lets it")
    if found.files and options.frontend == "source" and request.no_compiler:
        tell(f"note: no compiler is used: {request.no_compiler}")
    for source in request.unheeded:
        tell(
            f"note: {source.origin.title} asks for nvcc, which is not used: --nvcc or "
            "--allow-nvcc, here or in your own configuration, lets it"
        )
    if own.verbose:
        files = [s.origin.title for s in request.sources[:-1]]
        tell(
            f"perflint: {', '.join(files) or 'no configuration file'}; "
            f"rules {', '.join(sorted(options.rules)) or 'none'}"
        )
        tell(f"perflint: files to check: {len(found.files)}")
    result = _checked(found, options, own)
    if result.ended and (own.add_ignore is not None or own.write_baseline or own.diff or own.fix):
        raise endings.again(result.ended)  # with half of the findings it would do half of that
    most = len(result.remarks) if own.verbose else MAX_REMARKS
    for remark in result.remarks[:most]:
        tell(f"note: {remark}")
    if len(result.remarks) > most:
        more = len(result.remarks) - most
        notes, them = ("notes", "them") if more > 1 else ("note", "it")
        tell(f"note: {more} more {notes}; -v shows {them}")
    from perflint.cli import triage  # not before the compiler is at work

    shown, hidden = request.visible(result)
    with bounds.within(request.bound()):
        context = context_of(request, shown, len(hidden))
        shown = triage.narrowed(shown, found.files, request, context, tell)
        if own.add_ignore is not None:
            return triage.add_ignores(shown, own.add_ignore, request, context, tell)
        if own.write_baseline:
            triage.write_baseline(shown, own.write_baseline, context, tell)
            return 0
        if own.diff:
            return triage.print_diff(shown, own.unsafe_fixes, tell)
        if own.fix:

            def again() -> Result:
                after, out = request.visible(_checked(found, options, own))
                now = context_of(request, after, len(out))
                return triage.narrowed(after, found.files, request, now, lambda _: None)

            shown = triage.fixed(shown, own.unsafe_fixes, tell, again)
        print_result(shown, to, request, context)
    if shown.ended:
        raise endings.again(shown.ended)
    threshold = LEVELS.index(request.settings.fail_on)
    failed = any(LEVELS.index(finding.level) >= threshold for finding in shown.findings)
    if own.exit_zero:
        return 0
    with bounds.within(request.bound()):
        problem = _unseen(result, request)
    if problem:
        say(f"perflint: {problem}; --select CU002 says why")
        return 2
    return 1 if failed else 0


def _unseen(result: Result, request: Request) -> str:
    """Why the run says too little of the kernels to be called clean; "" if it does not.

    perflint's limits do not break a build by themselves: without --require-analysed it takes that
    there are kernels in the user's own files, and that not one of all kernels was analysed.
    """
    required = request.settings.require_analysed
    found = result.kernels + len(result.unanalysed)
    if found == result.kernels:
        return ""
    if result.kernels == 0:
        # a compiler's error in the user's own code is a finding
        known = any(finding.level == "error" for finding in result.findings)
        kernels = any(_is_own_kernel(item, request) for item in result.unanalysed)
        told = required is not None or (kernels and not known)
        return "kernels were found, and none was analysed" if told else ""
    share = 100 * result.kernels / found
    if required is not None and share < required:
        return (
            f"{result.kernels} of {found} kernels were analysed, {share:.1f} %, and "
            f"--require-analysed wants {required:g} %"
        )
    return ""


def _is_own_kernel(item: Unanalysed, request: Request) -> bool:
    """Whether what was not analysed is a kernel of the paths given, or a file that has some."""
    from perflint.lint.source_text import read_source
    from perflint.work.own_places import is_own

    if not is_own(item.path, Path.cwd(), request.folders):
        return False
    if item.kernel is not None:
        return True
    text = read_source(item.path) or ""
    return "__global__" in text or ".entry" in text


def _checked(found: Found, options: CheckOptions, own: Settings) -> Result:
    if not found.files:
        return Result((), (), 0, 0)
    from perflint.work import pipeline

    with progress(own.quiet) as shown:
        return pipeline.check(found.files, replace(options, progress=shown, partial=True))


def sources(
    paths: tuple[Path, ...], own: Settings, tell: Callable[[str], None]
) -> tuple[Source, ...]:
    """The configuration files that hold: the user's own, and the project's. Raises ConfigError."""
    if own.isolated:
        return ()
    users = configuration.user_file()
    path = own.config or configuration.find(_common_directory(paths), tell)
    return tuple(configuration.load(file) for file in (users, path) if file)


def _common_directory(paths: tuple[Path, ...]) -> Path:
    """The directory that all paths lie in: where the search for a configuration begins."""
    absolute = [Path.cwd() / path for path in paths]
    directories = [path if path.is_dir() else path.parent for path in absolute]
    return Path(os.path.commonpath([directory.resolve() for directory in directories]))


def _with_standard_input(paths: tuple[Path, ...], own: Settings) -> tuple[Path, ...]:
    """The paths with the file that standard input stands for in the place of `-`."""
    if Path("-") not in paths:
        if own.stdin_filename:
            raise PathError("--stdin-filename needs the path -")
        return paths
    if len(paths) > 1:
        raise PathError("-: standard input cannot be checked together with other paths")
    from perflint.frontend.source.project.user_files import stand_in

    data = sys.stdin.buffer.read() if sys.stdin else b""
    name = own.stdin_filename or Path(f"stdin{'.ptx' if b'.version' in data[:4096] else '.cu'}")
    if why := not_checked(name, lambda: b"__global__" in data):
        raise PathError(why)
    stand_in(name, data)
    return (name,)


def files_of(request: Request, words: tuple[bytes, ...] = (b"__global__",)) -> Found:
    """The files that a request is about; headers in its folders if they hold one of the words."""
    return discover(
        request.paths,
        exclude=[(glob.base, glob.pattern) for glob in request.settings.exclude],
        force_exclude=request.settings.force_exclude,
        words=words,
    )


def context_of(request: Request, result: Result, hidden: int) -> Context:
    """What the reports may know besides the result."""
    return Context(
        root=Path.cwd(),
        rules={code: info for code, info in request.book.items() if code in request.rules},
        hidden=hidden,
        without_compiler=request.without_compiler() if result.files else "",
        summary=not request.settings.quiet,
        suppressed=request.settings.sarif_suppressed,
        silence=request.settings.explain_silence,
        unconfirmed=request.settings.show_unconfirmed,
    )


def print_result(
    result: Result, to: tuple[Output, ...], request: Request, context: Context
) -> None:
    """Print in every format asked for. Raises PathError."""
    from perflint.report import harmless, load
    from perflint.report.summary import silencing, statistics, what_next

    settings = request.settings
    for name, file in to:
        color = colored(settings.color, to_file=file is not None)
        counted = settings.statistics and name in TEXTS
        text = (statistics if counted else load(name))(result, replace(context, color=color))
        text = harmless(name, text)
        if file:
            write(file, text)
        elif name == "github" and isinstance(sys.stdout, Guarded):
            sys.stdout.commands(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
        if name == "concise" and not (counted or result.ended or settings.quiet):
            for told in (*what_next(result, context), *silencing(result)):
                say(told)  # programs read the other lines
