"""The kernels of a file, with what the front end and the analysis know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.frontend.model import Compilation
from perflint.grammar import PtxSyntaxError
from perflint.grammar import parse as parse_ptx
from perflint.grammar.model import Module
from perflint.lint.check_run import Run as CheckRun
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load as load_rules
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.translation_units import Unit, compile_unit, read_facts, units
from perflint.stress.target import StressError


def kernels_of(file: Path, options: CheckOptions) -> tuple[list[Subject], list[str]]:
    """The kernels of a file, and why others are none. Raises StressError where there is none."""
    root = file.resolve().parent
    todo = units([file], options).units
    if not todo:
        raise StressError(f"{file}: no kernel is compiled of it")
    unit = todo[0]
    facts = read_facts(unit, root)
    run = CheckRun(options, load_rules(()), {} if facts is None else {unit.path: facts}, root)
    compilation = compile_unit(unit, options, root, facts)
    module = _module(unit, compilation)
    found = [make() for _, make in subjects(unit, module, compilation, run, dict, None)]
    lost = [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
    if not found:
        raise StressError(lost[0] if lost else f"{file}: there is no kernel in it")
    return found, lost


def _module(unit: Unit, compilation: Compilation) -> Module:
    if compilation.ptx is None:
        why = [f"{e.path}:{e.line}: {e.message}" for e in compilation.errors]
        why += [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
        raise StressError(why[0] if why else f"{unit.path}: there is no kernel in it")
    try:
        return parse_ptx(compilation.ptx, str(unit.path))
    except PtxSyntaxError as error:
        raise StressError(f"{unit.path}:{error.line}: {error.message}") from error


def chosen(found: Sequence[Subject], name: str | None) -> Subject:
    """The kernel of a name, or the only one. Raises StressError."""
    names = ", ".join(each.title for each in found)
    if name is None:
        if len(found) > 1:
            raise StressError(f"there are several kernels: say --kernel with one of {names}")
        return found[0]
    wanted = "".join(name.split())
    mine = [
        each
        for each in found
        if wanted
        in ("".join(n.split()) for n in (each.title, each.origin.kernel, each.kernel.name))
    ]
    if not mine:
        raise StressError(f"there is no kernel {name}; there is {names}")
    if len(mine) > 1:
        raise StressError(f"{name} may be any of {', '.join(e.title for e in mine)}")
    return mine[0]


def analysed(subject: Subject) -> tuple[Subject, KernelFacts]:
    """A kernel with its calls written out, and its facts. Raises StressError."""
    try:
        facts = analyse(subject.module, subject.kernel)
    except AnalysisError as error:
        raise StressError(f"{subject.path}: kernel {subject.title}: {error}") from error
    return replace(subject, kernel=facts.kernel), facts
