"""Executions under schedules, and what interferes there: ⟨Ω, SH, ξ⟩ of inputs that were found.

A search does not need to know. Each input is run once more for it, by itself, so that they can be
shared out among processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from perflint.base.records import dataclass
from perflint.stress.guided.execution import Execution, blocks_of, execute, traced
from perflint.stress.guided.graphs import control_dependence
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.knowledge import Guidance
from perflint.stress.guided.monitor import Interference, monitor
from perflint.stress.guided.references import Threads, graph_of
from perflint.stress.guided.schedule import at_random, enforced, order
from perflint.stress.guided.subject import Explored, Options, Subject, Values
from perflint.stress.guided.timeline import Choose, Requests, Turn, run
from perflint.symbolic.routes import ways_of
from perflint.symbolic.terms import Terms


@dataclass(frozen=True, eq=False)
class Found:
    """An execution that was found: Ω and the input, not yet SH and ξ."""

    number: int
    conditions: Mapping[int, tuple[str, ...]]
    omega: str
    values: Values
    warp_instructions: int
    budget: int  #: of these, for its run


class Monitor:
    """Schedules executions and tells what interferes: each by itself, in any order and process.

    Which references always hit is known from the launch's own input, as in the search.
    """

    def __init__(self, subject: Subject, options: Options) -> None:
        """Raises as `explore` does."""
        self._subject, self._options = subject, options
        self._blocks = blocks_of(subject, options.most_warps)
        terms = Terms()
        given = Space(subject, terms, options.assumptions).given()
        most = min(options.warp_instructions, options.run_instructions)
        own = execute(subject, given, terms, self._blocks, most, options.prefixes)
        self._guidance = guidance_of(subject, Threads(subject, self._blocks), own)

    def __call__(self, found: Found) -> Explored:
        """The execution with a schedule of its exploration's kind."""
        turns, interference = self._monitored(
            found.values, found.budget, partial(self._schedule, found.number)
        )
        return Explored(
            found.number, found.conditions, found.omega, found.values, turns, interference,
            found.warp_instructions,
        )  # fmt: skip

    def under(self, choose: Choose, values: Values) -> tuple[tuple[Turn, ...], Interference]:
        """An input's turns and interference under a schedule that is given."""
        most = min(self._options.warp_instructions, self._options.run_instructions)
        return self._monitored(values, most, lambda requests: choose)

    def _monitored(
        self, values: Values, most: int, schedule: Callable[[Requests], Choose]
    ) -> tuple[tuple[Turn, ...], Interference]:
        requests = self._subject.requests(traced(self._subject, values, self._blocks, most))
        line = run(requests, schedule(requests), self._guidance.always_hit(requests))
        return tuple(line.turns), monitor(requests, line)

    def _schedule(self, number: int, requests: Requests) -> Choose:
        if self._options.strategy != "guided":
            return at_random(self._options.seed * 1_000_003 + number)
        machine = self._subject.machine

        def bank(line: int) -> int:
            return line * machine.cache.line // machine.bank_bytes % machine.banks

        return order(machine, self._guidance.knowledge(requests), bank)


def guidance_of(of: Subject, threads: Threads, found: Execution) -> Guidance:
    """What the static side knows of a launch, by an execution of it."""
    graph = graph_of(of, found.program, threads, found.trace, of.placement)
    dependence = control_dependence(ways_of(found.program))
    return Guidance(graph, threads, dependence, found.position)


def replayed(
    subject: Subject, values: Values, schedule: Sequence[int], options: Options | None = None
) -> Interference:
    """ξ of an input under a schedule, turn by turn its warps: what `explore` found of them.

    Which references always hit is known from the launch's own input, as in the search. Raises
    ScheduleError where the launch does not have such a schedule.
    """
    return Monitor(subject, options or Options()).under(enforced(schedule), values)[1]
