"""What the search found, as findings in the manner of `check`: notes, for they are of one input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.base.evidence import Evidence
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.build_finding import place_of, place_of_site
from perflint.lint.findings import SAME, Finding, LaunchNote, Related
from perflint.lint.rulebook import RuleInfo
from perflint.report.context import number
from perflint.rules.names import Names
from perflint.rules.protocol import Suspicion
from perflint.stress import generators as g
from perflint.stress.generators import Generator
from perflint.stress.objectives import OBJECTIVES, Figure, Place
from perflint.stress.search import Best, Search, spelt
from perflint.stress.trial import Input, Key

#: How much worse than random data an input must be to be worth a word.
WORSE = 1.1
#: … and, of branches that split warps, how much of all visits more.
VISITS = 0.05
_LONGEST = 60  #: characters of a generator in a sentence


@dataclass(frozen=True, eq=False)
class Worst:
    """The worst input of one place, where it is worse than random data."""

    key: Key
    best: Best
    median: float | None  #: of random data; None: it does not come there
    identity: float | None  #: of identity data

    @property
    def objective(self) -> str:
        return self.key[0]

    @property
    def place(self) -> Place:
        return self.key[1]

    @property
    def factor(self) -> float:
        """How many times as bad as random data."""
        return self.best.figure.mean / self.median if self.median else float("inf")


def worst(search: Search) -> list[Worst]:
    """What is worse than random data, the worst first."""
    found = [
        Worst(key, best, search.median(key), _mean(search.identity.figures.get(key)))
        for key, best in search.best.items()
        if _is_worse(search, key, best.figure)
    ]
    order = list(OBJECTIVES)
    ordered = sorted(
        _together(found), key=lambda w: (order.index(w.objective), -w.best.figure.mean, w.place)
    )
    first: dict[object, Worst] = {}
    for each in ordered:  # of the branches of one statement the worst
        first.setdefault((each.objective, span(search, each)), each)
    return list(first.values())


def _together(found: Sequence[Worst]) -> Iterator[Worst]:
    """The same with few inputs: one that is as bad at several places stands for theirs."""
    left = list(found)
    while left:
        served = {
            each.key: [w for w in left if _serves(each.best, w)]
            for each in sorted(left, key=lambda w: (w.best.length, str(w.key)))
        }
        lead = max(served, key=lambda key: len(served[key]))
        best = next(w.best for w in left if w.key == lead)
        for each in served[lead]:
            figure = best.outcome.figures[each.key]
            yield replace(
                each, best=replace(each.best, figure=figure, input=best.input, outcome=best.outcome)
            )
        left = [w for w in left if w not in served[lead]]


def _serves(best: Best, other: Worst) -> bool:
    figure = best.outcome.figures.get(other.key)
    return figure is not None and figure.rank >= other.best.figure.rank


def _mean(figure: Figure | None) -> float | None:
    return None if figure is None else figure.mean


def _is_worse(search: Search, key: Key, figure: Figure) -> bool:
    usual = search.median(key)
    if key[0] in ("divergence", "instructions"):
        least = VISITS if key[0] == "divergence" else 0.0
        return figure.mean > max(WORSE * (usual or 0.0), (usual or 0.0) + least)
    if figure.amount < WORSE * figure.ideal:
        return False  # more lanes take part, and none of them too much
    if usual is None:
        return True
    ratios = [f.amount / f.ideal for o in search.random if (f := o.figures.get(key)) and f.ideal]
    ratio = sorted(ratios)[len(ratios) // 2] if ratios else 0.0
    return figure.mean > WORSE * usual and figure.amount / figure.ideal > WORSE * ratio


# --- in words -------------------------------------------------------------------------------------


def pattern(search: Search, input_: Input) -> str:
    """The arrays that matter, as people write them: `idx[i] = 32*i`."""
    plain = search.plain
    told = {n: each for n, each in input_.items() if each.text != plain[n].text} or input_
    return " and ".join(f"`{_written(name, each)}`" for name, each in told.items())


def _written(name: str, generator: Generator) -> str:
    inner = generator.of if isinstance(generator, g.Modulo) else generator
    by_element = isinstance(inner, g.Constant | g.Affine | g.Reversed)
    text = generator.text
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"{name}[i] = {short}" if by_element else f"{name} = {short}"


def condition(generator: Generator) -> str:
    """What a generator makes, in words; "" where its text says it as well."""
    match generator:
        case g.Rows(total=total, weights=g.At(place=place)):
            return f"row {place} holds all {total:,} entries"
        case g.Rows(weights=g.Every(step=step, there=g.Constant(1), elsewhere=g.Constant(0))):
            return f"one row in {step} holds entries, the others none"
        case g.Rows(weights=g.Constant(value)):
            return "all rows are equally long" if value else "no row holds an entry"
        case g.Rows(weights=g.Affine(factor=factor)):
            return "rows are longer and longer" if factor > 0 else "rows are shorter and shorter"
        case g.Rows(weights=g.Reversed()):
            return "rows are shorter and shorter"
        case g.Rows():
            return "rows have different lengths"
        case g.Every(step=step, there=there, elsewhere=elsewhere):
            return f"{there.text} at one element in {step}, {elsewhere.text} at the others"
        case g.Cycle(values=values):
            return f"{len(values)} values, again and again"
        case g.Constant(value):
            return f"{value} everywhere"
        case g.Random(top=int(top)):
            return f"random numbers below {top:,}"
        case g.Plus(of=g.Random(top=int(top)), more=more):
            return f"random numbers from {more} to {more + top - 1}"
        case g.Shuffled():
            return "every number once, in a random order"
    return ""


def message(search: Search, found: Worst) -> str:
    """The finding in a sentence."""
    return f"with {pattern(search, found.best.input)}, {effect(search, found)}"


def effect(search: Search, found: Worst) -> str:
    """What the input does there, with random and identity data beside it."""
    figure, objective = found.best.figure, found.objective
    spell = {"divergence": _percent, "instructions": _whole}.get(objective, _decimal)
    beside = f"random data {spell(found.median)}, identity data {spell(found.identity)}"
    if objective == "divergence":
        what = f"this branch splits the warp in {100 * figure.mean:.0f}% of its visits"
    elif objective == "instructions":
        what = f"a warp issues {figure.mean:,.0f} instructions"
    else:
        what = f"{_access(search, found)} {_access_effect(objective, figure)}"
    return f"{what}; {beside}"


def _access_effect(objective: str, figure: Figure) -> str:
    each = number(round(figure.mean, 1))
    match objective:
        case "sectors":
            return f"touches {each} sectors per request"
        case "conflicts":
            return f"is a {figure.most}-way conflict, {each} wavefronts per request"
    return f"has {each} lanes of a warp at one address"


def _decimal(value: float | None) -> str:
    return "does not come here" if value is None else number(round(value, 1))


def _whole(value: float | None) -> str:
    return "runs into an error" if value is None else f"{value:,.0f}"


def _percent(value: float | None) -> str:
    return "does not come here" if value is None else f"{100 * value:.0f}%"


def _access(search: Search, found: Worst) -> str:
    site = search.target.facts.sites[found.place.index]
    at = place_of_site(search.target.subject, site)
    names = Names(search.target.subject.parameters, {site.pcs: at.array} if at.array else {})
    preposition = "from" if site.kind == "load" else "to" if site.kind == "store" else "on"
    return f"the {site.kind} {preposition} {names.array(site)}"


# --- findings -------------------------------------------------------------------------------------


def finding(search: Search, found: Worst, book: dict[str, RuleInfo], case: str) -> Finding:
    """One of them; `case` names where it is kept, "" for nowhere."""
    target, objective = search.target, OBJECTIVES[found.objective]
    figure, rule = found.best.figure, book[OBJECTIVES[found.objective].code]
    evidence: tuple[Evidence, ...] = ()
    if figure.ideal:
        ideal = figure.ideal / figure.over
        evidence = (Evidence(objective.metric, figure.mean, ideal, objective.unit),)
    words = [
        f"`{name}`: {said}"
        for name, each in found.best.input.items()
        if each.text != search.plain[name].text and (said := condition(each))
    ]
    blocks = f"{len(target.blocks)} of {target.launch.block_count} blocks simulated"
    place = next((site.span for site in target.subject.launches if target.said), None)
    return Finding(
        code=rule.code,
        name=rule.name,
        level="note",
        verdict="confirmed",
        message=message(search, found),
        place=span(search, found),
        kernel=target.subject.title,
        arch=target.subject.arch,
        label="for this input",
        launch=LaunchNote(target.spelt(found.best.input, case), False, place, blocks),
        evidence=evidence,
        notes=tuple(words),
        help=f"{case} has the input, and a program that runs it" if case else "",
        identity=f"{found.objective} {found.place.kind} {found.place.index}",
    )  # fmt: skip


def span(search: Search, found: Worst) -> Span:
    """Where it is in the source."""
    target, place = search.target, found.place
    subject = target.subject
    if place.kind == "access":
        return place_of_site(subject, target.facts.sites[place.index]).place
    index = place.index if place.kind == "branch" else _busiest(search, found)
    pcs = (target.facts.branches[index].pc,) if index is not None else ()
    return place_of(subject, Suspicion(found.objective, pcs=pcs)).place


def _busiest(search: Search, found: Worst) -> int | None:
    """The branch that is visited most often beyond what random data do; None for none."""
    more: dict[int, float] = {}
    branches = search.target.facts.branches
    for (objective, place), figure in found.best.outcome.figures.items():
        if objective == "divergence":
            usual = [
                o.figures[objective, place].over
                for o in search.random
                if (objective, place) in o.figures
            ]
            more[place.index] = figure.over - (sum(usual) / len(usual) if usual else 0)
    busiest = max(more, key=lambda i: (more[i], branches[i].leaves_loop, -i), default=None)
    return busiest if busiest is not None and more[busiest] > 0 else None


def grouped(search: Search, pairs: Sequence[tuple[Worst, Finding]]) -> tuple[Finding, ...]:
    """The findings, those of one objective and one input as one: the worst, beside the others."""
    groups: dict[object, list[tuple[Worst, Finding]]] = {}
    for each, its in pairs:
        groups.setdefault((each.objective, spelt(each.best.input)), []).append((each, its))
    out = []
    for (_, lead), *others in groups.values():
        places = {lead.place: ""}
        for each, its in others:
            places.setdefault(its.place, f"{SAME}: {effect(search, each)}")
        related = tuple(Related(place, text) for place, text in places.items() if text)
        out.append(replace(lead, related=related))
    return tuple(out)
