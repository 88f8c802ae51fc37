"""Trials beside those of a launch: in further worlds and with made inputs, for missed accesses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from perflint.base import chance
from perflint.lint.experiment import Condition, Plan, made_name
from perflint.lint.followed_runs import Allowance
from perflint.lint.made_inputs import inputs_for
from perflint.lint.run_budgets import PATIENCE, budget_of
from perflint.lint.run_ends import Sites
from perflint.lint.trials import CHANCE, SPENT, Program, as_told, trial_of, unreached
from perflint.rules.protocol import Trial
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.launch import Budget, Fill
from perflint.symbolic.trace import SymbolicTrace

#: Instructions of a kernel's runs that are followed symbolically, for each second of `--budget`.
FOLLOWED_INSTRUCTIONS = 2_000
MOST_MADE = 4  #: accesses of a launch that inputs are made for
_BROKEN = ("deadlock", "endless", "trap")


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
        if (told := as_told(condition)) in done:
            continue  # what is other in that world is nothing to this kernel
        done.add(told)
        try:
            budget = budget_of(program.budget, 1, "sites", share)
            trial = trial_of(program, condition, "sites", names, tuple(missed), budget, False)
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
    ended = {t.name for t in trials if t.run.stop is None or t.run.stop.reason == SPENT}
    return {as_told(c) for c in plan.conditions if c.name in ended}


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
    follow = partial(_follow, program)
    faults = {(f.kind, f.pc) for trial in trials for f in trial.run.faults}
    found: list[Trial] = []
    before = left.instructions
    for site in missed[:MOST_MADE]:
        if not unreached([site], found):
            continue
        try:
            for condition in inputs_for(program.facts, parameters, plan, site, follow, left):
                budget = budget_of(program.budget, 1, "sites", share)
                trial = trial_of(program, condition, "sites", names, missed, budget, False)
                wrong = any((f.kind, f.pc) not in faults for f in trial.run.faults)
                broken = trial.run.stop is not None and trial.run.stop.reason in _BROKEN
                if not (wrong or broken or unreached([site], [trial])):
                    found.append(trial)
                    found += _with_identity(program, condition, names, site, missed, share)
                    break
        except (LaunchError, MemoryError):  # these are trials beside those that count
            continue
    program.meter.issued += before - left.instructions
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
    budget = budget_of(program.budget, 1, "sites", share)
    trial = trial_of(program, tame, "sites", names, missed, budget, False)
    broken = trial.run.stop is not None and trial.run.stop.reason in _BROKEN
    return [] if broken or unreached([site], [trial]) else [trial]


def made_allowance(program: Program) -> Allowance:
    """What a kernel has for inputs that are made."""
    return Allowance(int(FOLLOWED_INSTRUCTIONS * program.budget))


def _follow(
    program: Program, condition: Condition, tracer: SymbolicTrace, most: int
) -> tuple[int, bool]:
    """Run a condition's blocks for a tracer that follows them."""
    run = simulate(
        program.facts.module,
        program.facts.kernel,
        condition.launch,
        SimulationOptions(
            arch=program.arch,
            fill=condition.fill,
            blocks=program.blocks_of(condition.launch, "sites"),
            budget=Budget(issued_instructions=most, seconds=PATIENCE * program.budget),
            keep_memory=False,
        ),
        tracers=[tracer],
    )
    if run.stop and run.stop.reason in CHANCE:
        chance.cut()
    return run.issued_instructions, run.stop is None
