"""Tracers of whole blocks that see what they need in a run for accesses.

Runs of both kinds simulate the same blocks. Those for accesses may end early, pass over turns of
loops and trace only so many requests of an access; where one did none of that, another run would
show the same once more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from perflint.analysis.model import KernelFacts
from perflint.lint.experiment import Condition
from perflint.sim.launch import Budget, Run
from perflint.sim.trace import Observers
from perflint.sim.tracers import found as tracers


class RidingTracers:
    """Those of a kernel's runs for accesses, and what came of these."""

    def __init__(self, facts: KernelFacts, names: Collection[str]) -> None:
        """`names` are the tracers that runs of whole blocks have."""
        self._wanted = frozenset(names) if _may_ride(names) else frozenset()
        #: those that the next run carries: with loops none, until one came to its end
        self.names = frozenset() if facts.loops else self._wanted
        self._loops = bool(facts.loops)
        self._whole: dict[Condition, tuple[Run, Mapping[str, Any]]] = {}

    def came(self, condition: Condition, run: Run, used: Mapping[str, Any]) -> None:
        """Take what a run for accesses showed."""
        whole = run.stop is None and run.traced_all and not run.passed
        if whole and self._wanted and used.keys() >= self._wanted:
            self._whole[condition] = run, used
        if self._loops:
            self.names = self._wanted if whole else frozenset()

    def seen(
        self, condition: Condition, names: Collection[str], budget: Budget
    ) -> tuple[Run, dict[str, Any]] | None:
        """The run of whole blocks that there was already, as tracers of these names saw it."""
        run, used = self._whole.get(condition, (None, {}))
        if run is None or not used.keys() >= set(names):
            return None
        if run.issued_instructions > budget.issued_instructions:
            return None
        own = {name: used[name] for name in sorted(names)}
        requests = run.requests if Observers.of(tuple(own.values())).memory else {}
        return replace(run, tracers=tuple(own.values()), requests=requests), own


def _may_ride(names: Collection[str]) -> bool:
    """Whether these want no more computed than runs for accesses compute, nor end their own."""
    made = [tracers()[name]() for name in names]
    observers = Observers.of(made)
    endless = not any(hasattr(type(each), "filled") for each in made)
    return bool(made) and endless and not observers.values and not observers.results
