"""One kernel: analysed, suspected, tried, judged."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts
from perflint.experiment import Condition, Plan, plans
from perflint.findings import Finding, LaunchNote, Measure, Unanalysed
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import EntryOrigin, LaunchSite, SourceFacts, SourceKernel
from perflint.grammar.model import Function, Module
from perflint.launch_option import LaunchSpec
from perflint.rules.naming import Names
from perflint.rules.protocol import Judgement, Kernel, Suspicion, Trial, Verdict
from perflint.ruleset import RuleModule
from perflint.sim import LaunchError, simulate
from perflint.sim.architecture import load as load_architecture
from perflint.sim.emulator import choose_blocks
from perflint.sim.launch import Budget, Dim3, Scalar, UnsupportedInstructionError
from perflint.sim.tracers.accesses import AccessCounter
from perflint.site_location import SitePlace, locate
from perflint.span import Span

#: Instructions issued in the launches' first runs, and in those that hold their verdicts against
#: other conditions. Verdicts settle within 1,000 warp-wide instructions; more only reaches more
#: lines (experiment.md). The count ends a run before the clock does, so that results repeat.
INSTRUCTIONS = 16_000
MORE_INSTRUCTIONS = 3_000
#: Basic blocks after which a run goes on only while some suspect access was never reached.
BLOCKS = 400
#: … and before which no run ends: accesses that need no watching are seen in passing.
FIRST_BLOCKS = 32
REQUESTS_PER_SITE = 1024
WARP = 32

Sites = tuple[tuple[int, ...], ...]  #: the instructions of each site


_ENDS = frozenset({"ret", "exit", "trap"})


@dataclass(frozen=True, eq=False)
class Subject:
    """A kernel and what the front end knows of it."""

    module: Module
    kernel: Function
    path: Path  #: the input file
    facts: Mapping[Path, SourceFacts]
    origin: EntryOrigin
    source: SourceKernel | None
    launches: tuple[LaunchSite, ...]
    specs: tuple[LaunchSpec, ...]
    arch: str
    budget: float  #: seconds

    @property
    def title(self) -> str:
        arguments = self.origin.template_arguments
        return self.origin.kernel + (f"<{', '.join(arguments)}>" if arguments else "")


@dataclass(frozen=True)
class Outcome:
    """What came of one kernel."""

    findings: tuple[Finding, ...] = ()
    unanalysed: Unanalysed | None = None
    partial: Unanalysed | None = None  #: analysed, but not all of it


def check_kernel(subject: Subject, rules: Sequence[RuleModule]) -> Outcome:
    """Run `rules` over one kernel."""
    try:
        facts = analyse(subject.module, subject.kernel)
    except AnalysisError as error:
        return Outcome(unanalysed=not_analysed(subject, str(error)))
    subject = replace(subject, kernel=facts.kernel)  # its calls are written out
    parameters = parameter_names(subject.kernel, subject.source)
    places = {site.pcs: _place(subject, parameters, site) for site in facts.sites}
    names = Names(parameters, {pcs: p.array for pcs, p in places.items() if p.array})
    suspicions = [
        (rule, suspicion) for rule in rules for suspicion in rule.suspect(Kernel(facts, names))
    ]
    if not suspicions:
        ends = any(i.opcode in _ENDS for i in subject.kernel.instructions)
        reason = "nothing in it returns, so that it never ends"
        return Outcome(
            unanalysed=None if ends else not_analysed(subject, reason),
            partial=_uninspected(subject, facts),
        )
    tried = plans(
        facts,
        parameters,
        source=subject.source,
        sites=subject.launches,
        specs=subject.specs,
        max_threads=load_architecture(subject.arch).max_threads_per_block,
    )
    try:
        blocks = [plan.shape.block for plan in tried]
        sites = (s.site for _, s in suspicions if s.site and not is_packed(s.site, blocks))
        watched = tuple(dict.fromkeys(site.pcs for site in sites))
        runs = _run_all(subject, tried, watched, contiguous=facts.communicates)
    except UnsupportedInstructionError as error:
        return Outcome(unanalysed=not_analysed(subject, f"{error}", error.line))
    if not any(trials for _, trials in runs):
        return Outcome(unanalysed=not_analysed(subject, "no launch could be simulated"))
    findings = []
    for rule, suspicion in suspicions:
        judged = _judge(rule, suspicion, runs)
        if judged is not None:
            plan, judgement = judged
            assert suspicion.site is not None
            findings.append(
                _finding(subject, rule, suspicion.site, places, plan, judgement, parameters)
            )
    return Outcome(tuple(findings), partial=_cut_short(subject, watched, runs))


def is_packed(site: AccessSite, blocks: Iterable[Dim3]) -> bool:
    """Whether each warp of `blocks` moves neighbouring elements, as the analysis knows already.

    Such a site is judged by what is seen of it; a run need not go on until it is reached.
    """
    stride = site.strides.get("x")
    packed = stride is not None and stride.constant in (0, site.size, -site.size)
    return packed and all(block[0] % WARP == 0 for block in blocks)


def parameter_names(kernel: Function, source: SourceKernel | None) -> tuple[str, ...]:
    """Source names of the parameters; where there is no source, `param0`, `param1`, …"""
    written = source.parameters if source else ()
    if len(written) != len(kernel.parameters):
        return tuple(f"param{i}" for i in range(len(kernel.parameters)))
    return tuple(p.name or f"param{i}" for i, p in enumerate(written))


def _place(subject: Subject, parameters: tuple[str, ...], site: AccessSite) -> SitePlace:
    array = Names(parameters).plain_array(site)
    return locate(site, array, subject.facts, _fallback(subject, site))


def _fallback(subject: Subject, site: AccessSite) -> Span:
    """Where a site without a source line stands: at its kernel's name, or in the PTX text."""
    if subject.source:
        return subject.source.name_span
    line = subject.kernel.instructions[site.pcs[0]].line if subject.path.suffix == ".ptx" else 1
    return Span(subject.path, line, 1, line, 2)


