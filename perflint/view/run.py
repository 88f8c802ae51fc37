"""`perflint view`: from the command line's values to the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.base.launch_option import LaunchSpec
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.cli.check_command import files_of, sources
from perflint.cli.discovery import PathError
from perflint.cli.request import Request as CheckRequest
from perflint.cli.settings import Source, merged
from perflint.frontend.source.project.user_files import UnreadableError, read_bytes
from perflint.lint.options import DEFAULT_ARCH, CheckOptions
from perflint.profile.arguments import ProfileLaunch
from perflint.profile.cache_figures import CacheRequest
from perflint.profile.run import ProfileError, figures_of
from perflint.profile.run import Request as ProfileRequest
from perflint.view import finding_rows, launches, recorded
from perflint.view.launches import MOST, ViewError, Wanted
from perflint.view.page_writer import page
from perflint.view.trace_reader import MOST_BYTES, TraceError, read

_NAME = 60  #: characters of a page's name that a kernel gives


@dataclass(frozen=True)
class Request:
    """The values of `perflint view`'s arguments and options."""

    words: tuple[str, ...]  #: files, or a command
    launches: tuple[ProfileLaunch, ...]
    kernel: str | None
    compare: bool
    run: bool
    findings: bool
    cache_report: bool
    seconds: float
    output_file: Path | None
    line: Source  #: how files are read, as the command line says


def view(request: Request) -> int:
    """Write the page and return the exit status. Raises UserError for what the user can put right.

    A kernel that does what it must not is shown as far as it came, and the status is 2.
    """
    own = merged([request.line])
    found = list(_documents(request))
    if not found:
        raise ViewError("there is no launch to show")
    if len(found) >= MOST:
        output.say(f"note: a page shows {MOST} launches at most: --kernel and --launch choose")
    found = found[:MOST]
    if request.compare and len(found) < 2:
        raise ViewError("--compare needs two launches")
    traces = [_checked(json.dumps(each), "the trace") for each in found]
    to = request.output_file or _named(found[0])
    try:
        output.write(to, page(traces, request.compare))
    except PathError as error:
        raise ViewError(str(error)) from error
    for each in found:
        for wrong in each["profile"]["errors"]:
            output.say(f"error: {wrong['filename']}:{wrong['row']}: {wrong['message']}")
    if not own.quiet:
        noun = "launch" if len(found) == 1 else "launches"
        output.say(f"perflint: {to} shows {len(found)} {noun}")
    return 2 if any(each["profile"]["errors"] for each in found) else 0


def _named(document: dict[str, Any]) -> Path:
    """`KERNEL.html` in the working directory."""
    name = re.sub(r"[^\w.-]+", "_", document["profile"]["kernel"]).strip("_.")[:_NAME]
    return Path(f"{name or 'view'}.html")


def _documents(request: Request) -> Iterator[dict[str, Any]]:
    if request.run:
        if request.cache_report:
            raise ViewError("--cache-report is for files: leave --run")
        if request.launches or request.kernel:
            raise ViewError("--run shows what the program launches: leave --launch and --kernel")
        yield from recorded.of_program(request.words, request.line, request.findings)
        return
    paths = [Path(word) for word in request.words]
    stored = [path for path in paths if path.suffix.lower() == ".json"]
    if stored and len(stored) < len(paths):
        raise ViewError("traces and sources do not go together: make a trace of each first")
    if stored:
        for path in stored:
            yield dict(_checked(_text(path), str(path)).data)
        return
    yield from _simulated(request, tuple(paths))


def _checked(text: str, name: str) -> Any:
    try:
        return read(text)
    except TraceError as error:
        raise ViewError(f"{name}: {error}") from error


def _text(path: Path) -> str:
    try:
        return read_bytes(path, MOST_BYTES).decode("utf-8")
    except UnreadableError as error:
        raise ViewError(f"{path}: {error}") from error
    except UnicodeDecodeError:
        raise ViewError(f"{path}: is no text") from None


def _simulated(request: Request, paths: tuple[Path, ...]) -> list[dict[str, Any]]:
    """The launches of source files, with what `check` finds in these."""
    asked = CheckRequest(paths, (*sources(paths, merged([request.line]), output.say), request.line))
    options = asked.options()
    if len(options.arch) > 1:
        raise ViewError("a page simulates one GPU and shows all: give --arch once")
    files = files_of(asked).files
    if not files:
        raise ViewError("there is no .cu, .cuh or .ptx file to show")
    whole = [each for each in request.launches if _has_arrays(each)]
    specs = [_spec(each, request.kernel) for each in request.launches if each not in whole]
    with bounds.within(asked.bound()):  # a page shows nothing but the project's files
        options = _with_names(replace(options, launches=tuple(specs)), specs, files)
        found = _run(request, options, files, whole)
    if not request.findings:
        return found
    profiled = map(finding_rows.launch_of, found[len(found) - len(whole) :])
    tried = {spec.kernel: spec for spec in (*profiled, *options.launches)}
    told = replace(options, launches=tuple(tried.values()))
    findings = finding_rows.found_in(files, told, asked)
    return [finding_rows.with_findings(each, findings) for each in found]


def _run(
    request: Request,
    options: CheckOptions,
    files: Sequence[Path],
    whole: Sequence[ProfileLaunch],
) -> list[dict[str, Any]]:
    """Documents of launches as `check` tries them, then of those with arrays."""
    sizes = (options.cache_size,) if options.cache_size else ()
    cache = CacheRequest(sizes) if request.cache_report else None
    found: list[dict[str, Any]] = []
    if options.launches or not whole:
        wanted = Wanted(options.launches, request.kernel, request.seconds, cache)
        found += islice(launches.of_files(files, options, wanted), MOST)
    for number, each in enumerate(whole):
        file = files[min(number, len(files) - 1)]
        found.append(_profiled(request, each, file, options, cache))
    return found


def _has_arrays(launch: ProfileLaunch) -> bool:
    """Whether a launch says what its arrays hold, as `perflint profile` takes it."""
    return any(not isinstance(value, int | float) for _, value in launch.arguments)


def _spec(launch: ProfileLaunch, kernel: str | None) -> LaunchSpec:
    numbers = tuple((n, v) for n, v in launch.arguments if isinstance(v, int | float))
    name = launch.kernel or kernel or ""
    return LaunchSpec(name, launch.grid, launch.block, launch.shared, numbers)


def _with_names(
    options: CheckOptions, specs: Sequence[LaunchSpec], files: Sequence[Path]
) -> CheckOptions:
    """Launches that name no kernel are of the only one."""
    if all(spec.kernel for spec in specs):
        return options
    names = launches.kernels_of(files, options)
    if len(names) != 1:
        listed = ", ".join(names) or "none"
        raise ViewError(f"say which kernel to launch, as in 'k<<<64,256>>>': there is {listed}")
    return replace(
        options, launches=tuple(replace(spec, kernel=spec.kernel or names[0]) for spec in specs)
    )


def _profiled(
    request: Request,
    launch: ProfileLaunch,
    file: Path,
    options: CheckOptions,
    cache: CacheRequest | None,
) -> dict[str, Any]:
    asked = ProfileRequest(
        file=file,
        kernel=request.kernel,
        launch=launch,
        arch=options.arch or (DEFAULT_ARCH,),
        define=options.define,
        include=options.include,
        budget=request.seconds,
        save=(),
        watch=(),
        tracer=(),
        output_format="trace",
        output_file=None,
        cache=None if cache is None else {"sizes": cache.sizes},
    )
    try:
        return dict(figures_of(asked).trace or {})
    except ProfileError as error:
        raise ViewError(str(error)) from error
