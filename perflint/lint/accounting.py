"""From what the engine answered of one kernel to its account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.grammar.model import Location
from perflint.lint.account import Account, Answer, Attempt, Lines, Sample, Seen, Weighed, World
from perflint.lint.build_finding import Fate, Judged, fates, launch_text, place_of
from perflint.lint.experiment import Plan
from perflint.lint.findings import Unanalysed
from perflint.lint.judgement import Judgement
from perflint.lint.launch_text import spell_dim3, spell_number
from perflint.lint.ruleset import RuleModule
from perflint.lint.subject import Subject
from perflint.rules.advice import access
from perflint.rules.case import Case, Figure
from perflint.rules.protocol import Kernel, Suspicion, Trial, Verdict
from perflint.sim.launch import Launch, Scalar

#: Why a run ended that is no loss: it had shown what it could.
_ENOUGH = frozenset({"enough", "nothing new for long"})
MOST_LISTED = 3  #: arrays and values that are named one by one


@dataclass(frozen=True, eq=False)
class Verdicts:
    """A suspicion with what each launch says of it, by the launch's number."""

    rule: RuleModule
    suspicion: Suspicion
    answers: tuple[tuple[int, Judgement], ...] = ()


def account(
    subject: Subject,
    rules: Sequence[RuleModule],
    kernel: Kernel,
    tried: Sequence[Plan],
    verdicts: Sequence[Verdicts] = (),
    judged: Sequence[Judged] = (),
    trials: Sequence[Sequence[Trial]] = (),
    *,
    unanalysed: Unanalysed | None = None,
    partial: Unanalysed | None = None,
) -> Account | None:
    """The account of a kernel, where it is asked for; None where it is not.

    `judged` are the verdicts that findings were made of, `trials` all runs of each launch.
    """
    if not subject.explain:
        return None
    lines = _Lines(subject, kernel.facts)
    told = fates(judged)
    final = {each.suspicion: each for each in judged}
    weighed = [
        _weighed(subject, kernel, each, final.get(each.suspicion), lines) for each in verdicts
    ]
    weighed = [
        _with_fate(subject, one, each.suspicion, told)
        for one, each in zip(weighed, verdicts, strict=True)
    ]
    runs = [*trials, *([()] * (len(tried) - len(trials)))]
    return Account(
        kernel=subject.title,
        path=subject.path,
        place=lines.head,
        arch=subject.arch,
        rules=tuple(rule.RULE.code for rule in rules),
        reason=unanalysed.reason if unanalysed else "",
        partial=partial.reason if partial else "",
        attempts=tuple(_attempt(subject, p, r) for p, r in zip(tried, runs, strict=True)),
        weighed=tuple(weighed),
        seen=tuple(_seen(kernel, rules, verdicts, lines)),
        code=lines.code(),
    )


# --- launches -------------------------------------------------------------------------------------


def _attempt(subject: Subject, plan: Plan, trials: Sequence[Trial]) -> Attempt:
    first, known = plan.conditions[0], plan.shape
    blocks = next((t.run.blocks for t in trials if t.name == first.name), None)
    worlds = {}
    for trial in trials:  # of one world, the run that was cut short tells more
        if trial.name not in worlds or _end(trial):
            text = _difference(subject, first.launch, trial)
            worlds[trial.name] = World(trial.name, text, _end(trial))
    return Attempt(
        text=launch_text(subject, plan, first.launch, first.name),
        place=known.span,
        assumed=known.assumed,
        supposing=known.supposing,
        broken=plan.broken,
        blocks=f"{len(blocks.indices)} of {blocks.total} blocks" if blocks else "",
        worlds=tuple(worlds.values()),
    )


def _end(trial: Trial) -> str:
    stop = trial.run.stop
    return "" if stop is None or stop.reason in _ENOUGH else stop.reason


def _difference(subject: Subject, first: Launch, trial: Trial) -> str:
    """What differs of a run's values from those of the first, for people."""
    launch = trial.run.launch
    pairs = zip(subject.parameters, first.arguments, launch.arguments, strict=True)
    said = [
        f"{name}={spell_number(b.value)}"
        for name, a, b in pairs
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.value != b.value
    ]
    if len(said) > MOST_LISTED:
        said = [*said[:MOST_LISTED], f"{len(said) - MOST_LISTED} more"]
    if launch.grid != first.grid:
        said.insert(0, f"grid {spell_dim3(launch.grid)}")
    if launch.block != first.block:
        said.insert(0, f"block {spell_dim3(launch.block)}")
    if trial.identity:
        said.append("loaded integers are their own index, a[i] = i")
    return ", ".join(said)


# --- suspicions -----------------------------------------------------------------------------------


def _weighed(
    subject: Subject, kernel: Kernel, each: Verdicts, final: Judged | None, lines: _Lines
) -> Weighed:
    rule, suspicion = each.rule.RULE, each.suspicion
    place = place_of(subject, suspicion).place
    verdict = final.judgement.verdict if final is not None else Verdict.REFUTED
    cases = [judgement.case for _, judgement in each.answers if judgement.case is not None]
    return Weighed(
        code=rule.code,
        name=rule.name,
        about=_about(kernel, suspicion),
        identity=suspicion.identity,
        place=place,
        lines=lines.of(suspicion.pcs, place),
        measures=next((case.measures for case in cases if case.measures), rule.measures),
        verdict=verdict.value,
        answers=tuple(_answer(number, judgement) for number, judgement in each.answers),
        message=final.judgement.message if final is not None else "",
        unfixed=final.judgement.unfixed if final is not None else "",
    )