def not_analysed(subject: Subject, reason: str, line: int | None = None) -> Unanalysed:
    """The line about a kernel that no rule has seen: at its name, or at the line to blame."""
    span = subject.source.name_span if subject.source else None
    path = span.path if span else subject.path
    return Unanalysed(path, subject.title, reason, line or (span.line if span else 1))


# --- runs -----------------------------------------------------------------------------------------

Runs = list[tuple[Plan, tuple[Trial, ...]]]


def _run_all(subject: Subject, tried: Sequence[Plan], watched: Sites, contiguous: bool) -> Runs:
    """Every condition of every plan, sharing the kernel's seconds. Refused launches are left out.

    A run ends once each of the `watched` sites has been seen often enough.
    Blocks that talk to each other must be neighbours (`contiguous`), or they wait in vain.
    """
    deadline = time.thread_time() + subject.budget  # a busy machine must change no result
    left = sum(len(plan.conditions) for plan in tried)
    out: Runs = []
    for plan in tried:
        trials = []
        for i, condition in enumerate(plan.conditions):
            instructions = (MORE_INSTRUCTIONS if i else INSTRUCTIONS) // len(tried)
            # The count of instructions is to end a run, so that results repeat; the clock only
            # keeps one slow run from taking what all the others need.
            remaining = deadline - time.thread_time()
            seconds = max(0.05, remaining / min(left, 2))
            left -= 1
            try:
                budget = Budget(
                    issued_instructions=instructions,
                    seconds=seconds,
                    requests_per_site=REQUESTS_PER_SITE,
                )
                trials.append(_run(subject, condition, budget, watched, contiguous))
            except LaunchError:
                continue  # a launch that no GPU of this architecture accepts shows nothing
        out.append((plan, tuple(trials)))
    return out


class _Enough:
    """Asked after each basic block whether a run has shown what it can."""

    def __init__(self, counter: AccessCounter) -> None:
        self._counter, self._blocks = counter, 0

    def __call__(self) -> bool:
        self._blocks += 1
        if self._blocks < FIRST_BLOCKS:
            return False
        counter = self._counter
        return counter.satisfied() or (self._blocks > BLOCKS and counter.all_reached())


def _run(
    subject: Subject, condition: Condition, budget: Budget, watched: Sites, contiguous: bool
) -> Trial:
    blocks = choose_blocks(condition.launch.grid, contiguous)
    counter = AccessCounter(subject.arch, blocks, watched, REQUESTS_PER_SITE)
    run = simulate(
        subject.module,
        subject.kernel,
        condition.launch,
        subject.arch,
        fill=condition.fill,
        blocks=blocks,
        budget=budget,
        tracers=(counter,),
        enough=_Enough(counter),
        keep_memory=False,
    )
    return Trial(
        name=condition.name,
        run=run,
        accesses=counter.counts,
        assumed_block=bool(condition.shape.assumed),
        unit_stride=condition.unit_stride,
        identity=condition.identity,
        exact=not condition.shape.assumed and _scalars(condition) <= condition.shape.values.keys(),
    )


def _uninspected(subject: Subject, facts: KernelFacts) -> Unanalysed | None:
    """A line about a kernel that calls functions of which no access was looked at."""
    if not facts.unseen:
        return None
    names = ", ".join(nested_name(n)[-1] for n in facts.unseen)
    return not_analysed(subject, f"it calls {names}, whose memory accesses were not looked at")


def _scalars(condition: Condition) -> set[int]:
    """The parameters that are plain numbers."""
    arguments = condition.launch.arguments
    return {i for i, argument in enumerate(arguments) if isinstance(argument, Scalar)}


