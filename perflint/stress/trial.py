"""One input tried: the launch simulated with it, its figures, and whether it is an input at all.

The simulator is the judge: an input that leads the kernel out of its arrays, or to no end within
the budget, is none that a program could have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np

from perflint.base.records import dataclass
from perflint.debug_lines import Lines
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.final_memory import LeftBehind
from perflint.sim.launch import UNBOUNDED, Budget, Fault, Run, UnsupportedInstructionError
from perflint.sim.trace import Setting, Tracing
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.addresses import Addresses
from perflint.sim.tracers.branch import Branch
from perflint.stress.generators import Generator, GeneratorError
from perflint.stress.objectives import OBJECTIVES, Figure, Observed, Place, edges
from perflint.stress.target import MEMORY, SECONDS, StressError, Target

Input = Mapping[str, Generator]  #: by array
Key = tuple[str, Place]  #: an objective and what of the kernel it is counted at

#: What a launch does wrong that makes its input none; textures clamp, and asserts are the user's.
_WRONG = {
    "out-of-region": "an access leaves its array",
    "shared-overrun": "an access leaves shared memory",
    "misaligned": "an access is misaligned",
    "negative-offset": "an access lies before its array",
    "assert": "an assertion of the kernel fails",
}


TOO_LONG = "the run is too long"


@dataclass(frozen=True)
class Limits:
    """Where the run of one input ends: counts, so that the same input always comes as far."""

    warp_instructions: int = 4_000_000
    issued_instructions: int = 100_000


@dataclass(frozen=True)
class Outcome:
    """What came of an input."""

    figures: Mapping[Key, Figure] = field(default_factory=dict)
    wrong: str = ""  #: why it is no input; "" where it is one
    warp_instructions: int = 0
    issued: int = 0
    edges: frozenset[tuple[int, int]] = frozenset()  #: ways out of branches that were gone
    schedule_dependent: bool = False


class _Listener(Tracing):
    """Keeps what a run was about."""

    def begin(self, setting: Setting) -> None:
        self.setting = setting


#: Of these a launch's run takes less with all arrays 0, so that there is room for what is worse.
_AT_FIRST = Limits(500_000, 20_000)
_FEWER = 4  #: times fewer blocks are simulated where it does not


def fitted(target: Target) -> Target:
    """The target with as many blocks as many tries allow. Raises StressError where none is."""
    while True:
        arrays = {
            slot.name: np.zeros_like(slot.data) if slot.free else slot.data for slot in target.slots
        }
        if of_arrays(target, arrays, _AT_FIRST).wrong != TOO_LONG:
            return target
        if len(target.blocks) == 1:
            raise StressError(
                f"{target.subject.path}: kernel {target.subject.title}: one block takes more than "
                f"{_AT_FIRST.issued_instructions:,} instructions: say --launch with smaller sizes"
            )
        fewer = max(1, len(target.blocks) // _FEWER)
        target = replace(target, threads=fewer * target.launch.threads_per_block)


def tried(target: Target, input_: Input, limits: Limits) -> Outcome:
    """Simulate an input and count."""
    try:
        arrays = target.arrays(input_)
    except GeneratorError as error:
        return Outcome(wrong=str(error))
    return of_arrays(target, arrays, limits)


def of_arrays(target: Target, arrays: Mapping[str, np.ndarray], limits: Limits) -> Outcome:
    """The same of arrays themselves."""
    listener, accesses, addresses, branches = _Listener(), AccessCounter(), Addresses(), Branch()
    try:
        run = _run(target, arrays, limits, (accesses, addresses, branches, listener), sliced=True)
    except (LaunchError, UnsupportedInstructionError) as error:
        return Outcome(wrong=str(error))
    wrong = _wrong(target, run)
    if wrong:
        return Outcome(wrong=wrong, issued=run.issued_instructions)
    seen = Observed(target.facts, run, listener.setting, accesses, addresses, branches)
    return Outcome(
        {
            (objective.name, place): figure
            for objective in OBJECTIVES.values()
            for place, figure in objective.figures(seen)
        },
        warp_instructions=run.warp_instructions,
        issued=run.issued_instructions,
        edges=frozenset(edges(seen)),
        schedule_dependent=run.schedule_dependent,
    )


def traced(
    target: Target, arrays: Mapping[str, np.ndarray], limits: Limits, tracers: tuple[Tracing, ...]
) -> int:
    """Run the launch for some tracers; instructions issued, or 0 where it is no proper one."""
    try:
        run = _run(target, arrays, limits, tracers, sliced=True)
    except (LaunchError, UnsupportedInstructionError):
        return 0
    return 0 if _wrong(target, run) else run.issued_instructions


def left_behind(target: Target, arrays: Mapping[str, np.ndarray], limits: Limits) -> LeftBehind:
    """What the launch leaves in its arrays."""
    return _run(target, arrays, limits, (), sliced=False).buffers


def _run(
    target: Target,
    arrays: Mapping[str, np.ndarray],
    limits: Limits,
    tracers: tuple[Tracing, ...],
    *,
    sliced: bool,
) -> Run:
    budget = Budget(
        limits.warp_instructions, limits.issued_instructions, SECONDS, MEMORY, UNBOUNDED
    )
    options = SimulationOptions(
        arch=target.subject.arch,
        blocks=target.blocks,
        budget=budget,
        keep_memory=not sliced,
        slice_only=sliced,
        batch_uniform_iterations=sliced,
        find_endless=True,
    )
    launch = target.with_arrays(arrays)
    return simulate(target.subject.module, target.facts.kernel, launch, options, tracers=tracers)


def _wrong(target: Target, run: Run) -> str:
    """Why what ran was no proper launch; "" where it was."""
    if run.stop is not None:
        budget = run.stop.reason.endswith("budget")
        return TOO_LONG if budget else f"the run is ended by a {run.stop.reason}"
    faults = [fault for fault in run.faults if fault.kind in _WRONG]
    if not faults:
        return ""
    return f"{_WRONG[faults[0].kind]}{_line(target, faults[0])}"


def _line(target: Target, fault: Fault) -> str:
    facts = target.subject.facts.values()
    lines = Lines.of(target.subject.path, target.facts.kernel, facts)
    return f" at {lines.line(target.facts.kernel.instructions[fault.pc])}"
