"""The runs of a kernel's launches, with the tracers that rules ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.base import chance
from perflint.base.records import dataclass
from perflint.lint.blind_runs import BlindRuns
from perflint.lint.experiment import Condition, Plan, made_name
from perflint.lint.made_inputs import Allowance, inputs_for
from perflint.lint.riding_tracers import RidingTracers
from perflint.lint.told_arrays import without_told
from perflint.rules.protocol import Scope, Trial
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.architecture import load as architecture
from perflint.sim.emulator import choose_blocks
from perflint.sim.final_memory import LeftBehind
from perflint.sim.launch import (
    UNBOUNDED,
    Budget,
    Buffer,
    Dim3,
    Fill,
    Run,
    UnsupportedInstructionError,
)
from perflint.sim.residency import share_of_sm
from perflint.sim.trace import MemoryBatch, Tracing
from perflint.sim.tracers import found as tracers
from perflint.sim.tracers.accesses import AccessCounter
from perflint.symbolic.trace import SymbolicTrace

#: Instructions issued in the launches' first runs, and in those that hold their verdicts against
#: other conditions, for each second of `--budget` but the default's two. Those of 625 real
#: kernels settle within 1,000 warp-wide instructions; more only reaches more lines. The count ends
#: a run, never the clock, so that results repeat.
INSTRUCTIONS = 20_000
MORE_INSTRUCTIONS = 4_000
#: Runs that are to come to their end get more: cut short, they decide nothing.
WHOLE_INSTRUCTIONS = 12_000
#: The clock stops only what is out of hand: this many times the budget's seconds (CPU time).
PATIENCE = 15
#: Basic blocks after which a run goes on only while some suspect access was never reached.
BLOCKS = 400
#: … or so many instructions, where basic blocks are long. Not so with tracers that are patient.
LONG = 8_000
#: … and which it makes, this many times as many as it took to the last new access, where no other
#: turns up: what it still waits for stands behind a condition that is not met.
STALE, STALE_BLOCKS = 4, 4 * BLOCKS
#: … and before which no run ends: accesses that need no watching are seen in passing.
FIRST_BLOCKS = 32
REQUESTS_PER_SITE = 1024
#: Turns of the loops around them after which accesses count as reached: what is the same in each is
#: seen of several only.
LEAST_TURNS = 4
#: Instructions that a run issues though it will be cut short: CU404 asks for warps that execute
#: 4,000.
LEAST_ISSUED = 5_000
#: … and where it is of no use then: its loops' first turns tell what the others take. Tracers that
#: can use so much and no more keep some back at first.
LEAST_SEEN = 1_000
#: Blocks of one launch that are run at most where all of it is asked for.
MOST_BLOCKS = 1024
#: Instructions of a kernel's runs that are followed symbolically, for each second of `--budget`;
#: and that each of them may issue at least.
FOLLOWED_INSTRUCTIONS, LEAST_FOLLOWED = 2_000, 200
FEW_LANES = 2  #: on average; an access that no more come to is one that data keep the others from
MOST_MADE = 4  #: accesses of a launch that inputs are made for
_INSTRUCTIONS = "instruction budget"
_BROKEN = ("deadlock", "endless", "trap")
#: What ends a run at another place each time.
_CHANCE = ("time budget", "memory budget")

Sites = tuple[tuple[int, ...], ...]  #: the instructions of each site
Groups = Mapping[Scope, Collection[str]]  #: the tracers wanted, by how much of a launch is run


@dataclass
class Meter:
    """How much was simulated: the same wherever and whenever it is."""

    issued: int = 0  #: instructions


@dataclass(frozen=True, eq=False)
class Program:
    """What runs: a kernel as the analysis sees it, on one GPU."""

    facts: KernelFacts
    arch: str
    budget: float  #: seconds
    meter: Meter = field(default_factory=Meter)  #: of all its runs, and those of its variants
    #: what runs of whole blocks left, its variants' too: rules with other tracers ask again
    left: dict[object, LeftBehind | None] = field(default_factory=dict)
    blind: BlindRuns = field(default_factory=BlindRuns)

    @property
    def contiguous(self) -> bool:
        """Blocks that talk to each other must be neighbours, or they wait in vain."""
        return self.facts.communicates


def run_plan(
    program: Program,
    plan: Plan,
    scope: Scope,
    names: Collection[str],
    watched: Sites,
    share: int,
    whole: bool = False,
    riding: RidingTracers | None = None,
) -> tuple[Trial, ...]:
    """A trial for each condition of a launch. Refused launches are left out.

    `share` is the number of launches that the kernel's budget is for. A run of the scope `sites`
    ends once each of the `watched` sites has been seen often enough. Only what decides addresses
    and branches is computed. With `whole`, what is cut short is of no use to anybody.
    """
    came = dict(trials_in_turn(program, plan, scope, names, watched, share, whole, riding))
    return tuple(came[number] for number in sorted(came))


def trials_in_turn(
    program: Program,
    plan: Plan,
    scope: Scope,
    names: Collection[str],
    watched: Sites,
    share: int,
    whole: bool = False,
    riding: RidingTracers | None = None,
) -> Iterator[tuple[int, Trial]]:
    """The trials of `run_plan`, each when it is asked for, with the number of its condition."""
    for number, condition in _in_turn(_wanted(plan, scope), scope):
        try:
            budget = _budget(program.budget, number, scope, share)
            trial = _run(program, condition, scope, names, watched, budget, whole, riding)
        except LaunchError:
            continue  # a launch that no GPU of this architecture accepts shows nothing
        yield number, trial
        if scope != "sites" and is_cut_short(trial):
            break  # the larger ones are so as well


def further_trials(
    program: Program,
    plan: Plan,
    trials: Iterable[Trial],
    names: Collection[str],
    watched: Sites,
    share: int,
) -> tuple[Trial, ...]:
    """Trials in further worlds, for watched sites that none of a plan's own `trials` reached.

    Only those of use: each reaches a site that no other does. They never stand in for a trial:
    only what these reach is judged by them.
    """
    own = list(trials)
    missed = unreached(watched, own)
    found: list[Trial] = []
    done = _as_far_as_it_goes(plan, own)
    for condition in plan.more() if missed else ():
        if (told := _told(condition)) in done:
            continue  # what is other in that world is nothing to this kernel
        done.add(told)
        try:
            budget = _budget(program.budget, 1, "sites", share)
            trial = _run(program, condition, "sites", names, tuple(missed), budget, False)
        except LaunchError:
            continue
        left = unreached(missed, [trial])
        if len(left) < len(missed):
            found.append(trial)
            missed = left
        if not missed:
            break
    return tuple(found)


def _as_far_as_it_goes(plan: Plan, trials: Sequence[Trial]) -> set[tuple[object, ...]]:
    """What was run as far as its budget goes, which is no less than that of further trials."""
    ended = {t.name for t in trials if t.run.stop is None or t.run.stop.reason == _INSTRUCTIONS}
    return {_told(c) for c in plan.conditions if c.name in ended}


def _told(condition: Condition) -> tuple[object, ...]:
    """What a kernel sees of a condition: equal for two that it cannot tell apart."""
    launch = condition.launch
    if launch.image is not None:
        return (launch,)
    arguments = tuple(
        (a.element, a.size, a.limit, a.filling, a.name)
        if isinstance(a, Buffer) and a.data is None
        else a
        for a in launch.arguments
    )
    shape = launch.grid, launch.block, launch.dynamic_shared, launch.symbols, launch.textures
    return (*shape, arguments, condition.fill)


def made_trials(
    program: Program,
    plan: Plan,
    trials: Sequence[Trial],
    parameters: Sequence[str],
    names: Collection[str],
    missed: Sites,
    share: int,
    left: Allowance,
) -> tuple[Trial, ...]:
    """Trials with inputs that are made for sites that none of a launch's `trials` reached.

    Only those of use, that do nothing wrong which no trial did. `parameters` are source names.
    """
    follow = partial(_follow, program, left)
    faults = {(f.kind, f.pc) for trial in trials for f in trial.run.faults}
    found: list[Trial] = []
    for site in missed[:MOST_MADE]:
        if not unreached([site], found):
            continue
        try:
            for condition in inputs_for(program.facts, parameters, plan, site, follow, left):
                budget = _budget(program.budget, 1, "sites", share)
                trial = _run(program, condition, "sites", names, missed, budget, False)
                wrong = any((f.kind, f.pc) not in faults for f in trial.run.faults)
                broken = trial.run.stop is not None and trial.run.stop.reason in _BROKEN
                if not (wrong or broken or unreached([site], [trial])):
                    found.append(trial)
                    found += _with_identity(program, condition, names, site, missed, share)
                    break
        except (LaunchError, MemoryError):  # these are trials beside those that count
            continue
    return tuple(found)


def _with_identity(
    program: Program,
    condition: Condition,
    names: Collection[str],
    site: tuple[int, ...],
    missed: Sites,
    share: int,
) -> list[Trial]:
    """The same with identity data in all arrays that were not made, for a loaded address."""
    if not any(s.loaded_address and set(site) <= set(s.pcs) for s in program.facts.sites):
        return []
    name = made_name(replace(condition, name="identity data"), condition.reached_with)
    tame = replace(condition, name=name, fill=Fill.IDENTITY, identity=True)
    budget = _budget(program.budget, 1, "sites", share)
    trial = _run(program, tame, "sites", names, missed, budget, False)
    broken = trial.run.stop is not None and trial.run.stop.reason in _BROKEN
    return [] if broken or unreached([site], [trial]) else [trial]


def made_allowance(program: Program) -> Allowance:
    """What a kernel has for inputs that are made."""
    return Allowance(int(FOLLOWED_INSTRUCTIONS * program.budget))


def _follow(program: Program, left: Allowance, condition: Condition, tracer: SymbolicTrace) -> None:
    """Run a condition's blocks for a tracer that follows them, with half of what is left."""
    run = simulate(
        program.facts.module,
        program.facts.kernel,
        condition.launch,
        SimulationOptions(
            arch=program.arch,
            fill=condition.fill,
            blocks=_blocks(program, condition, "sites"),
            budget=Budget(
                issued_instructions=max(LEAST_FOLLOWED, left.instructions // 2),
                seconds=PATIENCE * program.budget,
            ),
            keep_memory=False,
        ),
        tracers=[tracer],
    )
    left.instructions -= run.issued_instructions
    program.meter.issued += run.issued_instructions
    if run.stop and run.stop.reason in _CHANCE:
        chance.cut()


def unreached(watched: Iterable[tuple[int, ...]], trials: Sequence[Trial]) -> list[tuple[int, ...]]:
    """The sites of which no run has made a request."""
    return [s for s in watched if not any(t.run.requests.get(pc) for pc in s for t in trials)]


def is_thin(pcs: Sequence[int], trial: Trial) -> bool:
    """Whether hardly more than one lane at a time came to a site in a run: where a warp goes with
    all its lanes, it looks otherwise."""
    counter = trial.results.get(AccessCounter.__name__)
    if not isinstance(counter, AccessCounter):
        return False
    counts = [counter.counts[pc] for pc in pcs if pc in counter.counts]
    requests = sum(count.requests for count in counts)
    return 0 < sum(count.lanes for count in counts) < FEW_LANES * requests


def _wanted(plan: Plan, scope: Scope) -> tuple[Condition, ...]:
    """The conditions to try: all for accesses; for whole blocks those of the sizes alone."""
    if scope == "sites":
        return plan.conditions
    return tuple(c for c in plan.conditions if not c.identity and not c.unit_stride)


def _in_turn(conditions: Sequence[Condition], scope: Scope) -> list[tuple[int, Condition]]:
    """Numbered conditions in the order in which they are run: whole blocks by their size."""
    numbered = list(enumerate(conditions))
    return numbered if scope == "sites" else sorted(numbered, key=lambda each: each[1].size)


def is_cut_short(trial: Trial) -> bool:
    """Whether a run met the end of its budget before its own."""
    return trial.run.stop is not None and trial.run.stop.reason.endswith("budget")


def _run(
    program: Program,
    condition: Condition,
    scope: Scope,
    names: Collection[str],
    watched: Sites,
    budget: Budget,
    whole: bool,
    riding: RidingTracers | None = None,
) -> Trial:
    facts, blocks = program.facts, _blocks(program, condition, scope)
    again = riding.seen(condition, names, budget) if riding and scope == "blocks" else None
    if again is not None:
        run, used = again
    else:
        beside = riding.names if riding and scope == "sites" else frozenset()
        wanted = tuple(sorted({*names, *beside}))
        given_up = None if scope == "sites" else budget  # by what of it is left
        key = (program.facts, program.arch, scope, blocks, wanted, watched, whole, given_up)
        known = program.blind.like(key, condition, budget)
        if known is not None:
            run, used = known
        else:
            used = {name: tracers()[name]() for name in wanted}
            run = _simulated(program, condition, scope, blocks, used, watched, budget, whole)
            program.blind.came(key, condition, budget, run, used)
        if riding and scope == "sites":
            riding.came(condition, run, used)
    program.meter.issued += run.issued_instructions
    if run.stop and run.stop.reason in _CHANCE:
        chance.cut()
    return Trial(
        name=condition.name,
        run=run,
        facts=facts,
        results={name: used[name] for name in sorted(names)},
        assumed_block=bool(condition.shape.assumed),
        contradicted=condition.shape.contradicted,
        unit_stride=condition.unit_stride,
        identity=condition.identity,
        exact=condition.exact,
        size=condition.size,
        sized=frozenset(condition.shape.allocations),
        values=condition.values,
        fields=condition.origins.known_fields,
        reached_with=condition.reached_with,
        again=partial(_outputs, program, condition, blocks, budget),
    )


def _simulated(
    program: Program,
    condition: Condition,
    scope: Scope,
    blocks: tuple[Dim3, ...],
    used: Mapping[str, Any],
    watched: Sites,
    budget: Budget,
    whole: bool,
) -> Run:
    facts = program.facts
    reach = _Reach(watched, _looped(facts), _long(used)) if scope == "sites" else None
    finite = [t for t in used.values() if hasattr(type(t), "filled")]
    full = _Full(finite, budget) if finite and len(finite) == len(used) else None
    shown = _shows_what_is_left if whole else _shows_its_length
    hopeless = None if reach else full.is_out_of_reach if full else shown
    run = simulate(
        facts.module,
        facts.kernel,
        condition.launch,
        SimulationOptions(
            arch=program.arch,
            fill=condition.fill,
            blocks=blocks,
            budget=budget,
            stop_when=reach or full,
            slice_only=True,
            skip_counted_loops=scope == "sites",
            batch_uniform_iterations=scope in ("blocks", "launch"),
            give_up_when=hopeless,
        ),
        tracers=(*used.values(), *([reach] if reach else [])),
    )
    if run.stop and reach and reach.stale:
        run = replace(run, stop=replace(run.stop, reason="nothing new for long"))
    return run


def _long(used: Mapping[str, Any]) -> int:
    """The instructions after which a run for accesses need not go on."""
    patient = any(getattr(type(tracer), "patient", False) for tracer in used.values())
    return UNBOUNDED if patient else LONG


@lru_cache(maxsize=4)
def _looped(facts: KernelFacts) -> frozenset[int]:
    """The instructions that stand in loops."""
    return frozenset(pc for loop in facts.loops for pc in loop.pcs)


def _outputs(
    program: Program, condition: Condition, blocks: tuple[Dim3, ...], budget: Budget
) -> LeftBehind | None:
    """What a run of whole blocks leaves in memory; None if that cannot be had within the budget.

    All its arrays are made up, distinct by position: the program's own may be all alike, and show
    no difference.
    """
    facts, launch, fill = program.facts, without_told(condition.launch), condition.fill
    passed = _told(condition), launch.copied, launch.parted, launch.cluster
    key = (facts, program.arch, passed, blocks, budget)
    if key in program.left:
        return program.left[key]
    program.left[key] = None
    options = SimulationOptions(arch=program.arch, fill=fill, blocks=blocks, budget=budget)
    try:
        run = simulate(facts.module, facts.kernel, launch, options)
    except UnsupportedInstructionError:  # among what the runs before left out
        return None
    program.meter.issued += run.issued_instructions
    if run.stop and run.stop.reason in _CHANCE:
        chance.cut()
    left = program.left[key] = None if run.stop else run.buffers
    return left


def _budget(seconds: float, number: int, scope: Scope, share: int) -> Budget:
    if scope == "sites":
        each = MORE_INSTRUCTIONS if number else INSTRUCTIONS
        return Budget(
            issued_instructions=int(each * seconds) // share,
            seconds=PATIENCE * seconds,
            requests_per_site=REQUESTS_PER_SITE,
        )
    return Budget(
        warp_instructions=UNBOUNDED,
        issued_instructions=int(WHOLE_INSTRUCTIONS * seconds) // share,
        seconds=PATIENCE * seconds,
        requests_per_site=UNBOUNDED,
    )


def _blocks(program: Program, condition: Condition, scope: Scope) -> tuple[Dim3, ...]:
    launch = condition.launch
    if scope in ("sites", "blocks"):
        return choose_blocks(launch.grid, program.contiguous)
    if scope == "launch":
        return first_blocks(launch.grid, MOST_BLOCKS)
    limits = architecture(program.arch)
    by_threads = limits.max_threads_per_sm // max(1, launch.threads_per_block)
    dealt = share_of_sm(limits, launch.block_count)
    return first_blocks(launch.grid, max(1, min(by_threads, limits.max_blocks_per_sm, dealt)))


def first_blocks(grid: Dim3, most: int) -> tuple[Dim3, ...]:
    """The first blocks of a grid in the order in which they are started: x runs fastest."""
    count = min(most, grid[0] * grid[1] * grid[2])
    index = np.arange(count)
    x, y, z = index % grid[0], index // grid[0] % grid[1], index // (grid[0] * grid[1])
    return tuple(zip(x.tolist(), y.tolist(), z.tolist(), strict=True))


class _Reach(Tracing):
    """Asked after each basic block whether a run has shown what it can. Counts requests."""

    def __init__(self, watched: Sites, looped: frozenset[int], long: int) -> None:
        self._looped, self._long = looped, long
        self._most: dict[int, int] = {}  #: by access in a loop: warps that came at a time
        self._site = {pc: group for group, pcs in enumerate(watched) for pc in pcs}
        self._left = dict.fromkeys(range(len(watched)), REQUESTS_PER_SITE)
        self._unreached = set(self._left)
        self._blocks = self._order = 0
        self.stale = False  #: whether the run ended for want of news
        self._seen: set[int] = set()
        self._news = 0  #: the number of basic blocks when an access was made for the first time

    def memory(self, batch: MemoryBatch) -> None:
        self._order = batch.order
        if batch.pc not in self._seen:
            self._seen.add(batch.pc)
            self._news = self._blocks
        group = self._site.get(batch.pc)
        if group in self._left:
            self._left[group] -= len(batch.warp)
            if self._is_reached(group, batch):
                self._unreached.discard(group)
            if self._left[group] <= 0:
                del self._left[group]

    def _is_reached(self, group: int, batch: MemoryBatch) -> bool:
        """Whether an access was made, in a loop by each warp on several turns."""
        if batch.pc not in self._looped:
            return True
        most = self._most[group] = max(len(batch.warp), self._most.get(group, 0))
        return REQUESTS_PER_SITE - self._left[group] >= LEAST_TURNS * most

    def _is_long(self) -> bool:
        """Whether a run has gone on for as long as anything new can be hoped for."""
        return self._blocks > BLOCKS or self._order > self._long

    def __call__(self) -> bool:
        self._blocks += 1
        if self._blocks < FIRST_BLOCKS:
            return False
        if not self._left or (self._is_long() and not self._unreached):
            return True
        self.stale = self._blocks > max(STALE_BLOCKS, STALE * self._news)
        return self.stale


class _Full:
    """Asked after each basic block whether all tracers of a run have as much as they can use."""

    def __init__(self, tracers_: Sequence[Any], budget: Budget) -> None:
        self._tracers, self._budget = tracers_, budget

    def __call__(self) -> bool:
        return all(tracer.filled >= 1 for tracer in self._tracers)

    def is_out_of_reach(self, issued: int) -> bool:
        """Whether the budget's end comes long before, going by what is seen by now."""
        whole = self._budget.issued_instructions / max(1, issued)
        return issued >= LEAST_SEEN and min(t.filled for t in self._tracers) * whole < 0.5


def _shows_its_length(issued: int) -> bool:
    """Whether a run that will be cut short is long enough to say that its warps' work is long."""
    return issued >= LEAST_ISSUED


def _shows_what_is_left(issued: int) -> bool:
    """Whether a run is long enough to say how much is left of it."""
    return issued >= LEAST_SEEN


def stops(trials: Iterable[Trial]) -> Sequence[str]:
    """Why runs ended before the kernel did, for reasons other than that enough was seen."""
    return [t.run.stop.reason for t in trials if t.run.stop and t.run.stop.reason != "enough"]
