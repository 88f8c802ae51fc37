"""The runs of a kernel's launches, with the tracers that rules ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from perflint.analysis.model import KernelFacts
from perflint.base import chance
from perflint.base.records import dataclass
from perflint.lint.blind_runs import BlindRuns
from perflint.lint.experiment import Condition, Plan
from perflint.lint.like_launches import as_value
from perflint.lint.riding_tracers import RIDING, RidingTracers, is_of_accesses
from perflint.lint.run_budgets import blocks_of, budget_of
from perflint.lint.run_ends import (
    Full,
    Reach,
    Sites,
    longest,
    shows_its_length,
    shows_what_is_left,
)
from perflint.lint.told_arrays import without_told
from perflint.rules.protocol import Scope, Trial
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.final_memory import LeftBehind
from perflint.sim.launch import (
    Budget,
    Dim3,
    Launch,
    Run,
    UnsupportedInstructionError,
)
from perflint.sim.tracers import found as tracers
from perflint.sim.tracers.accesses import AccessCounter

FEW_LANES = 2  #: on average; an access that no more come to is one that data keep the others from
SPENT = "instruction budget"
#: What ends a run at another place each time.
CHANCE = ("time budget", "memory budget")


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
    refused: dict[str, None] = field(default_factory=dict)  #: why launches were, the first first

    @property
    def contiguous(self) -> bool:
        """Blocks that talk to each other must be neighbours, or they wait in vain."""
        return self.facts.communicates

    def blocks_of(self, launch: Launch, scope: Scope) -> tuple[Dim3, ...]:
        """The blocks of a launch that its run of a scope is of."""
        return blocks_of(launch, scope, self.arch, self.contiguous)


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
    known: Mapping[str, Trial] = MappingProxyType({}),
) -> Iterator[tuple[int, Trial]]:
    """The trials of `run_plan`, each when it is asked for, with the number of its condition.

    Of those that are `known`, by their conditions' names, nothing is run again.
    """
    for number, condition in _in_turn(_wanted(plan, scope), scope):
        if (ran := known.get(condition.name)) is not None:
            program.meter.issued += ran.run.issued_instructions
            yield number, ran
            continue
        try:
            budget = budget_of(program.budget, number, scope, share)
            trial = trial_of(program, condition, scope, names, watched, budget, whole, riding)
        except LaunchError as error:  # no GPU of this architecture accepts it: it shows nothing
            program.refused.setdefault(str(error))
            continue
        yield number, trial
        if scope != "sites" and is_cut_short(trial):
            break  # the larger ones are so as well


def as_told(condition: Condition) -> tuple[object, ...]:
    """What a kernel sees of a condition: equal for two that it cannot tell apart."""
    launch = condition.launch
    if launch.image is not None:
        return (launch,)
    arguments = tuple(
        as_value(each, lambda b: (b.element, b.size, b.limit, b.filling, b.name))
        for each in launch.arguments
    )
    shape = launch.grid, launch.block, launch.dynamic_shared, launch.symbols, launch.textures
    return (*shape, arguments, condition.fill)


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
    return tuple(each for each in plan.conditions if not is_of_accesses(each))


def _in_turn(conditions: Sequence[Condition], scope: Scope) -> list[tuple[int, Condition]]:
    """Numbered conditions in the order in which they are run: whole blocks by their size."""
    numbered = list(enumerate(conditions))
    return numbered if scope == "sites" else sorted(numbered, key=lambda each: each[1].size)


def is_cut_short(trial: Trial) -> bool:
    """Whether a run met the end of its budget before its own."""
    return trial.run.stop is not None and trial.run.stop.reason.endswith("budget")


def trial_of(
    program: Program,
    condition: Condition,
    scope: Scope,
    names: Collection[str],
    watched: Sites,
    budget: Budget,
    whole: bool,
    riding: RidingTracers | None = None,
) -> Trial:
    facts, blocks = program.facts, program.blocks_of(condition.launch, scope)
    again = None
    if riding and scope in RIDING:
        again = riding.seen(condition, names, blocks, budget)
    if again is not None:
        run, used = again
    else:
        beside = riding.beside(condition, blocks) if riding and scope == "sites" else set()
        wanted = tuple(sorted({*names, *beside}))
        given_up = None if scope == "sites" else budget  # by what of it is left
        named = tuple(sorted(names))  # whether others rode along is nothing to these
        key = (program.facts, program.arch, scope, blocks, named, watched, whole, given_up)
        known = program.blind.like(key, condition, budget)
        if known is not None:
            run, used = known
        else:
            used = {name: tracers()[name]() for name in wanted}
            long = longest(used[name] for name in names)
            run = _simulated(program, condition, scope, blocks, used, watched, budget, whole, long)
            program.blind.came(key, condition, budget, run, used)
        if riding and scope == "sites":
            riding.came(condition, blocks, run, used)
    program.meter.issued += run.issued_instructions
    if run.stop and run.stop.reason in CHANCE:
        chance.cut()
    return Trial(
        name=condition.name,
        run=run,
        facts=facts,
        results={name: used[name] for name in sorted(names)},
        assumed_block=bool(condition.shape.assumed),
        contradicted=condition.shape.contradicted,
        replaced=condition.shape.replaced,
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
    long: int,
) -> Run:
    facts = program.facts
    reach = Reach(watched, _looped(facts), long) if scope == "sites" else None
    finite = [t for t in used.values() if hasattr(type(t), "filled")]
    full = Full(finite, budget) if finite and len(finite) == len(used) else None
    shown = shows_what_is_left if whole else shows_its_length
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
            arrays=_arrays(facts),
            skip_counted_loops=scope == "sites",
            batch_uniform_iterations=scope in ("blocks", "launch"),
            give_up_when=hopeless,
        ),
        tracers=(*used.values(), *([reach] if reach else [])),
    )
    if run.stop and reach and reach.stale:
        run = replace(run, stop=replace(run.stop, reason="nothing new for long"))
    return run


@lru_cache(maxsize=4)
def _arrays(facts: KernelFacts) -> Mapping[int, str]:
    """The shared variables that instructions access, as far as they are known."""
    own = (s for s in facts.sites if s.space == "shared" and s.array.kind == "variable")
    return {pc: site.array.name for site in own for pc in site.pcs}


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
    passed = as_told(condition), launch.copied, launch.parted, launch.cluster
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
    if run.stop and run.stop.reason in CHANCE:
        chance.cut()
    left = program.left[key] = None if run.stop else run.buffers
    return left


def stops(trials: Iterable[Trial]) -> Sequence[str]:
    """Why runs ended before the kernel did, for reasons other than that enough was seen."""
    return [t.run.stop.reason for t in trials if t.run.stop and t.run.stop.reason != "enough"]
