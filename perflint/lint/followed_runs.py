"""Runs of inputs that are being made, followed symbolically: each is made once for a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.base.records import dataclass
from perflint.lint.experiment import Condition, Plan
from perflint.lint.free_inputs import Free, FreeArgument, arrays_of, number_of
from perflint.sim.trace import Setting
from perflint.symbolic.followed import Condition as Asked
from perflint.symbolic.followed import Inputs
from perflint.symbolic.terms import Terms
from perflint.symbolic.trace import SymbolicTrace

QUESTIONS = 12  #: to z3, for one kernel
CONDITIONS, PREFIX = 256, 16  #: that are followed of a run, and of each thread
LEAST_FOLLOWED = 200  #: instructions that each run which is followed may issue at least

#: Simulates what a condition's trial would, followed by a tracer, within so many instructions. How
#: many it issued, and whether it came to its end.
Follow = Callable[[Condition, SymbolicTrace, int], tuple[int, bool]]
Place = tuple[int, int, int]  #: a branch's position, how many came before it, and the warp
Elements = Mapping[str, Mapping[int, Any]]  #: by array: those that are not as its fill has them


@dataclass
class Allowance:
    """What is left to a kernel for inputs that are made."""

    instructions: int  #: issued by runs that are followed
    questions: int = QUESTIONS
    #: what was found already: accesses of a launch begin with one input, and are led to by the same
    #: branches. It is paid for all the same, so that results are those of asking anew.
    begun: dict[Condition, Input] = field(default_factory=dict)
    followed: dict[Input, FollowedRun] = field(default_factory=dict)
    turned: dict[tuple[FollowedRun, Place], tuple[Input | None, int]] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """Instructions of the next run: half of what is left."""
        return max(LEAST_FOLLOWED, self.instructions // 2)


@dataclass(frozen=True, eq=False)
class Input:
    """An input as far as it is made."""

    base: Condition  #: with the arguments, and arrays as they are filled
    condition: Condition  #: with the elements, too
    elements: Elements = field(default_factory=dict)
    arguments: Mapping[int, int] = field(default_factory=dict)  #: by parameter


class _Trace(SymbolicTrace):
    """Keeps the setting, too."""

    def begin(self, setting: Setting) -> None:
        super().begin(setting)
        self.setting = setting


@dataclass(frozen=True, eq=False)
class FollowedRun:
    """A run of an input, and what of it may be another."""

    given: Input
    free: Free
    trace: _Trace
    issued: int
    ended: bool  #: by itself

    @property
    def setting(self) -> Setting:
        return self.trace.setting

    @cached_property
    def _regions(self) -> Mapping[str, int]:
        return {each.name: each.region for each in self.setting.allocations}

    def value_in(self, terms: Terms, variable: int) -> Any:
        """What the run's input gave a variable, as the solver has it."""
        kind, sort, name, *index = terms.all[variable]
        if kind == "scalar":
            return number_of(self.free.arguments[name].value, sort)
        return number_of(self.element(name, index[0]), sort)

    def element(self, name: str, index: int) -> Any:
        """What the run's input has in an element."""
        changed = self.given.elements.get(name, {})
        return changed[index] if index in changed else self._first(name, np.array([index]))[0]

    def _first(self, name: str, index: np.ndarray) -> np.ndarray:
        return self.free.arrays[name].first(self.given.base.fill, index, self._regions[name])

    def data(self, elements: Elements) -> dict[str, np.ndarray]:
        """Arrays with some elements set, up to the last of these; behind it the fill goes on."""
        out = {}
        for name, changed in elements.items():
            out[name] = self._first(name, np.arange(max(changed) + 1)).copy()
            out[name][list(changed)] = list(changed.values())
        return out

    def goes(self, asked: Asked) -> np.ndarray:
        """Which threads take a branch, or carry out a guarded instruction, (m,) bool."""
        guard = self.setting.instructions[asked.position].guard
        return np.asarray(asked.holds ^ (guard is not None and guard.negated))


def followed(
    facts: KernelFacts, plan: Plan, given: Input, follow: Follow, left: Allowance
) -> FollowedRun:
    run = left.followed.get(given)
    if run is None or not run.ended or run.issued > left.most:
        run = left.followed[given] = _followed_anew(facts, plan, given, follow, left.most)
    left.instructions -= run.issued
    return run


def _followed_anew(
    facts: KernelFacts, plan: Plan, given: Input, follow: Follow, most: int
) -> FollowedRun:
    parameters = facts.kernel.parameters
    arguments = {
        parameters[i].name: FreeArgument(i, value, f"b{8 * parameters[i].size}")
        for i, value in plan.open_arguments(given.arguments).items()
    }
    free = Free(arrays_of(facts, given.base.launch), arguments)
    sorts = {name: each.sort for name, each in free.arrays.items()}
    inputs = Inputs(sorts, {name: each.sort for name, each in arguments.items()})
    trace = _Trace(inputs, CONDITIONS, PREFIX)
    issued, ended = follow(given.condition, trace, most)
    return FollowedRun(given, free, trace, issued, ended)
