"""One step of a search: an input for states that were chosen, its run, and what interferes there.

Steps know nothing of each other: what one finds hangs on its order alone, so that the steps of a
round can be done in any order, process and on any machine. Terms and states go there and back in
numbers of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from perflint.analysis.model import AnalysisError
from perflint.base.records import dataclass
from perflint.sim import LaunchError
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.program import Program
from perflint.stress.guided.execution import Execution, blocks_of, execute
from perflint.stress.guided.graphs import control_dependence
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.knowledge import Guidance
from perflint.stress.guided.monitor import Interference, monitor
from perflint.stress.guided.paths import Renumbered, State, clauses
from perflint.stress.guided.references import Threads, graph_of
from perflint.stress.guided.schedule import at_random
from perflint.stress.guided.schedule import order as most_harmful
from perflint.stress.guided.subject import Options, Subject, Values
from perflint.stress.guided.timeline import Choose, Requests, Turn, run
from perflint.symbolic.conjuncts import Conjunct, held, turned
from perflint.symbolic.routes import ways_of
from perflint.symbolic.solver import SAT, UNSAT, Conjunction, Model, Solver, Witness
from perflint.symbolic.terms import Term, Terms

#: Faults after which an input is not one that the kernel is for.
_FAULTS = ("out-of-region", "shared-overrun", "misaligned", "negative-offset", "assert")


#: Threads of a conjunct that the solver is asked about one by one.
_THREADS = 8


@dataclass(frozen=True, eq=False)
class Order:
    """What a step is to do: everything that it needs to know of the steps before it."""

    number: int  #: of its run: the launch's own input is 0
    budget: int  #: warp instructions of its run at most
    indices: Mapping[str, int] = field(default_factory=dict)  #: see `Space`
    terms: tuple[Term, ...] = ()  #: of its states
    #: by warp, states of which one may be chosen, the first ones first
    choices: Mapping[int, tuple[State, ...]] = field(default_factory=dict)
    #: by number of a run that states come from: what its input had for variables of `terms`
    inputs: Mapping[int, Model] = field(default_factory=dict)
    anyway: bool = False  #: whether an input is run that no state chose


@dataclass(frozen=True, eq=False)
class Seen:
    """What a run came to."""

    reached: Mapping[int, np.ndarray]  #: as in `Followed`
    edges: Mapping[tuple[int, bool], np.ndarray]
    values_concretised: Counter[str]
    dropped: Counter[str]
    periods: Mapping[str, int]  #: of arrays that addresses hang on
    terms: tuple[Term, ...]
    paths: Mapping[int, tuple[Conjunct, ...]]  #: by warp


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of an order."""

    chosen: Mapping[int, int] = field(default_factory=dict)  #: by warp: which of its choices
    #: by warp and number of a choice: states that cannot be, or of which the solver knows nothing
    dead: Mapping[tuple[int, int], str] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)  #: questions to z3, by answer
    values: Values | None = None  #: the input that was run; None for none
    spent: int = 0  #: warp instructions
    bad: str = ""  #: why the input is none that the kernel is for
    seen: Seen | None = None  #: of an input that is one
    schedule: tuple[Turn, ...] = ()
    interference: Interference | None = None


@dataclass(frozen=True)
class Failure:
    """In place of an outcome: the kernel cannot be run any more."""

    text: str


