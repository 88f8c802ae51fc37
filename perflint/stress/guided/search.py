"""GUPT's Algorithm 1: inputs and schedules that stress memory, one run leading to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import gcd

import numpy as np

from perflint.base.records import dataclass
from perflint.stress.guided.coverage import edges_covered, references_covered
from perflint.stress.guided.execution import Execution, blocks_of, execute
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.knowledge import Guidance
from perflint.stress.guided.paths import State, clauses, negations
from perflint.stress.guided.references import Threads
from perflint.stress.guided.replays import Found, Monitor, guidance_of
from perflint.stress.guided.subject import Exploration, Explored, Options, Subject, Values
from perflint.stress.guided.words import conjunct_text
from perflint.symbolic.conjuncts import Conjunct, held, turned
from perflint.symbolic.solver import SAT, UNSAT, Conjunction, Solver, Witness
from perflint.symbolic.terms import Terms
from perflint.work import parallel
from perflint.work.parallel import Crash

#: Faults after which an input is not one that the kernel is for.
_FAULTS = ("out-of-region", "shared-overrun", "misaligned", "negative-offset", "assert")


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search found, and all else that is told of it."""

    states: tuple[Found, ...]
    exploration: Exploration  #: without states


@dataclass(eq=False)
class _Warp:
    """unex[w] and all[w]."""

    unexplored: list[State] = field(default_factory=list)
    all: set[object] = field(default_factory=set)


def explore(subject: Subject, options: Options, jobs: int = 1) -> Exploration:
    """Explore executions of a kernel, as far as the options go. The same options, the same answer.

    Its executions are scheduled and monitored in so many processes. Raises AnalysisError,
    AssumptionError, LaunchError and UnsupportedInstructionError.
    """
    return finished(subject, options, searched(subject, options), jobs)


def searched(subject: Subject, options: Options) -> Searched:
    """Find the inputs of an exploration. Raises as `explore` does."""
    return _Search(subject, options).run()


def finished(subject: Subject, options: Options, found: Searched, jobs: int = 1) -> Exploration:
    """An exploration, as soon as each of its executions has a schedule and what that leads to."""
    monitored = Monitor(subject, options)

    def explored(number: int) -> Explored:
        return monitored(found.states[number])

    states = tuple(
        explored(number) if isinstance(one, Crash) else one
        for number, one in enumerate(parallel.each(explored, len(found.states), jobs))
    )
    return replace(found.exploration, states=states)


