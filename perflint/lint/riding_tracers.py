"""Tracers of whole blocks that see what they need in a run for accesses.

Runs of both kinds may simulate the same blocks. Those for accesses may end early, pass over turns
of loops and trace only so many requests of an access; where one did none of that, another run would
show the same once more. So it is with what a multiprocessor holds where the grid is one block.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from perflint.analysis.model import KernelFacts
from perflint.lint.experiment import Condition
from perflint.rules.protocol import Scope
from perflint.sim.launch import Budget, Dim3, Launch, Run
from perflint.sim.trace import Observers
from perflint.sim.tracers import found as tracers

RIDING: tuple[Scope, ...] = ("blocks", "multiprocessor")
_Blocks = tuple[Dim3, ...]


class RidingTracers:
    """Those of a kernel's runs for accesses, and what came of these."""

    def __init__(
        self,
        facts: KernelFacts,
        wanted: Mapping[Scope, Collection[str]],
        blocks_of: Callable[[Launch, Scope], _Blocks],
    ) -> None:
        """`wanted` are the tracers that runs of each scope have, `blocks_of` says which blocks."""
        own = {scope: frozenset(wanted.get(scope, ())) for scope in RIDING if "sites" in wanted}
        self._wanted = {scope: names for scope, names in own.items() if _may_ride(names)}
        self._blocks_of = blocks_of
        #: whether the next run carries them: with loops none does, until one came to its end
        self._rides = not facts.loops
        self._loops = bool(facts.loops)
        self._whole: dict[Condition, tuple[_Blocks, Run, Mapping[str, Any]]] = {}

    def beside(self, condition: Condition, blocks: _Blocks) -> set[str]:
        """Those that ride in the run of these blocks under a condition."""
        if not self._rides or is_of_accesses(condition):
            return set()
        launch = condition.launch
        alike = [scope for scope in self._wanted if self._blocks_of(launch, scope) == blocks]
        return {name for scope in alike for name in self._wanted[scope]}

    def came(
        self, condition: Condition, blocks: _Blocks, run: Run, used: Mapping[str, Any]
    ) -> None:
        """Take what a run for accesses showed."""
        whole = run.stop is None and run.traced_all and not run.passed
        if whole and self._wanted:
            self._whole[condition] = blocks, run, used
        if self._loops:
            self._rides = whole

    def seen(
        self, condition: Condition, names: Collection[str], blocks: _Blocks, budget: Budget
    ) -> tuple[Run, dict[str, Any]] | None:
        """The run of these blocks that there was already, as tracers of these names saw it."""
        ran, run, used = self._whole.get(condition, ((), None, {}))
        if run is None or ran != blocks or not names or not used.keys() >= set(names):
            return None
        if run.issued_instructions > budget.issued_instructions:
            return None
        own = {name: used[name] for name in sorted(names)}
        if any(getattr(tracer, "filled", 0) >= 1 for tracer in own.values()):
            return None  # a run of their own would have ended there
        requests = run.requests if Observers.of(tuple(own.values())).memory else {}
        return replace(run, tracers=tuple(own.values()), requests=requests), own


def is_of_accesses(condition: Condition) -> bool:
    """Whether a condition says how accesses look, and nothing of whole blocks."""
    return condition.identity or bool(condition.unit_stride)


def _may_ride(names: Collection[str]) -> bool:
    """Whether these want no more computed than runs for accesses compute."""
    observers = Observers.of([tracers()[name]() for name in names])
    return bool(names) and not observers.values and not observers.results
