"""From a rule's judgement to the finding that reports print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.english import readable
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.grammar import table
from perflint.grammar.model import Address, Location, Symbol
from perflint.lint.experiment import Plan
from perflint.lint.findings import SAME, Finding, LaunchCount, LaunchNote, Level, Related
from perflint.lint.judgement import Judgement
from perflint.lint.launch_numbers import GIVEN
from perflint.lint.launch_text import UNKNOWN, spell_launch
from perflint.lint.site_location import SitePlace, calls, locate, merged_statements, statement
from perflint.lint.subject import Subject
from perflint.lint.verdict import LEAST_PART, OF_THE_KERNEL
from perflint.lint.worth import Worth
from perflint.rules.names import Names
from perflint.rules.protocol import Rule, Suspicion, Trial, Verdict
from perflint.sim.launch import Launch, Scalar
from perflint.sim.tracers.instruction import Instruction

ALONG = "this mends"  #: … of an access that another rule would tell, had it no such cause
TOGETHER = "counted together with this one"  #: of the other accesses that one suspicion is about
MERGED = "one access with this in the compiled code"
DECLARED = "declared here"
BLOCK = "its block is given here"
MOST_RELATED = 12  #: other places of one fault that are listed


@dataclass(frozen=True, eq=False)
class Judged:
    """A suspicion with the worst that any launch says of it."""

    rule: Rule
    suspicion: Suspicion
    plan: Plan
    judgement: Judgement
    launches: LaunchCount | None = None  #: of a run
    mended_by: Suspicion | None = None  #: what is found elsewhere and mends this, too

    @property
    def confirmed(self) -> bool:
        return self.judgement.verdict is Verdict.CONFIRMED

    @property
    def level(self) -> Level:
        """The level of its finding: what no floor gains by is a note."""
        if not self.confirmed or self._idle:
            return "note"
        return self.judgement.level or self.rule.level

    @property
    def _idle(self) -> bool:
        """Whether its change hardly takes anything of the kernel's cycles, nor of memory's.

        Of a `variant` it is not known what memory gains.
        """
        worth, case = self.judgement.worth, self.judgement.case
        least = self.suspicion.min_waste
        if worth is None or worth.gain >= least:
            return False
        if case is not None and case.left < 1.0 and worth.relief >= least:
            return False
        if self.rule.any_unit and worth.spared >= least:
            return False
        kept = worth.kept or worth.hides or (case is not None and case.used)
        slight = worth.excess < least or kept
        return self.rule.on_chip or (self.rule.change == "requests" and slight)

    @property
    def assumed(self) -> bool:
        """Whether nothing speaks against it but that no launch of the kernel is like that."""
        return self.judgement.objection in OF_THE_KERNEL


def place_of_site(subject: Subject, site: AccessSite) -> SitePlace:
    """Where an access stands in the source."""
    array = Names(subject.parameters).plain_array(site)
    return locate(site, array, subject.facts, _fallback(subject, site.pcs))


def _fallback(subject: Subject, pcs: Sequence[int]) -> Span:
    """Where what has no source line stands: at its kernel's name, or in the PTX text."""
    if subject.source:
        return subject.source.name_span
    here = subject.path.suffix == ".ptx" and pcs
    line = subject.kernel.instructions[pcs[0]].line if here else 1
    return Span(subject.path, line, 1, line, 2)


def place_of(subject: Subject, suspicion: Suspicion) -> SitePlace:
    """Where a suspicion points at."""
    if suspicion.span is not None:
        return SitePlace(suspicion.span, related=_calls_of(subject, suspicion, suspicion.span))
    if suspicion.sites:
        return place_of_site(subject, suspicion.site)
    instructions = subject.kernel.instructions
    locations = (instructions[pc].location for pc in suspicion.pcs)
    location = next((each for each in locations if each is not None and each.line > 0), None)
    fallback = _fallback(subject, suspicion.pcs)
    found = statement(location, subject.facts) if location is not None else None
    return found or SitePlace(fallback)


