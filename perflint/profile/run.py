"""`perflint profile`: from the command line's values to the printed report and the exit status."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from perflint.api import CHECKERS, Kernel, LoadError, Outcome, load, run_checked
from perflint.argument_encoding import ArgumentError, Encoded, copy_back, encode
from perflint.base import bounds
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.cli.discovery import PathError
from perflint.compare import store
from perflint.compare.schema import MetricsError, RunPlace
from perflint.profile.arguments import ArgumentSpecError, ProfileLaunch, made
from perflint.profile.cache_figures import CacheRequest, of_run
from perflint.profile.cache_plot import sweep_plot
from perflint.profile.cache_rows import CacheFigures
from perflint.profile.drawing import DrawingError, check_format, written
from perflint.profile.figures import Profile, gathered
from perflint.profile.floor_figures import Measured, floor_figures
from perflint.profile.machine_code.blocks import UnreadableCodeError
from perflint.profile.machine_code.counted import MachineCode, counted
from perflint.profile.report import as_json, as_text
from perflint.sim import LaunchError
from perflint.sim.architecture import UnknownArchitectureError
from perflint.sim.architecture import load as architecture
from perflint.sim.cache import CacheError
from perflint.sim.launch import Launch, Scalar, UnsupportedInstructionError, whole
from perflint.sim.simulation_options import RECONVERGENCE, Reconvergence
from perflint.sim.trace import Metric, Tracing
from perflint.sim.tracers import found
from perflint.sim.tracers.branch import Branch
from perflint.sim.tracers.cache_recorder import CacheRecorder
from perflint.sim.tracers.request_trace import RequestTrace
from perflint.sim.tracers.unit_work import UnitWork
from perflint.sim.tracers.watch import UnknownNameError, Watch
from perflint.view import trace_reader, trace_writer
from perflint.view.chrome_trace import as_chrome_trace

_MEMORY = 4 << 30  #: bytes of device memory images; arrays of a launch are bounded by themselves


class ProfileError(Exception):
    """Something that the user can put right."""


@dataclass(frozen=True)
class Request:
    """The values of `perflint profile`'s arguments and options."""

    file: Path
    kernel: str | None
    launch: ProfileLaunch
    arch: tuple[str, ...]  #: the first is simulated; the others' caches are replayed
    define: tuple[str, ...]
    include: tuple[Path, ...]
    budget: float  #: seconds
    save: tuple[tuple[str, Path], ...]
    watch: tuple[tuple[str, int, int | None], ...]  #: name, first byte, bytes
    tracer: tuple[str, ...]  #: names of the tracers to print; () for all
    output_format: str
    output_file: Path | None
    save_metrics: RunPlace | None = None
    reconvergence: Reconvergence | None = None  #: None for the usual one, and no other beside it
    cache: Mapping[str, Any] | None = None  #: fields of CacheRequest; None for no cache report
    floors: bool = False
    machine_code: bool = False  #: floors of machine code too
    measured: float | None = None  #: seconds that the launch took on a GPU
    clock: float | None = None  #: hertz of the multiprocessors' clock then


def profile(request: Request) -> int:
    """Run the launch, print, and return the exit status: 2 if the kernel did something wrong.

    Raises ProfileError for what the user can put right.
    """
    with bounds.within(bounds.around([request.file], request.include)):
        figures = figures_of(request)
    text = _WRITERS[request.output_format](figures)
    if request.output_file:
        _write(request.output_file, text)
    else:
        sys.stdout.write(text)
    for each in figures.errors:
        print(f"error: {each.text}", file=sys.stderr)
    return 2 if figures.errors else 0


def figures_of(request: Request) -> Profile:
    """Run the launch and return its figures. Raises ProfileError."""
    try:
        if request.save_metrics is not None:
            store.check_place(request.save_metrics)
        plotted = (request.cache or {}).get("plot")
        if plotted is not None:
            check_format(plotted)
        figures = _run(request)
        if request.save_metrics is not None:
            store.save(request.save_metrics, figures)
        return figures
    except UnsupportedInstructionError as error:
        line = f":{error.line}" if error.line else ""
        raise ProfileError(f"{request.file}{line}: {error}") from error
    except (
        LoadError,
        KeyError,
        ArgumentError,
        ArgumentSpecError,
        CacheError,
        DrawingError,
        LaunchError,
        MetricsError,
        PathError,
        UnknownArchitectureError,
    ) as error:
        raise ProfileError(str(error)) from error


