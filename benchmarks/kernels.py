"""The kernels of a folder as `perflint check` gets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.cli.discovery import discover
from perflint.grammar import PtxSyntaxError, parse
from perflint.lint.check_run import Run
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import Ruleset
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.translation_units import compile_unit, read_facts, units
from perflint.work.filecheck import recompile


def kernels(
    paths: Sequence[Path], root: Path, rules: Ruleset, codes: frozenset[str]
) -> Iterator[tuple[Subject, KernelFacts]]:
    """Each kernel that can be compiled and analysed, its account asked for."""
    options = CheckOptions(rules=codes, root=root)
    found = units(discover(list(paths)).files, options).units
    given = {u.path: f for u in found if (f := read_facts(u, root.resolve(), None)) is not None}
    run = Run(options, rules, given, root.resolve())
    for unit in found:
        compilation = compile_unit(unit, options, run.root)
        try:
            module = parse(compilation.ptx or "", str(unit.path))
        except PtxSyntaxError:
            continue
        if compilation.ptx is None:
            continue
        figures = cache(partial(frontend.resources, compilation))
        again = partial(recompile, unit, run, compilation)
        for _, make in subjects(unit, module, compilation, run, figures, again):
            subject = replace(make(), explain=True)
            try:
                yield subject, analyse(subject.module, subject.kernel)
            except AnalysisError:
                continue
