"""Runs that asked no byte of memory: what arrays hold is nothing to them.

A kernel is tried with several fills of its arrays. Only what decides addresses and branches is
computed, and in many kernels loaded data decide neither: such a run is the same with any fill.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from perflint.base.records import dataclass
from perflint.lint.experiment import Condition
from perflint.lint.like_launches import as_value
from perflint.sim.launch import Budget, Run

MOST = 4  #: runs that are kept: those of a launch follow one another
_BY_BUDGET = "budget"  #: how the reasons end of runs that were cut short


@dataclass(frozen=True, eq=False)
class _Came:
    run: Run
    used: dict[str, Any]  #: its tracers, finished
    budget: Budget


class BlindRuns:
    """The last of a kernel's runs that looked at nothing."""

    def __init__(self) -> None:
        self._runs: dict[Hashable, _Came] = {}

    def came(
        self,
        key: Hashable,
        condition: Condition,
        budget: Budget,
        run: Run,
        used: dict[str, Any],
    ) -> None:
        """Take a run. `key` is all that it hangs on but condition and budget."""
        if run.looked or condition.launch.image is not None:
            return
        self._runs[key, without_contents(condition)] = _Came(run, used, budget)
        if len(self._runs) > MOST:
            del self._runs[next(iter(self._runs))]

    def like(
        self, key: Hashable, condition: Condition, budget: Budget
    ) -> tuple[Run, dict[str, Any]] | None:
        """The run of a condition, with its tracers, if there was one with other fills."""
        known = self._runs.get((key, without_contents(condition)))
        if known is None or not _suffices(known, budget):
            return None
        return replace(known.run, launch=condition.launch, fill=condition.fill), known.used


def without_contents(condition: Condition) -> tuple[Hashable, ...]:
    """All that a run hangs on of a condition but what arrays hold that are filled."""
    launch = condition.launch
    arguments = tuple(
        as_value(each, lambda buffer: (buffer.name, buffer.element, buffer.size))
        for each in launch.arguments
    )
    shape = launch.grid, launch.block, launch.dynamic_shared, launch.cluster, launch.parted
    return (*shape, arguments, launch.symbols, launch.copied, launch.textures)


def _suffices(known: _Came, budget: Budget) -> bool:
    """Whether a run would be the same within a budget: whatever ended it is not that."""
    stop = known.run.stop
    if stop is not None and stop.reason.endswith(_BY_BUDGET):
        return False
    alike = replace(known.budget, issued_instructions=budget.issued_instructions) == budget
    return alike and known.run.issued_instructions <= budget.issued_instructions
