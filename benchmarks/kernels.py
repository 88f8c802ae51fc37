"""The kernels of a folder as `perflint check` gets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.cli.discovery import discover
from perflint.lint.check_run import Run
from perflint.lint.opened import checked_kernels, opened
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import Ruleset
from perflint.lint.subject import Subject
from perflint.lint.translation_units import compile_unit, read_facts, units


def kernels(
    paths: Sequence[Path], root: Path, rules: Ruleset, codes: frozenset[str]
) -> Iterator[tuple[Subject, KernelFacts]]:
    """Each kernel that can be compiled and analysed, its account asked for."""
    options = CheckOptions(rules=codes, root=root)
    found = units(discover(list(paths)).files, options).units
    given = {u.path: f for u in found if (f := read_facts(u, root.resolve(), None)) is not None}
    run = Run(options, rules, given, root.resolve())
    for unit in found:
        file = opened(compile_unit(unit, options, run.root), unit)
        for _, make in checked_kernels(file, unit, run):
            subject = replace(make(), explain=True)
            try:
                yield subject, analyse(subject.module, subject.kernel)
            except AnalysisError:
                continue