def _calls_of(subject: Subject, suspicion: Suspicion, span: Span) -> tuple[Related, ...]:
    """The calls that a place in another file than the kernel's was inlined at."""
    if real_path(span.path) == real_path(subject.path):
        return ()
    instructions = subject.kernel.instructions
    chains = (at.chain() for pc in suspicion.pcs if (at := instructions[pc].location) is not None)
    chain = next(chains, ())
    inside = [n for n, at in enumerate(chain) if _is_in(span, at)]
    return calls(chain[inside[-1] + 1 :], subject.facts) if inside else ()


def _is_in(span: Span, at: Location) -> bool:
    """Whether an instruction's location is on the lines of a place, in another file's."""
    return span.line <= at.line <= span.end_line and real_path(at.file) == real_path(span.path)


def findings(subject: Subject, judged: Sequence[Judged]) -> tuple[Finding, ...]:
    """The findings of one kernel: places with one fault are one, the worst, beside the others.

    A minor place is worth a word only beside a confirmed one of its fault.
    """
    return tuple(_grouped(subject, lead, others) for lead, others in _faults(judged))


@dataclass(frozen=True, eq=False)
class Fate:
    """What becomes of a judgement that something is to be told of."""

    kind: str  #: `warning`, `note`: a finding of that level; `related`: a place of another one
    lead: Judged | None = None  #: that other one
    better: str = ""  #: of kind `left`: the rule that says it better


def fates(judged: Sequence[Judged]) -> dict[Suspicion, Fate]:
    """What becomes of each judgement when `findings` makes findings of them."""
    better = _said_better(judged)
    found = {each.suspicion: Fate("left", better=code) for each, code in better.items()}
    for lead, others in _faults(judged):
        found[lead.suspicion] = Fate(lead.level)
        found |= {each.suspicion: Fate("related", lead) for each in others}
    return found


def cured(judged: Sequence[Judged], *, every: bool = False) -> list[Judged]:
    """The judged, those that findings are made of, or `every` one, with what mends them."""
    told = {lead.suspicion for lead, _ in _faults(judged)}
    return [
        replace(each, judgement=each.judgement.with_cures())
        if every or each.suspicion in told
        else each
        for each in judged
    ]


def _faults(judged: Sequence[Judged]) -> list[tuple[Judged, list[Judged]]]:
    """One of each fault to tell, the worst, and the other places of it."""
    groups: dict[object, list[Judged]] = {}
    better = _said_better(judged)
    mended: dict[Suspicion, list[Judged]] = {}
    for each in judged:
        if each in better:
            continue
        if each.mended_by is not None:
            mended.setdefault(each.mended_by, []).append(each)
            continue
        counts = each.confirmed or each.judgement.minor or each.judgement.behind or each.assumed
        shared = each.judgement.fault and counts
        key = (each.rule.code, each.judgement.fault) if shared else each
        groups.setdefault(key, []).append(each)
    out: list[tuple[Judged, list[Judged]]] = []
    for group in groups.values():
        confirmed = [e for e in group if e.confirmed] or [e for e in group if e.assumed]
        if confirmed:
            worst = max(confirmed, key=lambda e: (e.level != "note", e.judgement.severity))
            others = [each for each in group if each is not worst]
            along = [each for one in group for each in mended.get(one.suspicion, ())]
            out.append((worst, [*others, *along]))
        else:
            out += [(each, []) for each in group]
    return out


def _said_better(judged: Sequence[Judged]) -> dict[Judged, str]:
    """What another rule, named by its code, says better of the same instructions."""
    confirmed: dict[str, set[int]] = {}
    for each in judged:
        if each.confirmed:
            confirmed.setdefault(each.rule.code, set()).update(each.suspicion.pcs)
    found: dict[Judged, str] = {}
    for each in judged:
        for code in each.rule.yields_to:
            if confirmed.get(code, set()).intersection(each.suspicion.pcs):
                found.setdefault(each, code)
    return found


