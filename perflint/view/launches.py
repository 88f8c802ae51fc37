"""The launches of a file that a page is to show, each run once with its requests recorded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError
from perflint.base.launch_option import LaunchSpec
from perflint.base.user_error import UserError
from perflint.debug_lines import Lines
from perflint.grammar import PtxSyntaxError, parse
from perflint.lint.check_kernel import tried_launches
from perflint.lint.check_run import Run
from perflint.lint.experiment import Plan
from perflint.lint.launch_text import spell_launch
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.translation_units import compile_unit, read_facts, units
from perflint.lint.worlds import Origin
from perflint.profile.cache_figures import CacheRequest
from perflint.profile.simulated import measured
from perflint.sim import LaunchError
from perflint.sim.cache import CacheError
from perflint.sim.launch import Scalar, UnsupportedInstructionError
from perflint.sim.tracers.request_trace import RequestTrace
from perflint.view.trace_writer import document

MOST = 8  #: launches of a page


class ViewError(UserError):
    """Something that the user can put right."""


def of_files(
    paths: Sequence[Path],
    options: CheckOptions,
    specs: Sequence[LaunchSpec],
    wanted: str | None,
    seconds: float,
    cache: CacheRequest | None = None,
) -> Iterator[dict[str, Any]]:
    """A trace document of each kernel of some files, launched as `check` launches it first.

    Kernels are those that `specs` launch, else the one `wanted`, else all. Raises ViewError for a
    file of which nothing can be shown.
    """
    root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    for unit in units(paths, options).units:
        made, why = 0, ""
        facts = read_facts(unit, root)
        compilation = compile_unit(unit, options, root, facts)
        if compilation.ptx is None:
            told = [f"{e.path}:{e.line}: {e.message}" for e in compilation.errors]
            told += [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
            raise ViewError(next(iter(told), f"{unit.path}: there is no kernel in it"))
        try:
            module = parse(compilation.ptx, str(unit.path))
        except PtxSyntaxError as error:
            raise ViewError(f"{unit.path}:{error.line}: {error.message}") from error
        known = {unit.path: facts} if facts is not None else {}
        run = Run(options, load(()), known, root)
        for _, make in subjects(unit, module, compilation, run, dict, None):
            subject = make()
            if not _is_wanted(subject, specs, wanted):
                continue
            lines = Lines.of(unit.path, subject.kernel, compilation.facts.values())
            try:
                yield _traced(subject, _first(subject), lines, compilation.ptx, seconds, cache)
                made += 1
            except (AnalysisError, CacheError, LaunchError, UnsupportedInstructionError) as error:
                why = f"{unit.path}: kernel {subject.title}: {error}"
        if why or not made:
            names = ", ".join(f.name for f in module.kernels) or "no kernel"
            asked = wanted or ", ".join(spec.kernel for spec in specs)
            raise ViewError(why or f"{unit.path}: no kernel {asked}; there is {names}")


def _is_wanted(subject: Subject, specs: Sequence[LaunchSpec], wanted: str | None) -> bool:
    names = {subject.title, subject.origin.kernel, subject.kernel.name}
    if specs:
        return bool(subject.specs)
    return wanted is None or wanted in names


def _first(subject: Subject) -> Plan:
    """The launch that is tried first. Raises AnalysisError, LaunchError."""
    plans, _ = tried_launches(subject, analyse(subject.module, subject.kernel))
    if not plans:
        raise LaunchError("no launch of it can be read; say --launch")
    return plans[0]


def _traced(
    subject: Subject, plan: Plan, lines: Lines, ptx: str, seconds: float, cache: CacheRequest | None
) -> dict[str, Any]:
    condition = plan.conditions[0]
    launch = condition.launch
    values = {
        name: (argument.value, condition.origins.values.get(index, Origin()))
        for index, (name, argument) in enumerate(
            zip(subject.parameters, launch.arguments, strict=True)
        )
        if isinstance(argument, Scalar)
    }
    text = spell_launch("", launch, values)
    recorder = RequestTrace()
    figures = measured(
        subject.module, subject.kernel, launch, subject.arch, subject.title, text, lines,
        fill=condition.fill, seconds=seconds, tracers=[recorder],
        cache=cache,
    )  # fmt: skip
    return document(figures, recorder, lines, [ptx])


def kernels_of(paths: Sequence[Path], options: CheckOptions) -> list[str]:
    """The kernels of some files, each name once."""
    root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    names: dict[str, None] = {}
    for unit in units(paths, options).units:
        compilation = compile_unit(unit, options, root, read_facts(unit, root))
        names |= dict.fromkeys(origin.kernel for origin in compilation.entries.values())
    return list(names)
