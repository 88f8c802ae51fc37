"""Whether a run that was cut short tells of some instructions what all of it would."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from perflint.rules.measure import counted_loops
from perflint.rules.protocol import Trial
from perflint.sim.tracers.instruction import Instruction

#: Turns of a loop after which its share of a kernel's work stays what it is.
STEADY_TURNS = 8
#: Turns of a loop in the second of which an inner one's share of a kernel's work is what it stays.
WHOLE_TURNS = 2


def tells(trial: Trial, pcs: Collection[int]) -> bool:
    """Whether a run came to its end, or was cut short in a loop around `pcs` after many turns.

    What stands before that loop, or in an outer one of few turns, it would overrate. The trial's
    rule names the tracer Instruction.
    """
    executed = {pc: warps for pc, (warps, _) in trial.tracer(Instruction).executed.items()}
    mine = set(pcs)
    return (
        trial.complete
        or any(not mine.isdisjoint(loop) for loop in _steady_loops(trial, executed))
        or any(not mine.isdisjoint(loop) for loop in _steady_inner_loops(trial, executed))
    )


def whole_share(trial: Trial, pcs: Collection[int]) -> float:
    """The part at `pcs` of the warp instructions of a kernel, were it run to its end.

    A run that was cut short in a loop whose turns the launch tells goes on in it as in the turns
    that it made: what stands before that loop is soon little.
    """
    executed = {pc: warps for pc, (warps, _) in trial.tracer(Instruction).executed.items()}
    mine = {pc: executed.get(pc, 0) for pc in pcs}
    weight, within = 1.0, frozenset[int]()
    for loop in _loops_of_the_end(trial):
        turns = next((n for inside, n in counted_loops(trial) if inside >= loop.keys()), 0)
        made = executed.get(next(iter(loop)), 0) / max(1, trial.run.warps)
        if 1 < made < turns and len(loop) > len(within):
            weight, within = turns / made, frozenset(loop)
    all_of_it: float = trial.run.warp_instructions
    all_of_it += (weight - 1) * sum(executed.get(pc, 0) for pc in within)
    return sum(n * (weight if pc in within else 1) for pc, n in mine.items()) / max(1, all_of_it)


def tells_of_accesses(trial: Trial, pcs: Collection[int]) -> bool:
    """The same for accesses, all in one loop, going by how often they were made.

    Copies that unrolling makes for the turns that are left over may have none.
    """
    made = [n for pc in pcs if (n := trial.run.requests.get(pc, 0))]
    often = bool(made) and min(made) >= STEADY_TURNS * trial.run.warps
    around = (loop for loop in _loops_of_the_end(trial) if set(pcs) <= loop.keys())
    return trial.complete or (often and any(around))


def _steady_loops(trial: Trial, executed: Mapping[int, int]) -> list[Collection[int]]:
    """The instructions of each loop in which a run was cut short after turns enough."""
    least = STEADY_TURNS * trial.run.warps
    return [
        loop.keys()
        for loop in _loops_of_the_end(trial)
        if executed.get(next(iter(loop)), 0) >= least
    ]


def _steady_inner_loops(trial: Trial, executed: Mapping[int, int]) -> list[Collection[int]]:
    """The instructions of each loop that turned often within one in which a run was cut short.

    That one has made a whole turn, too: a tile's loop in the loop over tiles.
    """
    warps = trial.run.warps
    outer = [
        loop.keys()
        for loop in _loops_of_the_end(trial)
        if executed.get(next(iter(loop)), 0) >= WHOLE_TURNS * warps
    ]
    return [
        loop.pcs
        for loop in trial.facts.loops
        for around in outer
        if set(loop.pcs) < set(around)
        if executed.get(loop.header, 0) >= STEADY_TURNS * executed.get(next(iter(around)), 0)
    ]


def _loops_of_the_end(trial: Trial) -> list[Mapping[int, None]]:
    """The instructions of the loops in which a run was cut short, each with its header first."""
    stop = trial.run.stop
    if stop is None or stop.pc is None or not stop.reason.endswith("budget"):
        return []
    return [
        dict.fromkeys((loop.header, *loop.pcs)) for loop in trial.facts.loops if stop.pc in loop.pcs
    ]