def _grouped(subject: Subject, worst: Judged, others: Sequence[Judged]) -> Finding:
    finding = _finding(subject, worst)
    seen = {finding.place}
    related, calls = [], {each.place: each for each in finding.related}
    for each in others:
        at = place_of(subject, each.suspicion)
        if at.place not in seen:
            seen.add(at.place)
            said = SAME if each.mended_by is None else f"{ALONG} {each.rule.code}"
            related.append(Related(at.place, f"{said}: {each.judgement.message}"))
        if each.confirmed and each.mended_by is None:  # a function may be inlined several times
            calls |= {call.place: call for call in at.related if call.place not in calls}
    related.sort(key=lambda r: r.place)
    more = sorted(list(calls.values())[len(finding.related) :], key=lambda r: r.place)
    others_shown = (*more[:MOST_RELATED], *related[:MOST_RELATED])
    mended = (e.judgement.share for e in others if e.confirmed and e.rule.code == finding.code)
    waste = min(1.0, finding.waste + sum(mended))
    return replace(finding, related=(*finding.related, *others_shown), fault_waste=waste)


def _finding(subject: Subject, judged: Judged) -> Finding:
    rule, judgement, worth = judged.rule, judged.judgement, judged.judgement.worth
    confirmed, reason = judged.confirmed, judgement.reason
    notes = judgement.notes + judgement.remarks
    if judged.launches is not None and judged.launches.text:
        notes += (judged.launches.text,)
    sites = judged.suspicion.sites
    if sites and sites[0].location is not None and sites[0].location.line == 0:
        notes += ("the compiler merged accesses of several source lines into this one",)
    assert judgement.trial is not None
    if judgement.trial.reached_with:
        notes += (f"reached with {judgement.trial.reached_with}, which was chosen for it",)
    at = place_of(subject, judged.suspicion)
    return Finding(
        code=rule.code,
        name=rule.name,
        level=judged.level,
        verdict="confirmed" if confirmed else "undecided",
        message=judgement.message,
        place=at.place,
        kernel=subject.title,
        arch=subject.arch,
        label=judgement.label,
        launch=launch_note(subject, judged.plan, judgement.trial),
        evidence=judgement.evidence,
        notes=notes,
        related=(
            *at.related,
            *_companions(subject, judged.suspicion, at.place, judgement.trial),
            *_merged(subject, judged.suspicion),
            *(Related(place, text) for place, text in judgement.places),
            *(_block_of(subject, judged.plan, at.place) if rule.claim == "launch" else ()),
        ),
        help=judgement.help,
        reason=reason,
        witness=judgement.witness,
        request=judgement.request,
        identity=judged.suspicion.identity,
        severity=judgement.severity,
        waste=judgement.share,
        waste_text=judgement.waste_text,
        worth=worth if judged.level == "note" or _tells(worth) else None,
        fix=judgement.fix,
        unfixed=judgement.unfixed,
        untried=judgement.untried,
        launches=judged.launches,
    )


def _tells(worth: Worth | None) -> bool:
    """Whether there is a word to say of a finding's worth that is a warning."""
    return worth is not None and worth.relieves and not worth.cut


def _companions(
    subject: Subject, suspicion: Suspicion, place: Span, trial: Trial
) -> tuple[Related, ...]:
    """The other places that a suspicion about several accesses is about.

    Those left out that have hardly a part in it: the last stores of what a loop goes through, which
    a run that was cut short in the loop may not have come to.
    """
    made = [_requests(trial, site) for site in suspicion.sites]
    least = LEAST_PART * sum(made)
    others = {
        place_of_site(subject, site).place
        for site, requests in [*zip(suspicion.sites, made, strict=True)][1:]
        if requests >= least or (not requests and trial.complete)
    }
    along = [Related(each, TOGETHER) for each in sorted(others - {place})[:MOST_RELATED]]
    if suspicion.declared is not None:
        along.append(Related(suspicion.declared, DECLARED))
    return tuple(sorted(along, key=lambda each: each.place))


