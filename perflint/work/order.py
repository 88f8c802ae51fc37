"""In which order the files of a run are checked, and which kernels each need not be checked for.

What a file includes is compiled with it, as the project compiles it: a header that is given too
comes after the files that include it, and only for the kernels that none of these brought.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.span import Span
from perflint.lint.check_run import Facts, includes
from perflint.lint.findings import FileResult
from perflint.lint.translation_units import Unit


class Order:
    """The files of a run, by their numbers, with what came of them so far.

    `facts` are, by the file given, those of itself, which come first, and of what it includes.
    """

    def __init__(self, units: Sequence[Unit], facts: Mapping[Path, Facts]) -> None:
        self._units, self._facts = units, facts
        self.results: dict[int, FileResult] = {}
        self._before: defaultdict[int, set[int]] = defaultdict(set)
        self._after: defaultdict[int, set[int]] = defaultdict(set)
        numbers: defaultdict[tuple[Path, str], list[int]] = defaultdict(list)
        for number, unit in enumerate(units):
            numbers[unit.path, unit.arch].append(number)
        included = includes(facts)
        for first, unit in enumerate(units):
            for path in included.get(unit.path, ()):
                for second in numbers[path, unit.arch]:
                    self._before[second].add(first)
                    self._after[first].add(second)

    def is_ready(self, number: int) -> bool:
        """Whether a file can be checked: nothing has come of it, but of all that come before."""
        return number not in self.results and self._before[number] <= self.results.keys()

    def elsewhere(self, number: int) -> frozenset[Span]:
        """The names of the kernels that files before this one were checked for."""
        return frozenset().union(*(self.results[first].sources for first in self._before[number]))

    def without_check(self, number: int) -> FileResult | None:
        """What is to be said of a file if others were checked for all that it has."""
        if not self._before[number]:
            return None
        path = self._units[number].path
        main = next(iter(self._facts[path].values()))
        covered = {kernel.name_span for kernel in main.kernels} <= self.elsewhere(number)
        return FileResult(path, (), (), (), complete=True) if covered else None

    def took(self, number: int, result: FileResult) -> Collection[int]:
        """Take what came of a file, and return those that can be checked now, in order.

        A file is no more complete than those that were checked in its place.
        """
        before = [self.results[first] for first in self._before[number]]
        self.results[number] = replace(
            result,
            complete=result.complete and all(each.complete for each in before),
            repeats=result.repeats and all(each.repeats for each in before),
        )
        return sorted(filter(self.is_ready, self._after[number]))