def _as_trace(figures: Profile) -> str:
    return trace_writer.as_text(figures.trace or {})


def _as_chrome_trace(figures: Profile) -> str:
    return as_chrome_trace(trace_reader.decoded(figures.trace))


_WRITERS = {
    "text": as_text,
    "json": as_json,
    "trace": _as_trace,
    "chrome-trace": _as_chrome_trace,
}


def _write(path: Path, text: str | bytes) -> None:
    try:
        output.write(path, text)
    except PathError as error:
        raise ProfileError(str(error)) from error


def _run(request: Request) -> Profile:
    arch = request.arch[0]
    kernels = load(request.file, arch=arch, define=request.define, include=request.include)
    name = request.kernel or request.launch.kernel
    if name is None and len(kernels) > 1:
        raise ProfileError(
            f"{request.file} has several kernels: say --kernel {' | '.join(kernels)}"
        )
    kernel = kernels[name if name is not None else next(iter(kernels))]
    values = _values(kernel, request.launch)
    _check_saved(kernel, request.save, values)
    launch, encoded = _launch(request, kernel, values)
    trace = RequestTrace() if request.output_format.endswith("trace") else None
    others = (request.cache is not None or request.floors) and trace is None
    kept = request.save_metrics is not None  # a database is for all that can be compared
    names = _chosen(request.tracer) if request.tracer or kept or not others else []
    work = [UnitWork()] if request.floors else []
    recorders = [CacheRecorder()] if request.cache is not None else []
    tracers = {name: found()[name]() for name in names if found()[name] not in CHECKERS}
    watches = [Watch(name, first, size) for name, first, size in request.watch]
    try:
        outcome = run_checked(
            kernel,
            launch,
            arch,
            [*tracers.values(), *watches, *recorders, *work, *([trace] if trace else [])],
            whole(seconds=request.budget, memory=_MEMORY),
            reconvergence=request.reconvergence or RECONVERGENCE[0],
        )
    except UnknownNameError as error:
        raise ProfileError(str(error)) from error
    copy_back(encoded, outcome.run.buffers)
    for name, path in request.save:
        _save(path, values[name])
    checkers = {type(each).__name__: each for each in outcome.checkers}
    told = {**tracers, **checkers}
    shown = {n: told[n] for n in names}
    lines = kernel.lines(outcome.run.arch)
    figures = gathered(kernel.name, lines, request.launch, outcome, shown, watches)
    if request.reconvergence and "Branch" in figures.metrics and not figures.errors:
        figures = _beside(request, kernel, figures)
    for recorder in recorders:
        figures = replace(figures, cache=_replayed(request, kernel, recorder, outcome))
    for each in work:
        limits = architecture(outcome.run.arch)
        code = _machine_code(request, kernel, limits.name, each, outcome)
        floors = floor_figures(each, outcome.instructions, lines, limits, _measured(request), code)
        figures = replace(figures, floors=floors)
    if trace is not None:
        told = trace_writer.document(figures, trace, lines, [kernel.ptx(outcome.run.arch)])
        figures = replace(figures, trace=told)
    return figures


def _machine_code(
    request: Request, kernel: Kernel, arch: str, work: UnitWork, outcome: Outcome
) -> MachineCode | None:
    if not request.machine_code:
        return None
    try:
        return counted(kernel, arch, work.counts, outcome.run.warps)
    except UnreadableCodeError as error:
        raise ProfileError(f"--machine-code: {error}") from error


def _beside(request: Request, kernel: Kernel, figures: Profile) -> Profile:
    """The figures with the activity factors of the other mechanisms, each by a run of its own."""
    rows: dict[str, Metric] = {"reconvergence": str(request.reconvergence)}
    own = dict(figures.metrics["Branch"])
    rows["activity factor"] = own.pop("activity factor")
    for other in RECONVERGENCE:
        if other == request.reconvergence:
            continue
        branch = Branch()
        launch, _ = _launch(request, kernel, _values(kernel, request.launch))
        budget = whole(seconds=request.budget, memory=_MEMORY)
        run = run_checked(
            kernel, launch, request.arch[0], [branch], budget, check=False, reconvergence=other
        ).run
        cut = f"{branch.activity_factor:.3f} until the {run.stop.reason}" if run.stop else ""
        rows[f"activity factor, {other}"] = cut or branch.activity_factor
    return replace(figures, metrics={**figures.metrics, "Branch": {**rows, **own}})