def _merged(subject: Subject, suspicion: Suspicion) -> Iterator[Related]:
    """The statements next to that of an access which the compiler makes one with it.

    Of a single element it makes none: a part beside it is unused then, or was loaded before.
    """
    kernel = suspicion.kernel
    if kernel is None or not suspicion.sites:
        return
    site = suspicion.site
    if table.vector(kernel.facts.kernel.instructions[site.pcs[0]]) == 1:
        return
    array = Names(subject.parameters).plain_array(site)
    for each in merged_statements(site, array, subject.facts, kernel.facts.sites):
        yield Related(each, MERGED)


def _requests(trial: Trial, site: AccessSite) -> int:
    """How often warps made an access, as far as the rule had that counted."""
    if Instruction.__name__ in trial.results:
        executed = trial.tracer(Instruction).executed
        return sum(executed[pc][0] for pc in site.pcs if pc in executed)
    return sum(trial.run.requests.get(pc, 0) for pc in site.pcs)


def _block_of(subject: Subject, plan: Plan, place: Span) -> Iterator[Related]:
    """Where the block of a launch is written, if that is not on the line of the finding."""
    at = plan.shape.span
    constructs = subject.constructs(at.path) if at is not None else None
    lines = {(place.path, place.line)}
    for each in constructs.launches if constructs else ():
        for span in each.block_values if each.span == at else ():
            if (span.path, span.line) not in lines:
                lines.add((span.path, span.line))
                yield Related(span, BLOCK)


def launch_note(subject: Subject, plan: Plan, trial: Trial) -> LaunchNote:
    """The launch that a trial ran, where its numbers come from, and how much of it was run."""
    blocks, known = trial.run.blocks, plan.shape
    text, origins = _told(subject, plan, trial.run.launch, trial.name)
    return LaunchNote(
        text=text,
        assumed=bool(known.assumed),
        place=known.span,
        blocks=f"{len(blocks.indices)} of {blocks.total} blocks simulated",
        remarks=(*origins, *filter(None, [known.assumed]), *_supposed(known.supposing)),
    )


def _supposed(conditions: Sequence[str]) -> list[str]:
    return [f"read supposing {', '.join(map(readable, conditions))}"] if conditions else []


def launch_text(subject: Subject, plan: Plan, launch: Launch, name: str) -> str:
    """The launch of one of a plan's runs, with where its numbers come from."""
    text, origins = _told(subject, plan, launch, name)
    return "; ".join((text, *origins))


def _told(subject: Subject, plan: Plan, launch: Launch, name: str) -> tuple[str, tuple[str, ...]]:
    """A run's launch as it is written, and where what stands in it without an origin is from."""
    known = plan.shape
    scalars = [
        (i, parameter, argument.value)
        for i, (parameter, argument) in enumerate(
            zip(subject.parameters, launch.arguments, strict=True)
        )
        if isinstance(argument, Scalar)
    ]
    if subject.origin.language != "cuda":  # its compiler passes more than the kernel has use for
        read = _read_parameters(subject)
        scalars = [each for each in scalars if each[0] in read]
    told = plan.origins(name)
    values = {
        parameter: (value, told.values.get(i, GIVEN if i in known.values else UNKNOWN))
        for i, parameter, value in scalars
    }
    return spell_launch(subject.title, launch, values), tuple(told.remarks)


def _read_parameters(subject: Subject) -> frozenset[int]:
    """The parameters that the kernel's instructions name."""
    named = {
        operand.base.name
        for instruction in subject.kernel.instructions
        for operand in instruction.operands
        if isinstance(operand, Address) and isinstance(operand.base, Symbol)
    }
    return frozenset(i for i, p in enumerate(subject.kernel.parameters) if p.name in named)