def _cut_short(subject: Subject, watched: Sites, runs: Runs) -> Unanalysed | None:
    """A line about a kernel whose simulation ended before it reached everything."""
    trials = [trial for _, group in runs for trial in group]
    stops = [t.run.stop for t in trials if t.run.stop and t.run.stop.reason != "enough"]
    if len(stops) < len(trials) or not stops:
        return None
    missed = [pcs for pcs in watched if not any(pc in t.accesses for pc in pcs for t in trials)]
    if not missed:
        return None
    reason = f"the simulation stopped ({stops[0].reason}) before {len(missed)} of {len(watched)}"
    return not_analysed(subject, f"{reason} suspect accesses were reached")


# --- findings -------------------------------------------------------------------------------------

_ORDER = {Verdict.CONFIRMED: 0, Verdict.UNDECIDED: 1, Verdict.REFUTED: 2}


def _judge(rule: RuleModule, suspicion: Suspicion, runs: Runs) -> tuple[Plan, Judgement] | None:
    """The worst that any launch confirms, else what is undecided; None if nothing is left.

    A site that no run reached is no finding, not even an undecided one: nothing speaks for it.
    """
    judged = [(plan, rule.judge(suspicion, trials, ())) for plan, trials in runs]
    judged = [(p, j) for p, j in judged if j.verdict is not Verdict.REFUTED and j.trial]
    if not judged:
        return None
    return min(judged, key=lambda pj: (_ORDER[pj[1].verdict], -_excess(pj[1])))


def _excess(judgement: Judgement) -> float:
    return max((e.measured / max(e.golden, 1e-9) for e in judgement.evidence), default=0.0)


def _finding(
    subject: Subject,
    rule: RuleModule,
    site: AccessSite,
    places: Mapping[tuple[int, ...], SitePlace],
    plan: Plan,
    judgement: Judgement,
    parameters: Sequence[str],
) -> Finding:
    confirmed, reason = judgement.verdict is Verdict.CONFIRMED, judgement.reason
    if confirmed and subject.origin.assumed:
        confirmed, reason = False, "its template arguments are assumed; no launch gives them"
    notes = judgement.notes
    if site.location is not None and site.location.line == 0:
        notes += ("the compiler merged accesses of several source lines into this one",)
    assert judgement.trial is not None
    at = places[site.pcs]
    return Finding(
        code=rule.RULE.code,
        name=rule.RULE.name,
        level=rule.RULE.level if confirmed else "note",
        verdict="confirmed" if confirmed else "undecided",
        message=judgement.message,
        place=at.place,
        kernel=subject.title,
        arch=subject.arch,
        label=judgement.label,
        launch=launch_note(subject, plan, judgement.trial, parameters),
        evidence=tuple(Measure(e.metric, e.measured, e.golden, e.unit) for e in judgement.evidence),
        notes=notes,
        related=at.related,
        help=judgement.help,
        reason=reason,
        witness=judgement.witness,
    )


def launch_note(
    subject: Subject, plan: Plan, trial: Trial, parameters: Sequence[str]
) -> LaunchNote:
    """The launch that a trial ran, what of it was assumed, and how much of the grid was run."""
    launch, blocks = trial.run.launch, trial.run.blocks
    scalars = [
        (i, name, argument.value)
        for i, (name, argument) in enumerate(zip(parameters, launch.arguments, strict=True))
        if isinstance(argument, Scalar)
    ]
    known = plan.shape.values
    values = ", ".join(
        f"{name}={value}" + ("" if i in known else " assumed") for i, name, value in scalars
    )
    shared = f", {launch.dynamic_shared}" if launch.dynamic_shared else ""
    text = f"{subject.title}<<<{_dim(launch.grid)}, {_dim(launch.block)}{shared}>>>({values})"
    if plan.shape.assumed:
        text += f"; {plan.shape.assumed}"
    if plan.shape.supposing:
        text += f"; read supposing {', '.join(plan.shape.supposing)}"
    return LaunchNote(
        text=text,
        assumed=bool(plan.shape.assumed),
        place=plan.shape.place,
        blocks=f"{len(blocks.indices)} of {blocks.total} blocks simulated",
    )


def _dim(dim: tuple[int, int, int]) -> str:
    """`(32, 8)`: trailing ones left out, as people write them."""
    shown = dim[:3] if dim[2] > 1 else dim[:2] if dim[1] > 1 else dim[:1]
    return f"({', '.join(map(str, shown))})" if len(shown) > 1 else str(shown[0])


def source_kernel(
    facts: Iterable[SourceFacts], origin: EntryOrigin, arity: int
) -> SourceKernel | None:
    """The source definition that an entry comes from, by name and number of parameters."""
    for file in facts:
        for kernel in file.kernels:
            if kernel.name == origin.kernel and len(kernel.parameters) == arity:
                return kernel
    return None
