"""A suite run again: its launches of the kernel as that is now, and the figures that differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.base.records import dataclass
from perflint.lint.options import CheckOptions
from perflint.lint.subject import Subject
from perflint.report.context import number
from perflint.stress.guided import ScheduleError
from perflint.stress.interference import KEY, again
from perflint.stress.kernels import analysed, kernels_of
from perflint.stress.objectives import MEASURES, Figure
from perflint.stress.suite import identity
from perflint.stress.suite_reader import Expected, Stored, folders, read
from perflint.stress.target import Slot, StressError, Target
from perflint.stress.trial import Limits, Outcome, of_arrays


@dataclass(frozen=True)
class Difference:
    """A figure that is another one now."""

    case: str
    objective: str
    identity: str
    expected: Figure
    found: Figure | None
    why: str = ""  #: where there is none now

    @property
    def text(self) -> str:
        metric = MEASURES[self.objective].metric
        now = self.why if self.found is None else _shown(self.found)
        return f"{self.case}: {self.identity}: {metric} {_shown(self.expected)}, now {now}"


def _shown(figure: Figure) -> str:
    return f"{number(figure.mean)} ({figure.amount:,} in {figure.over:,})"


def replay(suite: Path, include: tuple[Path, ...] = (), *, as_json: bool) -> int:
    """Run every case again, print, and return 1 where a figure differs. Raises StressError.

    A suite names the source and its headers, and may be a stranger's: they are read in the folder
    that the suite lies in, in its project and below the folders of `include`, nowhere else.
    """
    with bounds.within(bounds.around([suite.absolute().parent], include)):
        stored = [read(folder) for folder in folders(suite)]
        differences = _all_differences(stored, include)
    sys.stdout.write(_json(stored, differences) if as_json else _text(stored, differences))
    return 1 if differences else 0


def _all_differences(stored: list[Stored], include: tuple[Path, ...]) -> list[Difference]:
    options = CheckOptions(rules=frozenset(), bound=bounds.current())
    compiled: dict[object, list[Subject]] = {}
    differences: list[Difference] = []
    for case in stored:
        key = case.file, case.define, case.include, case.arch
        if key not in compiled:
            searched = (*case.include, *include)
            given = replace(options, define=case.define, include=searched, arch=(case.arch,))
            compiled[key] = kernels_of(case.file, given)[0]
        differences += _differences(case, compiled[key])
    return differences


def _differences(case: Stored, subjects: list[Subject]) -> Iterator[Difference]:
    mine = [each for each in subjects if each.kernel.name == case.entry]
    if not mine:
        names = ", ".join(each.title for each in subjects)
        raise StressError(f"{case.file}: has no kernel {case.entry} any more; there is {names}")
    target = _target(case, mine[0])
    outcome = _outcome(target, case)
    for each in case.expected:
        found, why = _found(target, outcome, each)
        if found != each.figure:
            yield Difference(case.name, each.key[0], each.identity, each.figure, found, why)


def _outcome(target: Target, case: Stored) -> Outcome:
    if case.order is None:
        return of_arrays(target, case.arrays, Limits())
    try:
        found = again(target, case.arrays, case.order.given, case.order.warps)
    except ScheduleError as error:
        return Outcome(wrong=f"the launch has no such order of warps: {error}")
    return Outcome({KEY: found})


def _target(case: Stored, subject: Subject) -> Target:
    subject, facts = analysed(subject)
    slots = tuple(
        Slot(name, (0, 0), array.dtype, array.shape, False, array, "")
        for name, array in case.arrays.items()
    )
    threads = case.blocks * case.launch.threads_per_block  # as many blocks as then
    return Target(subject, facts, case.launch, slots, threads=threads)


def _found(target: Target, outcome: Outcome, expected: Expected) -> tuple[Figure | None, str]:
    objective, place = expected.key
    known = {"access": len(target.facts.sites), "branch": len(target.facts.branches), "kernel": 1}
    if place.index >= known[place.kind] or identity(target, place) != expected.identity:
        return None, "the kernel has no such place any more"
    found = outcome.figures.get((objective, place))
    return found, "" if found else outcome.wrong or "nothing comes there"


def _text(stored: list[Stored], differences: list[Difference]) -> str:
    figures = sum(len(each.expected) for each in stored)
    lines = [each.text for each in differences]
    same = figures - len(differences)
    lines.append(f"{len(stored)} cases run again: {same} of {figures} figures are the same")
    return "".join(f"{line}\n" for line in lines)


def _json(stored: list[Stored], differences: list[Difference]) -> str:
    data: dict[str, Any] = {
        "cases": [each.name for each in stored],
        "figures": sum(len(each.expected) for each in stored),
        "differences": [
            {
                "case": each.case,
                "objective": each.objective,
                "identity": each.identity,
                "expected": vars(each.expected),
                "found": vars(each.found) if each.found else None,
                "message": each.text,
            }
            for each in differences
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
