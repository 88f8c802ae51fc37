"""The launches of a file that a page is to show, each run once with its requests recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perflint.analysis.model import AnalysisError
from perflint.base import bounds
from perflint.base.launch_option import LaunchSpec
from perflint.base.records import dataclass
from perflint.base.user_error import UserError
from perflint.cli.output import say
from perflint.debug_lines import Lines
from perflint.frontend.model import Compilation
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.lint.check_kernel import tried_launches
from perflint.lint.check_run import Run
from perflint.lint.experiment import Plan
from perflint.lint.launch_text import spell_launch
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.told_arrays import analysed
from perflint.lint.translation_units import Unit, compile_unit, read_facts, units
from perflint.lint.world_model import Origin
from perflint.profile.cache_figures import CacheRequest
from perflint.profile.simulated import blocks_within, measured
from perflint.sim import LaunchError
from perflint.sim.cache import CacheError
from perflint.sim.device_runtime import linked
from perflint.sim.launch import Scalar, UnsupportedInstructionError
from perflint.sim.tracers.request_trace import RequestTrace
from perflint.view.trace_writer import document

MOST = 8  #: launches of a page
#: Warp instructions of a launch whose arrays nobody gave: more than a page can show one by one.
MOST_WORK = 1_000_000


class ViewError(UserError):
    """Something that the user can put right."""


@dataclass(frozen=True)
class Wanted:
    """What is to be shown of some files, and how it is measured."""

    specs: tuple[LaunchSpec, ...]  #: launches given; no others are shown then
    kernel: str | None  #: the only kernel to show; None for all
    seconds: float  #: that the simulation of one launch may take
    cache: CacheRequest | None = None  #: through which it is replayed

    def has(self, subject: Subject) -> bool:
        names = {subject.title, subject.origin.kernel, subject.kernel.name}
        of_it = self.kernel is None or self.kernel in names
        return of_it and (bool(subject.specs) or not self.specs)


def of_files(
    paths: Sequence[Path], options: CheckOptions, wanted: Wanted
) -> Iterator[dict[str, Any]]:
    """A trace document of each kernel of some files, launched as `check` launches it first.

    The files' launches serve each other. What cannot be shown is told on stderr. Raises ViewError
    where nothing can.
    """
    root = bounds.shared(paths)
    todo = units(paths, options).units
    read = {unit.path: facts for unit in todo if (facts := read_facts(unit, root)) is not None}
    run = Run(options, load(()), read, root)
    made = 0
    why: list[str] = []  # what could not be shown
    names: list[str] = []
    for unit in todo:
        compilation = compile_unit(unit, options, root, read.get(unit.path))
        module = _module(unit, compilation, why)
        if module is None:
            continue
        names += [kernel.name for kernel in module.kernels]
        for _, make in subjects(unit, module, compilation, run, dict, None):
            subject = make()
            if not wanted.has(subject):
                continue
            lines = Lines.of(unit.path, subject.kernel, compilation.facts.values())
            try:
                yield _traced(subject, lines, compilation.ptx or "", wanted)
                made += 1
            except (AnalysisError, CacheError, LaunchError, UnsupportedInstructionError) as error:
                why.append(f"{unit.path}: kernel {subject.title}: {error}")
    if not made:
        asked = wanted.kernel or ", ".join(spec.kernel for spec in wanted.specs)
        listed = ", ".join(names) or "none"
        raise ViewError(why[0] if why else f"there is no kernel {asked}; there is {listed}")
    for text in why:
        say(f"note: {text}")


def _module(unit: Unit, compilation: Compilation, why: list[str]) -> Module | None:
    """The PTX of a file; None, and the reason in `why`, where there is none to read."""
    why += [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
    if compilation.ptx is None:
        errors = [f"{e.path}:{e.line}: {e.message}" for e in compilation.errors]
        why += errors[:1] or (
            [] if compilation.lost else [f"{unit.path}: there is no kernel in it"]
        )
        return None
    try:
        return linked(parse(compilation.ptx, str(unit.path)))
    except PtxSyntaxError as error:
        why.append(f"{unit.path}:{error.line}: {error.message}")
        return None


def _first(subject: Subject) -> Plan:
    """The launch that is tried first. Raises AnalysisError, LaunchError."""
    plans, _ = tried_launches(subject, *analysed(subject))
    if not plans:
        raise LaunchError("no launch of it can be read; say --launch")
    return plans[0]


def _traced(subject: Subject, lines: Lines, ptx: str, wanted: Wanted) -> dict[str, Any]:
    condition = _first(subject).conditions[0]
    launch = condition.launch
    values = {
        name: (argument.value, condition.origins.values.get(index, Origin()))
        for index, (name, argument) in enumerate(
            zip(subject.parameters, launch.arguments, strict=True)
        )
        if isinstance(argument, Scalar)
    }
    text = spell_launch("", launch, values)
    what = subject.module, subject.kernel, launch, subject.arch
    blocks = blocks_within(*what, condition.fill, MOST_WORK)
    recorder = RequestTrace()
    figures = measured(
        *what, subject.title, text, lines, fill=condition.fill, seconds=wanted.seconds,
        blocks=blocks, instructions=2 * MOST_WORK, tracers=[recorder], cache=wanted.cache,
    )  # fmt: skip
    return document(figures, recorder, lines, [ptx])


def kernels_of(paths: Sequence[Path], options: CheckOptions) -> list[str]:
    """The kernels of some files, each name once."""
    root = bounds.shared(paths)
    names: dict[str, None] = {}
    for unit in units(paths, options).units:
        compilation = compile_unit(unit, options, root, read_facts(unit, root))
        names |= dict.fromkeys(origin.kernel for origin in compilation.entries.values())
    return list(names)