def _about(kernel: Kernel, suspicion: Suspicion) -> str:
    """What a suspicion is about, where that is accesses."""
    sites = suspicion.sites
    if not sites:
        return ""
    if len({(site.kind, kernel.names.array(site)) for site in sites}) == 1:
        return access(sites[0].kind, kernel.names.array(sites[0]))
    arrays = list(dict.fromkeys(kernel.names.array(site) for site in sites))
    more = [f"{len(arrays) - MOST_LISTED} more"] * (len(arrays) > MOST_LISTED)
    return f"accesses to {', '.join((*arrays[:MOST_LISTED], *more))}"


def _answer(number: int, judgement: Judgement) -> Answer:
    case = judgement.case
    return Answer(
        attempt=number,
        verdict=judgement.verdict.value,
        objection=judgement.objection,
        reason=judgement.reason,
        proved=case.proved if case else False,
        samples=tuple(map(_sample, case.figures if case else ())),
        formulas=tuple(map(_sample, case.formulas if case else ())),
        missed=tuple(dict.fromkeys(trial.name for trial in _missed(case))),
        asked=judgement.trail,
        least=judgement.least,
    )


def _missed(case: Case | None) -> Iterable[Trial]:
    return case.unreached if case else ()


def _sample(figure: Figure) -> Sample:
    return Sample(
        world=figure.trial.name,
        measured=float(figure.measured),
        ideal=float(figure.ideal),
        bad=bool(figure.bad),
        share=float(figure.share),
        full=bool(figure.full),
        complete=bool(figure.complete),
        counted=figure.counted,
    )


def _with_fate(
    subject: Subject, one: Weighed, suspicion: Suspicion, told: Mapping[Suspicion, Fate]
) -> Weighed:
    fate = told.get(suspicion)
    if fate is None:
        return one
    beside = place_of(subject, fate.lead.suspicion).place if fate.lead is not None else None
    return replace(one, fate=fate.kind, beside=beside, better=fate.better)


# --- accesses that nobody suspected ---------------------------------------------------------------


def _seen(
    kernel: Kernel, rules: Sequence[RuleModule], verdicts: Sequence[Verdicts], lines: _Lines
) -> Iterator[Seen]:
    suspected: dict[str, set[int]] = {}
    for each in verdicts:
        suspected.setdefault(each.rule.RULE.code, set()).update(each.suspicion.pcs)
    for site in kernel.facts.sites:
        passed = [
            (rule.RULE.code, why)
            for rule in rules
            if suspected.get(rule.RULE.code, set()).isdisjoint(site.pcs)
            and (why := _passes_over(rule, kernel, site))
        ]
        about = access(site.kind, kernel.names.array(site))
        yield Seen(about, lines.of(site.pcs), tuple(passed))


def _passes_over(rule: RuleModule, kernel: Kernel, site: AccessSite) -> str:
    asked = getattr(rule, "passes_over", None)
    return str(asked(kernel, site)) if asked is not None else ""


# --- lines ----------------------------------------------------------------------------------------


class _Lines:
    """Where a kernel's instructions come from, in the user's files; of PTX, in its text too."""

    def __init__(self, subject: Subject, facts: KernelFacts) -> None:
        self._subject, self._instructions = subject, facts.kernel.instructions
        self._of = cache(self._find)

    @property
    def head(self) -> Span:
        """The kernel's name, or where its code begins."""
        if self._subject.source:
            return self._subject.source.name_span
        found = self.of(range(len(self._instructions)))
        path, line = found[0] if found else (self._subject.path, 1)
        return Span(path, line, 1, line, 2)

    def of(self, pcs: Iterable[int], place: Span | None = None) -> Lines:
        """The lines of some instructions, and of a place."""
        found = {line for pc in pcs for line in self._of(pc)}
        if place is not None:
            path = real_path(place.path)
            found |= {(path, line) for line in range(place.line, place.end_line + 1)}
        return tuple(sorted(found))

    def code(self) -> tuple[tuple[Path, tuple[int, ...]], ...]:
        """All lines that instructions come from, by file."""
        files: dict[Path, list[int]] = {}
        for path, line in self.of(range(len(self._instructions))):
            files.setdefault(path, []).append(line)
        return tuple((path, tuple(lines)) for path, lines in files.items())

    def _find(self, pc: int) -> Lines:
        instruction = self._instructions[pc]
        found = [*self._located(instruction.location)] if instruction.location else []
        if self._subject.path.suffix == ".ptx":
            found.append((real_path(self._subject.path), instruction.line))
        return tuple(found)

    def _located(self, location: Location) -> Iterator[tuple[Path, int]]:
        for at in location.chain():
            path = real_path(at.file)
            if at.line > 0 and path in self._subject.facts:
                yield path, at.line
