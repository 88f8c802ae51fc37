"""The rule loop over one kernel: analysed, suspected, tried, judged (docs/architecture.md).

Nothing here knows a rule, a tracer or a metric by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts
from perflint.base.constructs import Constructs, FunctionSource
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.mangling import nested_name
from perflint.frontend.source.language.model import HostData
from perflint.grammar.model import Location
from perflint.lint.account import Account
from perflint.lint.accounting import Verdicts, account
from perflint.lint.build_finding import Judged, cured, findings, place_of_site
from perflint.lint.experiment import Plan, plans, share
from perflint.lint.findings import Finding, LaunchCount, Unanalysed
from perflint.lint.further_trials import further_trials, made_allowance, made_trials
from perflint.lint.judge import judge
from perflint.lint.judgement import Judgement
from perflint.lint.launch_costs import LaunchCosts, costs_unsuspected, launch_costs
from perflint.lint.one_fault import joined
from perflint.lint.other_turns import doubted
from perflint.lint.other_writers import written_elsewhere
from perflint.lint.parts import summed
from perflint.lint.riding_tracers import RidingTracers
from perflint.lint.ruleset import RuleModule
from perflint.lint.run_ends import Sites
from perflint.lint.site_location import accesses, statement
from perflint.lint.subject import Subject
from perflint.lint.told_arrays import analysed
from perflint.lint.trials import Program, is_cut_short, is_thin, run_plan, stops, unreached
from perflint.lint.variants import Laboratory
from perflint.lint.weigh import weighed
from perflint.rules.names import Names
from perflint.rules.protocol import (
    Kernel,
    KnownLaunch,
    Scope,
    Suspicion,
    Trial,
    Variant,
    VariantResult,
    Verdict,
)
from perflint.sim.architecture import load as load_architecture
from perflint.sim.launch import Dim3, UnsupportedInstructionError

WARP = 32
MOST_PLANS = 2  #: launches of a kernel that inputs are made for
_ENDS = frozenset({"ret", "exit", "trap"})
_ORDER = {Verdict.CONFIRMED: 0, Verdict.UNDECIDED: 1, Verdict.REFUTED: 2}

Suspicions = Sequence[tuple[RuleModule, Suspicion]]
Runs = dict[Scope, list[tuple[Trial, ...]]]  #: by how much is run: the trials of each plan


@dataclass(frozen=True)
class Outcome:
    """What came of one kernel."""

    findings: tuple[Finding, ...] = ()
    unanalysed: Unanalysed | None = None
    partial: Unanalysed | None = None  #: analysed, but not all of it
    remarks: tuple[str, ...] = ()
    issued: int = 0  #: instructions that its simulations have issued
    account: Account | None = None  #: suspicion by suspicion, where that was asked for
    costs: LaunchCosts | None = None  #: of all launches of its program, where these are told


def check_kernel(subject: Subject, rules: Sequence[RuleModule]) -> Outcome:
    """Run `rules` over one kernel."""
    try:
        facts, told = analysed(subject)
    except AnalysisError as error:
        return Outcome(unanalysed=subject.not_analysed(str(error)))
    subject = replace(subject, kernel=facts.kernel)  # its calls are written out
    tried, left_out = subject.recorded, 0
    if not tried:
        tried, left_out = tried_launches(subject, facts, told)
    kernel = _kernel(subject, facts, tried)
    suspicions = [(rule, each) for rule in rules for each in rule.suspect(kernel)]
    if not suspicions:
        endless, partial_ = _endless(subject), _uninspected(subject, facts)
        said = account(subject, rules, kernel, tried, unanalysed=endless, partial=partial_)
        remarks = tuple(_left_out(subject, tried, left_out))
        return Outcome(
            unanalysed=endless,
            partial=partial_,
            remarks=remarks,
            account=said,
            costs=None if endless else costs_unsuspected(subject, facts, tried),
        )
    program = Program(facts, subject.arch, subject.budget)
    watched = _watched(suspicions, [plan.shape.block for plan in tried])
    try:
        runs = _run_all(program, tried, suspicions, watched)
    except UnsupportedInstructionError as error:
        unsupported = subject.not_analysed(f"{error}", error.line)
        return Outcome(
            unanalysed=unsupported,
            issued=program.meter.issued,
            account=account(subject, rules, kernel, tried, unanalysed=unsupported),
        )
    if not any(trials for groups in runs.values() for trials in groups):
        why = next(iter(program.refused), "")
        refused = subject.not_analysed("no launch could be simulated" + (f": {why}" if why else ""))
        return Outcome(
            unanalysed=refused,
            issued=program.meter.issued,
            account=account(subject, rules, kernel, tried, unanalysed=refused),
        )
    laboratory = Laboratory(subject, program, kernel.function, tried, runs)
    further = _further(program, tried, suspicions, watched, runs)
    made = _made(program, tried, kernel, suspicions, watched, [*runs.get("sites", []), *further])
    verdicts = []
    for rule, suspicion in suspicions:
        reaching = _reaching(suspicion, runs, rule, further, made)
        answers = doubted(
            rule.RULE, suspicion, _judge(rule, suspicion, reaching, laboratory), tried
        )
        verdicts.append(Verdicts(rule, suspicion, answers))
    judged = summed([worst for each in verdicts if (worst := _worst(each, tried))])
    judged = weighed(joined(judged, verdicts, laboratory), tried, laboratory)
    judged = cured(judged, every=subject.explain)
    cut_short = _cut_short(subject, watched, [*runs.get("sites", []), *further, *made])
    trials = [
        [t for group in [*runs.values(), further, made] for t in group[number]]
        for number in range(len(tried))
    ]
    asks = laboratory if any(each.level != "note" for each in judged) else None
    costs = launch_costs(subject, facts, tried, trials, asks)
    return Outcome(
        findings(subject, judged),
        partial=cut_short,
        costs=costs,
        remarks=tuple(_left_out(subject, tried, left_out)),
        issued=program.meter.issued,
        account=account(subject, rules, kernel, tried, verdicts, judged, trials, partial=cut_short),
    )


def tried_launches(
    subject: Subject, facts: KernelFacts, told: Mapping[int, HostData] | None = None
) -> tuple[tuple[Plan, ...], int]:
    """The launches to try, with what is told of their arrays, and how many were left out."""
    return plans(
        facts,
        subject.parameters,
        source=subject.source,
        sites=subject.launches,
        specs=subject.specs,
        symbols=subject.symbols,
        data=told,
        max_threads=load_architecture(subject.arch).max_threads_per_block,
    )


# --- what rules see -------------------------------------------------------------------------------


def _kernel(subject: Subject, facts: KernelFacts, tried: Sequence[Plan]) -> Kernel:
    places = {site.pcs: place_of_site(subject, site) for site in facts.sites}
    names = Names(
        subject.parameters,
        {pcs: p.array for pcs, p in places.items() if p.array},
        subject.origin.language,
    )
    return Kernel(
        facts=facts,
        names=names,
        arch=load_architecture(subject.arch),
        cache_size=subject.cache_size,
        min_waste=subject.min_waste,
        assumed_template=subject.origin.assumed,
        never_launched=subject.never_launched(),
        hardly_launched=subject.hardly_launched,
        left_out=subject.left_out,
        targets=tuple(map(load_architecture, subject.targets)),
        launches=tuple(_known_launch(subject, plan) for plan in tried),
        blocks_there=subject.blocks_there,
        function=_function(subject),
        constructs=lambda path: _constructs(subject, Path(path)),
        statement=lru_cache(maxsize=None)(partial(_statement, subject)),
        accesses=lambda site: accesses(site, names.plain_array(site), subject.facts),
        resources=subject.resources,
    )


def _known_launch(subject: Subject, plan: Plan) -> KnownLaunch:
    return replace(
        plan.shape,
        exact=all(condition.exact for condition in plan.conditions),
        written_elsewhere=written_elsewhere(subject, plan.shape.argument_texts),
    )


def _constructs(subject: Subject, path: Path) -> Constructs | None:
    return subject.constructs(real_path(path))


def _function(subject: Subject) -> FunctionSource | None:
    """The kernel's definition among its file's functions, its types those of the instance."""
    if subject.source is None:
        return None
    span = subject.source.name_span
    found = _constructs(subject, span.path)
    function = found.function_at(span.line, span.column) if found else None
    if function is None or len(function.parameters) != len(subject.kernel.parameters):
        return None
    given = subject.origin.template_arguments or ()
    listed = zip(subject.source.template_parameters, given, strict=False)
    types = {p.name: argument for p, argument in listed if p.is_type}
    parameters = (
        replace(p, type=re.sub(r"\w+", lambda word: types.get(word[0], word[0]), p.type))
        for p in function.parameters
    )
    return replace(function, parameters=tuple(parameters)) if types else function


def _statement(subject: Subject, location: Location | None) -> Span | None:
    found = statement(location, subject.facts) if location else None
    return found.place if found else None


def _watched(suspicions: Suspicions, blocks: Collection[Dim3]) -> Sites:
    """The accesses that runs of the scope `sites` go on for.

    How a packed access looks is known; how often it repeats its address, say, only a run shows.
    """
    sites = (
        site
        for rule, suspicion in suspicions
        if rule.RULE.scope == "sites"
        for site in suspicion.sites
        if rule.RULE.claim != "pattern" or not is_packed(site, blocks)
    )
    return tuple(dict.fromkeys(site.pcs for site in sites))


def is_packed(site: AccessSite, blocks: Iterable[Dim3]) -> bool:
    """Whether each warp of `blocks` moves neighbouring elements, as the analysis knows already.

    Such a site is judged by what is seen of it; a run need not go on until it is reached.
    """
    stride = site.strides.get("x")
    packed = stride is not None and stride.constant in (0, site.size, -site.size)
    return packed and all(block[0] % WARP == 0 for block in blocks)


# --- runs and judgements --------------------------------------------------------------------------


def _run_all(
    program: Program, tried: Sequence[Plan], suspicions: Suspicions, watched: Sites
) -> Runs:
    """Every plan's trials for each scope that a suspicion's rule wants, with all tracers wanted."""
    wanted: dict[Scope, set[str]] = {}
    whole: dict[Scope, bool] = {}
    for rule, _ in suspicions:
        scope = rule.RULE.scope
        wanted.setdefault(scope, set()).update(rule.RULE.tracers)
        whole[scope] = whole.get(scope, True) and rule.RULE.whole
    riding = RidingTracers(program.facts, wanted, program.blocks_of)
    runs = {
        scope: [
            run_plan(
                program, plan, scope, wanted[scope], watched, share(tried, number), whole[scope],
                riding,
            )
            for number, plan in enumerate(tried)
        ]
        for scope in sorted(wanted, key=lambda scope: scope != "sites")  # others ride along
    }  # fmt: skip
    return {scope: runs[scope] for scope in wanted}


def _further(
    program: Program,
    tried: Sequence[Plan],
    suspicions: Suspicions,
    watched: Sites,
    runs: Runs,
) -> list[tuple[Trial, ...]]:
    """Of each plan the trials in further worlds, for accesses that none of its own reached."""
    steered = {pc for s in program.facts.sites if s.data_dependent for pc in s.pcs}
    open_ = tuple(site for site in watched if not steered.intersection(site))
    names = {n for rule, _ in suspicions if rule.RULE.scope == "sites" for n in rule.RULE.tracers}
    trials = runs.get("sites", [()] * len(tried))
    return [
        further_trials(program, plan, trials[number], names, open_, share(tried, number))
        for number, plan in enumerate(tried)
    ]


def _made(
    program: Program,
    tried: Sequence[Plan],
    kernel: Kernel,
    suspicions: Suspicions,
    watched: Sites,
    trials: Sequence[tuple[Trial, ...]],
) -> list[tuple[Trial, ...]]:
    """Of each plan the trials with inputs that were made for accesses that nothing else reached."""
    rules = [rule.RULE for rule, _ in suspicions if _sees_made(rule)]
    pcs = {pc for rule, each in suspicions if _sees_made(rule) for pc in each.pcs}
    names = {name for rule in rules for name in rule.tracers}
    seen = [trial for group in trials for trial in group]
    made: list[tuple[Trial, ...]] = [()] * len(tried)
    left = made_allowance(program)
    for number, plan in enumerate(tried[:MOST_PLANS]):
        missed = tuple(
            site
            for site in watched
            if pcs.intersection(site) and _is_missed(program.facts, site, seen)
        )
        if missed and trials[number]:
            parts, parameters = share(tried, number), kernel.names.parameters
            made[number] = made_trials(
                program, plan, trials[number], parameters, names, missed, parts, left
            )
            seen += made[number]
    return made


def _is_missed(facts: KernelFacts, pcs: Sequence[int], trials: Sequence[Trial]) -> bool:
    """Whether no run comes to a site, or only lanes that made-up data let by, one at a time."""
    came = [t for t in trials if any(t.run.requests.get(pc) for pc in pcs)]
    if not came:
        return True
    steered = any(s.data_dependent and set(s.pcs) <= set(pcs) for s in facts.sites)
    return steered and all(is_thin(pcs, trial) for trial in came)


def _sees_made(rule: RuleModule) -> bool:
    """Whether inputs that were made say anything to a rule: how often they occur nobody knows."""
    return rule.RULE.scope == "sites" and rule.RULE.claim == "pattern"


def _reaching(
    suspicion: Suspicion,
    runs: Runs,
    rule: RuleModule,
    further: Sequence[tuple[Trial, ...]],
    made: Sequence[tuple[Trial, ...]],
) -> Runs:
    """The trials that a suspicion is judged by: a plan's own, and where none reached it, others.

    Where only lanes by themselves did, and inputs were made, runs with those say how it looks.
    """
    if rule.RULE.scope != "sites" or not (any(further) or any(made)):
        return runs
    others = [
        (*more, *(own if _sees_made(rule) else ())) for more, own in zip(further, made, strict=True)
    ]
    reaching = [
        _beside(suspicion, trials, more) for trials, more in zip(runs["sites"], others, strict=True)
    ]
    return {**runs, "sites": reaching}


def _beside(
    suspicion: Suspicion, trials: tuple[Trial, ...], more: tuple[Trial, ...]
) -> tuple[Trial, ...]:
    pcs = suspicion.pcs
    came = [t for t in trials if any(t.run.requests.get(pc) for pc in pcs)]
    if not came:
        return (*trials, *more)
    fuller = [t for t in more if unreached([pcs], [t]) == [] and not is_thin(pcs, t)]
    if not fuller or not all(is_thin(pcs, trial) for trial in came):
        return trials
    return (*(t for t in trials if t not in came), *fuller)


def _judge(
    rule: RuleModule, suspicion: Suspicion, runs: Runs, laboratory: Laboratory
) -> tuple[tuple[int, Judgement], ...]:
    """What each launch, by its number, says of a suspicion; up to one that settles it."""
    judged = []
    for number, original in enumerate(runs[rule.RULE.scope]):
        if not original:
            continue
        run = partial(_variant, plan=number, rule=rule, original=original, laboratory=laboratory)
        launch = [trial for scope in runs.values() for trial in scope[number]]
        judgement = judge(rule, suspicion, original, launch, run, laboratory.subject.fixes)
        judged.append((number, judgement))
        if judgement.verdict is Verdict.REFUTED and rule.RULE.launches == "all":
            break
    return tuple(judged)


def _worst(each: Verdicts, tried: Sequence[Plan]) -> Judged | None:
    """The worst that any launch confirms, else what is undecided; None if nothing is left.

    What no run reached is no finding, not even an undecided one, unless the rule has proved it.
    """
    rule, answers = each.rule.RULE, each.answers
    refuted = any(judgement.verdict is Verdict.REFUTED for _, judgement in answers)
    if refuted and rule.launches == "all":
        return None
    left = [
        Judged(rule, each.suspicion, tried[number], judgement)
        for number, judgement in answers
        if judgement.verdict is not Verdict.REFUTED and judgement.trial is not None
    ]
    found = min(left, key=lambda one: _worst_first(one.judgement), default=None)
    return replace(found, launches=_launch_count(found, left, tried)) if found else None


def _launch_count(
    found: Judged, left: Sequence[Judged], tried: Sequence[Plan]
) -> LaunchCount | None:
    """In how many of a run's launches the same was found; None where no run recorded them."""
    of = sum(plan.stands_for for plan in tried)
    if not of or not found.plan.conditions:
        return None
    verdict = found.judgement.verdict
    affected = sum(one.plan.stands_for for one in left if one.judgement.verdict is verdict)
    return LaunchCount(affected, of, len(tried), found.plan.conditions[0].name)