@dataclass(frozen=True, eq=False)
class Steps:
    """Does orders. It pickles."""

    subject: Subject
    options: Options

    def __getstate__(self) -> dict[str, Any]:
        return {"subject": self.subject, "options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __call__(self, order: Order) -> Outcome | Failure:
        try:
            return self._done(order)
        except (AnalysisError, LaunchError, UnsupportedInstructionError) as error:
            return Failure(str(error))

    def _done(self, order: Order) -> Outcome:
        if order.number == 0:
            terms, found = self._own
            return self._ran(order, Outcome(), self._space(Terms()).given(), terms, found)
        terms = Terms()
        terms.adopted(order.terms)  # as they are numbered, for there are no others
        space = self._space(terms)
        space.indices.update(order.indices)
        solver = Solver(terms, self.options.rlimit, space.bounds)
        chosen, dead, omega = self._feasible(order, terms, solver, space)
        outcome = Outcome(chosen, dead, solver.asked)
        if not chosen and not order.anyway:
            return outcome
        rng = np.random.default_rng((self.options.seed, order.number))
        if self.options.strategy == "random":
            values = space.drawn(rng, space.given().scalars)
        else:
            values = space.made(rng, omega.scalars, omega.model)
        # its paths are in terms of their own, so that theirs alone go back
        terms = Terms()
        found = execute(
            self.subject, values, terms, self.blocks, order.budget, self.options.prefixes
        )
        return self._ran(order, outcome, values, terms, found)

    def _space(self, terms: Terms) -> Space:
        return Space(self.subject, terms, self.options.assumptions)

    # --- an input --------------------------------------------------------------------------------

    def _feasible(
        self, order: Order, terms: Terms, solver: Solver, space: Space
    ) -> tuple[dict[int, int], dict[tuple[int, int], str], Conjunction]:
        """Lines 31 to 40: Ω, of each warp's first state that is satisfiable beside the others."""
        scalars = space.scalars()
        omega = Conjunction(solver, scalars)
        chosen: dict[int, int] = {}
        dead: dict[tuple[int, int], str] = {}
        for warp, states in sorted(order.choices.items()):
            for number, state in enumerate(states):
                witness = self._witness(order, state, terms)
                status, found = _added(terms, omega, state, witness)
                if status == SAT:
                    omega, chosen[warp] = found, number
                    break
                # what fails by itself is never tried again; what fails beside others is
                alone = status
                if omega.concerns(clauses(terms, state)) or omega.scalars != scalars:
                    alone, _ = _added(terms, Conjunction(solver, scalars), state, witness)
                if alone != SAT:
                    dead[warp, number] = "unsatisfiable" if alone == UNSAT else "unknown"
        return chosen, dead, omega

    def _witness(self, order: Order, state: State, terms: Terms) -> Witness | None:
        # the launch's own input need not meet what is assumed
        if state.run not in order.inputs or self.options.assumptions:
            return None
        assert state.negated is not None
        clauses_held = held(clauses(terms, State(state.warp, state.prefix)), state.negated)
        return Witness(frozenset(clauses_held), order.inputs[state.run].__getitem__)

    # --- its run ---------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> tuple[tuple[int, int, int], ...]:
        return blocks_of(self.subject, self.options.most_warps)

    @cached_property
    def threads(self) -> Threads:
        return Threads(self.subject, self.blocks)

    @cached_property
    def _own(self) -> tuple[Terms, Execution]:
        """The launch's own input: which references always hit, for one, is known from its run."""
        terms = Terms()
        most = min(self.options.warp_instructions, self.options.run_instructions)
        given = self._space(Terms()).given()
        found = execute(self.subject, given, terms, self.blocks, most, self.options.prefixes)
        return terms, found

    @cached_property
    def guidance(self) -> Guidance:
        """What the static side knows of the launch. Raises as `explore` does."""
        found = self._own[1]
        placement = self.subject.placement
        graph = graph_of(self.subject, found.program, self.threads, found.trace, placement)
        dependence = control_dependence(ways_of(found.program))
        return Guidance(graph, self.threads, dependence, found.position)

    @property
    def program(self) -> Program:
        return self._own[1].program

    def _ran(
        self, order: Order, outcome: Outcome, values: Values, terms: Terms, found: Execution
    ) -> Outcome:
        spent = found.run.warp_instructions
        bad = next((f.kind for f in found.run.faults if f.kind in _FAULTS), "")
        if found.run.stop is not None and found.run.stop.reason in ("deadlock", "endless", "trap"):
            bad = found.run.stop.reason
        if bad and order.number:
            return Outcome(outcome.chosen, outcome.dead, outcome.asked, values, spent, bad)
        requests = self.subject.requests(found.trace)
        turns, interference = self.under(self._schedule(order.number, requests), requests)
        return Outcome(
            outcome.chosen, outcome.dead, outcome.asked, values, spent, "",
            _seen(terms, found), turns, interference,
        )  # fmt: skip

    def under(self, choose: Choose, requests: Requests) -> tuple[tuple[Turn, ...], Interference]:
        """The turns and the interference of requests under a schedule."""
        line = run(requests, choose, self.guidance.always_hit(requests))
        return tuple(line.turns), monitor(requests, line)

    def _schedule(self, number: int, requests: Requests) -> Choose:
        if self.options.strategy != "guided":
            return at_random(self.options.seed * 1_000_003 + number)
        machine = self.subject.machine

        def bank(line: int) -> int:
            return line * machine.cache.line // machine.bank_bytes % machine.banks

        return most_harmful(machine, self.guidance.knowledge(requests), bank)


def _added(
    terms: Terms, omega: Conjunction, state: State, witness: Witness | None
) -> tuple[str, Conjunction]:
    """Ω with a state: all threads of its negated conjunct turned, else the first that can."""
    assert state.negated is not None
    before = clauses(terms, State(state.warp, state.prefix))
    return turned(terms, omega, before, state.negated, witness, _THREADS, state.toward)


def _seen(terms: Terms, found: Execution) -> Seen:
    followed = found.followed
    used = [t for path in found.paths.values() for c in path for t in (*c.literals, *c.premises)]
    sent, new = terms.sent(used)
    renumbered = Renumbered(new)
    return Seen(
        followed.reached,
        followed.edges,
        followed.concretised,
        found.dropped,
        {name: followed.period.get(name, 0) for name in sorted(followed.addressing)},
        sent,
        {warp: renumbered.path(path) for warp, path in found.paths.items()},
    )


__all__ = ["Failure", "Order", "Outcome", "Seen", "Steps"]