def _measured(request: Request) -> Measured | None:
    if request.measured is None or request.clock is None:
        return None
    return Measured(request.measured, request.clock)


def _replayed(
    request: Request, kernel: Kernel, recorder: CacheRecorder, outcome: Outcome
) -> CacheFigures:
    """The launch's cache report; the plot is written where one is asked for."""
    asked = CacheRequest(**(request.cache or {}))
    lines = kernel.lines(request.arch[0])
    figures = of_run(recorder.trace, asked, request.arch, lines, outcome.instructions, outcome.run)
    if asked.plot is not None:
        drawing = sweep_plot(figures.sweep, f"{kernel.name}{request.launch.text}")
        _write(asked.plot, written(drawing, asked.plot))
    return figures


def _chosen(wanted: Sequence[str]) -> list[str]:
    """The tracers that have something to print, in order. Raises ProfileError for others."""
    known = [name for name, make in found().items() if prints(make)]
    for name in wanted:
        if name not in known:
            raise ProfileError(f"there is no tracer {name!r}; choose from {', '.join(known)}")
    return [name for name in known if name in wanted or not wanted]


def prints(make: Any) -> bool:
    """Whether a tracer has figures for a report and needs nothing to be made."""
    if getattr(make, "metrics", Tracing.metrics) is Tracing.metrics:
        return False
    needed = inspect.signature(make).parameters.values()
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in needed
    )


def _values(kernel: Kernel, launch: ProfileLaunch) -> dict[str, Any]:
    """The arguments that are given, by parameter, in order. Raises ArgumentError for others."""
    given = dict(launch.arguments)
    names = [p.name for p in kernel.parameters]
    for unknown in given.keys() - set(names):
        raise ArgumentError(
            f"{kernel.name} has no parameter {unknown!r}; it takes ({_takes(kernel)})"
        )
    return {name: made(name, given[name], seed) for seed, name in enumerate(names) if name in given}


def _takes(kernel: Kernel) -> str:
    return ", ".join(p.text for p in kernel.parameters) or "nothing"


def _launch(request: Request, kernel: Kernel, values: Mapping[str, Any]) -> tuple[Launch, Encoded]:
    """The launch, and the arrays that are given for it. Raises ArgumentError, LaunchError.

    Arrays and structures that are not given are what `check` makes of them: `perflint launches`
    prints lines without them.
    """
    given = request.launch
    mine = [p for p in kernel.parameters if p.name in values]
    encoded = encode(kernel.name, mine, list(values.values()))
    missing = [p.name for p in kernel.parameters if p.name not in values]
    told = dict(zip((p.name for p in mine), encoded.arguments, strict=True))
    base = Launch(given.grid, given.block, encoded.arguments, given.shared)
    if not missing:
        return base, encoded
    from perflint.profile.made_arguments import made_launch

    what = request.arch[0], request.define, request.include
    found = made_launch(request.file, kernel.name, given, *what)
    by_name = dict(zip((p.name for p in kernel.parameters), found.arguments, strict=True))
    if numbers := [name for name in missing if isinstance(by_name[name], Scalar)]:
        raise ArgumentError(
            f"{kernel.name} takes ({_takes(kernel)}); --launch gives no {', '.join(numbers)}"
        )
    arguments = tuple(told.get(name, argument) for name, argument in by_name.items())
    return replace(found, arguments=arguments), encoded


def _check_saved(kernel: Kernel, save: Sequence[tuple[str, Path]], values: dict[str, Any]) -> None:
    for name, path in save:
        if not isinstance(values.get(name), np.ndarray):
            arrays = ", ".join(n for n, v in values.items() if isinstance(v, np.ndarray)) or "none"
            raise ArgumentError(f"--save {name}: no array of {kernel.name}; there is {arrays}")
        if not path.absolute().parent.is_dir():
            raise ArgumentError(f"--save {path}: there is no directory {path.parent}")


def _save(path: Path, array: np.ndarray) -> None:
    try:
        output.check_links(path)
        with path.open("wb") as file:
            np.save(file, array)
    except PathError as error:
        raise ProfileError(str(error)) from error
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror}") from error