def _variant(
    variant: Variant, plan: int, rule: RuleModule, original: Sequence[Trial], laboratory: Laboratory
) -> VariantResult:
    """What came of a variant, unless it could show nothing beside blocks that were cut short."""
    whole = rule.RULE.scope != "sites" and not rule.RULE.prefix
    if whole and all(map(is_cut_short, original)):
        return VariantResult(variant, error="the run was cut short")
    return laboratory.run(variant, plan, rule.RULE.scope, rule.RULE.tracers)


def _worst_first(judgement: Judgement) -> tuple[int, float]:
    return _ORDER[judgement.verdict], -judgement.severity


# --- what was not seen ----------------------------------------------------------------------------


def _endless(subject: Subject) -> Unanalysed | None:
    ends = any(i.opcode in _ENDS for i in subject.kernel.instructions)
    return None if ends else subject.not_analysed("no instruction in it returns, so it never ends")


def _uninspected(subject: Subject, facts: KernelFacts) -> Unanalysed | None:
    """A line about a kernel that calls functions of which no access was looked at."""
    if not facts.unseen:
        return None
    names = ", ".join(nested_name(n)[-1] for n in facts.unseen)
    return subject.not_analysed(f"it calls {names}, whose memory accesses were not looked at")


def _cut_short(
    subject: Subject, watched: Sites, runs: Sequence[tuple[Trial, ...]]
) -> Unanalysed | None:
    """A line about a kernel whose simulation ended before it reached everything."""
    trials = [trial for group in runs for trial in group]
    reasons = stops(trials)
    if len(reasons) < len(trials) or not reasons:
        return None
    missed = [pcs for pcs in watched if not any(t.run.requests.get(p) for p in pcs for t in trials)]
    if not missed:
        return None
    reason = f"the simulation stopped ({reasons[0]}) before {len(missed)} of {len(watched)}"
    return subject.not_analysed(f"{reason} suspect accesses were reached")


def _left_out(subject: Subject, tried: Sequence[Plan], left_out: int) -> Iterable[str]:
    if subject.unfit:
        yield (
            f"{subject.path}: the record's launches of {subject.title} do not fit its parameters, "
            "and were not used; record the program again"
        )
    if left_out:
        yield (
            f"{subject.path}: of {len(tried) + left_out} different launches of {subject.title} "
            f"{len(tried)} were tried"
        )