class _Search:
    def __init__(self, subject: Subject, options: Options) -> None:
        self._subject, self._options = subject, options
        self._terms = Terms()
        self._space = Space(subject, self._terms, options.assumptions)
        self._space.check(options.rlimit)
        self._solver = Solver(self._terms, options.rlimit, self._space.bounds)
        self._blocks = blocks_of(subject, options.most_warps)
        self._threads = Threads(subject, self._blocks)
        self._warps: dict[int, _Warp] = {}
        self._spent = 0
        self._states: list[Found] = []
        self._explored: dict[int, np.ndarray] = {}  #: by position: threads that came to it
        self._edges: dict[tuple[int, bool], np.ndarray] = {}
        self._symbolic: dict[
            int, np.ndarray
        ] = {}  #: by branch: threads whose way hangs on the input
        #: by branch and the way that was wanted: what became of states that negate it
        self._outcomes: dict[tuple[int, bool], Counter[str]] = {}
        self._concretised: Counter[str] = Counter()
        self._values_concretised: Counter[str] = Counter()
        self._led: Counter[str] = Counter()
        self._discarded: Counter[str] = Counter()
        self._guidance: Guidance | None = None

    # --- Algorithm 1 -----------------------------------------------------------------------------

    def run(self) -> Searched:
        """All runs; what is explored has no states as yet."""
        options = self._options
        self._one(self._space.given(), {}, 0)
        stopped, number = "runs", 1
        while number < options.states:
            if self._spent >= options.warp_instructions:
                stopped = "instructions"
                break
            rng = np.random.default_rng((options.seed, number))
            if options.strategy == "random":
                self._one(self._space.drawn(rng, self._given_scalars()), {}, number)
                number += 1
                continue
            chosen, omega = self._feasible(rng)
            if not chosen:
                stopped = "all states"
                break
            values = self._space.made(rng, omega.scalars, omega.model)
            self._one(values, chosen, number)
            number += 1
        return self._finished(stopped)

    def _given_scalars(self) -> dict[str, int | float]:
        return {name: each.value for name, each in self._subject.scalars.items()}

    def _feasible(self, rng: np.random.Generator) -> tuple[dict[int, State], Conjunction]:
        """Lines 31 to 40: Ω, of each warp's first state that is satisfiable beside the others."""
        scalars = self._space.scalars()
        omega = Conjunction(self._solver, scalars)
        chosen: dict[int, State] = {}
        for number, warp in sorted(self._warps.items()):
            waiting = self._by_priority(number, warp.unexplored, rng)
            for state in waiting[: self._options.tries]:
                status, found = self._added(omega, state)
                if status == SAT:
                    omega = found
                    chosen[number] = state
                    warp.unexplored.remove(state)
                    break
                # what fails by itself is never tried again; what fails beside others is
                alone = status
                if omega.concerns(clauses(self._terms, state)) or omega.scalars != scalars:
                    alone, _ = self._added(Conjunction(self._solver, scalars), state)
                if alone != SAT:
                    warp.unexplored.remove(state)
                    self._note(state, "unsatisfiable" if alone == UNSAT else "unknown")
        return chosen, omega

    def _added(self, omega: Conjunction, state: State) -> tuple[str, Conjunction]:
        """Ω with a state: all threads of its negated conjunct turned, else the first that can."""
        terms, last = self._terms, state.negated
        assert last is not None
        before = clauses(terms, State(state.warp, state.prefix))
        witness = None
        # the launch's own input need not meet what is assumed
        if state.values is not None and not self._options.assumptions:
            value = partial(self._space.value_in, state.values)
            witness = Witness(frozenset(held(before, last)), value)
        return turned(terms, omega, before, last, witness)

    def _by_priority(
        self, warp: int, states: Sequence[State], rng: np.random.Generator
    ) -> list[State]:
        """Equations (4) and (3), in this order; without guidance at random."""
        if self._options.strategy != "guided" or self._guidance is None:
            return [states[i] for i in rng.permutation(len(states))]
        ranks: dict[tuple[int, tuple[bool, ...]], tuple[int, int]] = {}
        for state in states:
            last = state.negated
            assert last is not None
            key = (last.position, last.ways)
            if key not in ranks:
                ranks[key] = self._rank(last, warp)
        return sorted(
            states,
            key=lambda s: tuple(-r for r in ranks[s.negated.position, s.negated.ways]),  # type: ignore[union-attr]
        )

    def _rank(self, conjunct: Conjunct, warp: int) -> tuple[int, int]:
        guidance = self._guidance
        assert guidance is not None
        found = [
            (
                guidance.pollution(conjunct.position, way, warp, self._explored),
                guidance.memory(conjunct.position, way, warp, self._explored),
            )
            for way in self._wanted(conjunct)
        ]
        return max(found)

    def _wanted(self, conjunct: Conjunct) -> list[bool]:
        """The ways that negating a conjunct leads."""
        guard = self._program.kernel.instructions[conjunct.position].guard
        negated = guard is not None and guard.negated
        return [(not holds) ^ negated for holds in conjunct.ways]

    # --- one execution ---------------------------------------------------------------------------

    def _one(self, values: Values, chosen: Mapping[int, State], number: int) -> bool:
        """ExecuteAndMonitor, and the states that it leads to; whether the input is one."""
        budget = self._left
        found = execute(
            self._subject, values, self._terms, self._blocks, budget, self._options.prefixes
        )
        self._spent += found.run.warp_instructions
        bad = next((f.kind for f in found.run.faults if f.kind in _FAULTS), None)
        if found.run.stop is not None and found.run.stop.reason in ("deadlock", "endless", "trap"):
            bad = found.run.stop.reason
        if bad is not None and number:
            self._discarded[bad] += 1
            return False
        for name in found.followed.addressing:
            old = self._space.indices.get(name, 0)
            self._space.indices[name] = gcd(old, found.followed.period.get(name, 0))
        self._program = found.program
        if self._guidance is None:
            self._guidance = guidance_of(self._subject, self._threads, found)
        self._seen(found)
        for warp, state in chosen.items():
            self._compare(state, found.paths.get(warp, ()))
        self._states.append(self._named(found, values, chosen, number, budget))
        self._negated(found, values)
        return True

    @property
    def _left(self) -> int:
        """Warp instructions of the next run at most."""
        left = max(1, self._options.warp_instructions - self._spent)
        return min(left, self._options.run_instructions)

    def _seen(self, found: Execution) -> None:
        for position, threads in found.followed.reached.items():
            old = self._explored.get(position)
            self._explored[position] = threads if old is None else old | threads
        for edge, threads in found.followed.edges.items():
            before = self._edges.get(edge)
            self._edges[edge] = threads if before is None else before | threads
        self._values_concretised.update(found.followed.concretised)
        for path in found.paths.values():
            for conjunct in path:
                self._concretised.update(conjunct.reasons)
                mark = self._symbolic.setdefault(
                    conjunct.position, np.zeros(self._threads.count, bool)
                )
                mark[list(conjunct.threads)] = True
        self._concretised.update(found.dropped)

    def _negated(self, found: Execution, values: Values) -> None:
        """Lines 12 to 27: the states that the run's paths lead to."""
        if self._options.strategy == "random":
            return
        for number, path in found.paths.items():
            warp = self._warps.setdefault(number, _Warp())
            warp.all.add(State(number, path).key)
            for state in negations(number, path, self._options.prefixes, values):
                if state.key not in warp.all:
                    warp.all.add(state.key)
                    warp.unexplored.append(state)

    def _compare(self, state: State, path: Sequence[Conjunct]) -> None:
        """Whether the warp left the way of the state that was negated, where it was to."""
        last = state.negated
        assert last is not None
        self._led[led(self._terms, state, path)] += 1
        self._note(state, "run")

    def _note(self, state: State, outcome: str) -> None:
        assert state.negated is not None
        for way in self._wanted(state.negated):
            self._outcomes.setdefault((state.negated.position, way), Counter())[outcome] += 1

    def _named(
        self,
        found: Execution,
        values: Values,
        chosen: Mapping[int, State],
        number: int,
        budget: int,
    ) -> Found:
        names = {p: each.name for p, each in self._subject.scalars.items()}
        conditions = {
            warp: tuple(
                [conjunct_text(self._terms, c, names) for c in state.prefix]
                + (
                    [conjunct_text(self._terms, state.negated, names, True)]
                    if state.negated
                    else []
                )
            )
            for warp, state in sorted(chosen.items())
        }
        distinct = dict.fromkeys(text for texts in conditions.values() for text in texts)
        omega = " and ".join(distinct) or "true"
        return Found(number, conditions, omega, values, found.run.warp_instructions, budget)

    # --- the end ---------------------------------------------------------------------------------

    def _finished(self, stopped: str) -> Searched:
        guidance = self._guidance
        assert guidance is not None
        pending: set[tuple[int, bool]] = set()
        for warp in self._warps.values():
            for state in warp.unexplored:
                assert state.negated is not None
                pending.update((state.negated.position, way) for way in self._wanted(state.negated))
        grid = self._subject.grid
        explored = Exploration(
            (),
            references_covered(
                guidance, self._explored, self._edges, self._symbolic, self._outcomes, pending
            ),
            edges_covered(guidance, self._edges, self._symbolic, self._outcomes, pending),
            dict(sorted(self._concretised.items())),
            dict(sorted(self._values_concretised.items())),
            dict(sorted(self._solver.asked.items())),
            dict(sorted(self._led.items())),
            dict(sorted(self._discarded.items())),
            self._spent,
            stopped,
            (len(self._blocks), grid[0] * grid[1] * grid[2]),
        )
        return Searched(tuple(self._states), explored)


def led(terms: Terms, state: State, path: Sequence[Conjunct]) -> str:
    """What became of a state's negated conjunct in a run: `as asked`, or why not.

    `other data before`: what an earlier condition compares came to the warp another way, through
    other warps' branches, of which a warp's own state knows nothing.
    """
    last = state.negated
    assert last is not None
    found = {(c.position, c.turn): c for c in path}
    for each in state.prefix:
        now = found.get((each.position, each.turn))
        if now is not None and now.literals == each.literals:
            continue
        if now is not None and _compared(terms, now) != _compared(terms, each):
            return "other data before"
        return "another way before"
    now = found.get((last.position, last.turn))
    if now is None:
        return "another way"
    if now.literals != last.literals:
        return "as asked"
    return "not turned"


def _compared(terms: Terms, conjunct: Conjunct) -> set[int]:
    """What a conjunct's conditions compare, whichever way they come out."""
    return {int(t[2]) if (t := terms.all[each])[0] == "not" else each for each in conjunct.literals}


__all__ = ["explore", "finished", "led", "searched"]
