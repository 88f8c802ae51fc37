"""GUPT's Algorithm 1: inputs and schedules that stress memory, one round of runs after another.

The runs of a round are independent of each other (`steps`): of each warp's states, first those of
the highest priority, every one goes to another run. So they can be done at once, and what is found
is the same whoever does them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import gcd

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import LaunchError
from perflint.stress.crew import asking
from perflint.stress.guided.coverage import edges_covered, references_covered
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.paths import Renumbered, State, negations
from perflint.stress.guided.steps import Failure, Order, Outcome, Seen, Steps
from perflint.stress.guided.subject import Exploration, Explored, Options, Subject, Values
from perflint.stress.guided.words import conjunct_text
from perflint.symbolic.conjuncts import Conjunct
from perflint.symbolic.solver import Value
from perflint.symbolic.terms import Terms
from perflint.work.parallel import Crash

#: Runs of a round. It is no number of processes: results must not hang on how many there are.
ROUND = 8
#: Orders for each run at most: one without a feasible state leads to none.
_ORDERS = 8
#: Does the steps of a round.
Ask = Callable[[Sequence[Order]], Sequence[Outcome | Failure | Crash]]


_Rank = tuple[int, int, int]


@dataclass(eq=False)
class _Warp:
    """unex[w] and all[w]."""

    unexplored: list[State] = field(default_factory=list)
    all: set[object] = field(default_factory=set)


def explore(subject: Subject, options: Options, jobs: int = 1) -> Exploration:
    """Explore executions of a kernel, as far as the options go. The same options, the same answer.

    The runs of a round are done in so many processes. Raises AnalysisError, AssumptionError,
    LaunchError and UnsupportedInstructionError.
    """
    steps = prepared(subject, options)
    with asking(steps, jobs) as ask:
        return searched(steps, ask)


def prepared(subject: Subject, options: Options) -> Steps:
    """The steps of a search, with what they all need to know of the launch. Raises as `explore`."""
    Space(subject, Terms(), options.assumptions).check(options.rlimit)
    steps = Steps(subject, options)
    _ = steps.guidance  # before processes are forked, which then have it
    return steps


def searched(steps: Steps, ask: Ask) -> Exploration:
    """What a search finds with somebody who does its steps. Raises as `explore` does."""
    return _Search(steps, ask).run()


class _Search:
    def __init__(self, steps: Steps, ask: Ask) -> None:
        self._steps, self._ask = steps, ask
        self._subject, self._options = steps.subject, steps.options
        self._guidance = steps.guidance
        self._terms = Terms()
        self._space = Space(self._subject, self._terms, self._options.assumptions)
        self._warps: dict[int, _Warp] = {}
        self._inputs: dict[int, Values] = {}  #: by number of the run
        self._given: dict[
            int, Mapping[int, tuple[State, ...]]
        ] = {}  #: choices of orders, by number
        self._spent = 0
        self._states: list[Explored] = []
        self._explored: dict[int, np.ndarray] = {}  #: by position: threads that came to it
        self._edges: dict[tuple[int, bool], np.ndarray] = {}
        #: by branch: threads whose way hangs on the input
        self._symbolic: dict[int, np.ndarray] = {}
        #: by branch and the way that was wanted: what became of states that negate it
        self._outcomes: dict[tuple[int, bool], Counter[str]] = {}
        self._concretised: Counter[str] = Counter()
        self._values_concretised: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._led: Counter[str] = Counter()
        self._discarded: Counter[str] = Counter()

    # --- Algorithm 1 -----------------------------------------------------------------------------

    def run(self) -> Exploration:
        """All runs, round by round."""
        options = self._options
        self._done([Order(0, self._left)])
        runs, number = 1, 1
        while runs < options.states and number < _ORDERS * options.states:
            if self._spent >= options.warp_instructions:
                return self._finished("instructions")
            orders = self._orders(number, min(ROUND, options.states - runs))
            if not orders:
                return self._finished("all states")
            runs += self._done(orders)
            number = orders[-1].number + 1
        return self._finished("runs")

    def _orders(self, number: int, count: int) -> list[Order]:
        """The orders of a round: each warp's states are dealt out to them by priority."""
        options = self._options
        rng = np.random.default_rng((options.seed, number, count))
        waiting = {}
        for warp, each in sorted(self._warps.items()):
            if each.unexplored:
                each.unexplored = self._by_priority(warp, each.unexplored, rng)
                waiting[warp] = each.unexplored
        if waiting:
            shares = [
                {warp: tuple(states[k::count][: options.tries]) for warp, states in waiting.items()}
                for k in range(count)
            ]
            orders = [
                self._order(number + k, {warp: some for warp, some in share.items() if some})
                for k, share in enumerate(shares)
            ]
            return [each for each in orders if each.choices]
        if self._goes_on:
            return [self._order(number + k, {}, anyway=True) for k in range(count)]
        return []

    @property
    def _goes_on(self) -> bool:
        """Whether another run can show something new where no state is left.

        It can with another order of warps, and with elements that no condition names but addresses
        hang on: they are drawn anew.
        """
        return self._options.strategy != "guided" or bool(self._space.indices)

    def _order(
        self, number: int, choices: dict[int, tuple[State, ...]], anyway: bool = False
    ) -> Order:
        states = [state for some in choices.values() for state in some]
        self._given[number] = choices
        sent, new = self._terms.sent(term for state in states for term in state.terms)
        renumbered = Renumbered(new)
        inputs: dict[int, dict[int, Value]] = {state.run: {} for state in states}
        for old, mine in new.items():
            if self._terms.all[old][0] in ("element", "scalar"):
                for run, values in inputs.items():
                    values[mine] = self._space.value_in(self._inputs[run], old)
        return Order(
            number, self._left, dict(self._space.indices), sent,
            {warp: tuple(map(renumbered.state, some)) for warp, some in choices.items()},
            inputs, anyway,
        )  # fmt: skip

    def _done(self, orders: Sequence[Order]) -> int:
        """Have orders done, and learn from what came of them; how many runs there were."""
        runs = 0
        for order, found in zip(orders, self._ask(orders), strict=True):
            outcome = self._steps(order) if isinstance(found, Crash) else found
            if isinstance(outcome, Failure):
                raise LaunchError(outcome.text)
            runs += self._learnt(order, outcome)
        return runs

    def _by_priority(
        self, warp: int, states: Sequence[State], rng: np.random.Generator
    ) -> list[State]:
        """By equations (4) and (3), in this order, with the way that is meant; else at random."""
        if self._options.strategy != "guided":
            return [states[i] for i in rng.permutation(len(states))]
        ranks: dict[tuple[int, tuple[bool, ...]], tuple[_Rank, bool]] = {}
        for state in states:
            last = state.negated
            assert last is not None
            key = (last.position, last.ways)
            if key not in ranks:
                ranks[key] = max(
                    (self._rank(last.position, way, warp), toward)
                    for toward, way in self._wanted(last).items()
                )
        found = [ranks[s.negated.position, s.negated.ways] for s in states]  # type: ignore[union-attr]
        order = sorted(range(len(states)), key=lambda i: tuple(-r for r in found[i][0]))
        return [replace(states[i], toward=found[i][1]) for i in order]

    def _rank(self, position: int, way: bool, warp: int) -> _Rank:
        """What a way of a branch leads to: of what is not explored yet, then of all."""
        guidance = self._guidance
        return (
            guidance.pollution(position, way, warp, self._explored),
            guidance.memory(position, way, warp, self._explored),
            guidance.memory(position, way, warp, {}),
        )

    def _wanted(self, conjunct: Conjunct) -> dict[bool, bool]:
        """The ways that negating a conjunct leads, by the predicate's value there."""
        guard = self._steps.program.kernel.instructions[conjunct.position].guard
        negated = guard is not None and guard.negated
        return {not holds: (not holds) ^ negated for holds in conjunct.ways}

    # --- what a step found -----------------------------------------------------------------------

    @property
    def _left(self) -> int:
        """Warp instructions of the next run at most."""
        left = max(1, self._options.warp_instructions - self._spent)
        return min(left, self._options.run_instructions)

    def _learnt(self, order: Order, outcome: Outcome) -> bool:
        """What an order came to, and the states that it leads to; whether there was a run."""
        chosen = self._taken(order, outcome)
        self._asked.update(outcome.asked)
        if outcome.values is None:
            return False
        self._spent += outcome.spent
        if outcome.seen is None:
            self._discarded[outcome.bad] += 1
            return True
        self._inputs[order.number] = outcome.values
        for name, period in outcome.seen.periods.items():
            self._space.indices[name] = gcd(self._space.indices.get(name, 0), period)
        renumbered = Renumbered(self._terms.adopted(outcome.seen.terms))
        paths = {warp: renumbered.path(path) for warp, path in outcome.seen.paths.items()}
        self._seen(outcome.seen, paths)
        for warp, state in chosen.items():
            self._compare(state, paths.get(warp, ()))
        self._states.append(self._named(order, outcome, chosen))
        self._negated(paths, order.number)
        return True

    def _taken(self, order: Order, outcome: Outcome) -> dict[int, State]:
        """Take the states that were chosen, and those that cannot be, from what is unexplored."""
        mine = self._given.pop(order.number, {})
        chosen = {warp: mine[warp][number] for warp, number in outcome.chosen.items()}
        gone = {id(state) for state in chosen.values()}
        for (warp, number), why in outcome.dead.items():
            gone.add(id(mine[warp][number]))
            self._note(mine[warp][number], why)
        for warp in mine:
            left = self._warps[warp]
            left.unexplored = [each for each in left.unexplored if id(each) not in gone]
        return chosen

    def _seen(self, seen: Seen, paths: Mapping[int, Sequence[Conjunct]]) -> None:
        for position, threads in seen.reached.items():
            old = self._explored.get(position)
            self._explored[position] = threads if old is None else old | threads
        for edge, threads in seen.edges.items():
            before = self._edges.get(edge)
            self._edges[edge] = threads if before is None else before | threads
        self._values_concretised.update(seen.values_concretised)
        for path in paths.values():
            for conjunct in path:
                self._concretised.update(conjunct.reasons)
                mark = self._symbolic.setdefault(
                    conjunct.position, np.zeros(self._steps.threads.count, bool)
                )
                mark[list(conjunct.threads)] = True
        self._concretised.update(seen.dropped)

    def _negated(self, paths: Mapping[int, Sequence[Conjunct]], run: int) -> None:
        """Lines 12 to 27: the states that a run's paths lead to."""
        if self._options.strategy == "random":
            return
        for number, path in paths.items():
            warp = self._warps.setdefault(number, _Warp())
            warp.all.add(State(number, tuple(path)).key)
            for state in negations(number, path, self._options.prefixes, run):
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
        for way in self._wanted(state.negated).values():
            self._outcomes.setdefault((state.negated.position, way), Counter())[outcome] += 1

    def _named(self, order: Order, outcome: Outcome, chosen: Mapping[int, State]) -> Explored:
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
        assert outcome.values is not None and outcome.interference is not None
        return Explored(
            order.number, conditions, omega, outcome.values, outcome.schedule,
            outcome.interference, outcome.spent,
        )  # fmt: skip

    # --- the end ---------------------------------------------------------------------------------

    def _finished(self, stopped: str) -> Exploration:
        guidance = self._guidance
        pending: set[tuple[int, bool]] = set()
        for warp in self._warps.values():
            for state in warp.unexplored:
                assert state.negated is not None
                ways = self._wanted(state.negated).values()
                pending.update((state.negated.position, way) for way in ways)
        grid = self._subject.grid
        return Exploration(
            tuple(self._states),
            references_covered(
                guidance, self._explored, self._edges, self._symbolic, self._outcomes, pending
            ),
            edges_covered(guidance, self._edges, self._symbolic, self._outcomes, pending),
            dict(sorted(self._concretised.items())),
            dict(sorted(self._values_concretised.items())),
            dict(sorted(self._asked.items())),
            dict(sorted(self._led.items())),
            dict(sorted(self._discarded.items())),
            self._spent,
            stopped,
            (len(self._steps.blocks), grid[0] * grid[1] * grid[2]),
        )


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


__all__ = ["ROUND", "Ask", "explore", "led", "prepared", "searched"]
