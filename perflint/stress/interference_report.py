"""What explorations of interference found, in words, as a finding and as data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.build_finding import place_of
from perflint.lint.findings import Finding, LaunchNote
from perflint.lint.rulebook import RuleInfo
from perflint.report.context import plain, plural
from perflint.rules.protocol import Suspicion
from perflint.stress.findings import WORSE
from perflint.stress.guided import Coverage, Explored, Machine, Options, Site
from perflint.stress.interference import KEY, Interfering
from perflint.stress.objectives import INTERFERENCE
from perflint.stress.target import file_name, relative

_CUT = f"the run ends after {Options.run_instructions:,} warp instructions"
_MOST_LINES = 5  #: that a finding tells; data has all


@dataclass(frozen=True)
class _Line:
    """What the requests of one place of the source wait for because of other warps."""

    place: Span
    site: Site
    share: float  #: of what those of all places wait


def _lines(found: Interfering, state: Explored) -> list[_Line]:
    """The one with the largest share first."""
    sums: dict[Span, Site] = {}
    sites = state.interference.sites
    for pc in sorted({pc for _, pc in sites}):
        place = place_of(found.target.subject, Suspicion(KEY[0], pcs=(pc,))).place
        old, more = sums.get(place, Site()), state.interference.of(pc)
        sums[place] = Site(old.direct + more.direct, old.indirect + more.indirect)
    total = sum(site.total for site in sums.values())
    lines = [_Line(place, site, site.total / total) for place, site in sums.items()]
    return sorted(lines, key=lambda line: (-line.share, line.place.line, line.place.column))


def message(found: Interfering) -> str:
    """The finding in a sentence."""
    state = found.worst
    here = f", {_percent(_lines(found, state)[0].share)} of it here"
    return (
        "with the input and the order of warps that were found, interference of warps is "
        f"{_percent(found.figure.mean)} of the execution{here}; with random ones "
        f"{_percent(found.median)}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def finding(found: Interfering, book: Mapping[str, RuleInfo], case: str) -> Finding:
    """The worst state as a note; `case` names where it is kept, "" for nowhere."""
    target, rule = found.target, book[INTERFERENCE.code]
    subject, state = target.subject, found.worst
    simulated, total = found.explored.blocks
    machine = Machine()
    cache = machine.cache
    notes = [
        *(
            f"line {line.place.line}: {_percent(line.share)} of the overhead: "
            f"{line.site.indirect:,} cycles for lines that others evicted, {line.site.direct:,} "
            "for busy banks"
            for line in _lines(found, state)[:_MOST_LINES]
        ),
        f"cycles are the model's (a cache of {cache.sets * cache.ways * cache.line >> 10} KiB with "
        f"{cache.ways} ways, {machine.banks} banks of memory): shares and counts, no milliseconds",
        *([_CUT] if state.warp_instructions >= Options.run_instructions else []),
        *(
            f"`{name}`: {array.size:,} elements, found data{_kept(case, name)}"
            for name, array in sorted(_arrays(found).items())
        ),
    ]
    place = next((site.span for site in subject.launches if target.said), None)
    return Finding(
        code=rule.code,
        name=rule.name,
        level="note",
        verdict="confirmed",
        message=message(found),
        place=span(found),
        kernel=subject.title,
        arch=subject.arch,
        label="for this input and order",
        launch=LaunchNote(
            target.spelt(found.input, case), False, place,
            f"{simulated} of {total} blocks simulated",
        ),
        notes=tuple(notes),
        help=f"{case} has the input, the order, and a program that runs it" if case else "",
        identity=INTERFERENCE.name,
    )  # fmt: skip


def _kept(case: str, name: str) -> str:
    return f", {case}/{file_name(name)}.npy" if case else ", kept with a suite only"


def _arrays(found: Interfering) -> Mapping[str, Any]:
    return {name: found.worst.values.arrays[name] for name in found.given}


def span(found: Interfering) -> Span:
    """The place with the largest share."""
    return _lines(found, found.worst)[0].place


def figure(found: Interfering, folder: Path) -> dict[str, Any]:
    """The same as JSON data, as that of other objectives and more."""
    at, worst, state = span(found), found.figure, found.worst
    return {
        "objective": INTERFERENCE.name,
        "code": INTERFERENCE.code,
        "metric": INTERFERENCE.metric,
        "message": message(found),
        "filename": relative(at.path, folder),
        "row": at.line,
        "column": at.column,
        "place": {"kind": "kernel", "index": 0, "identity": found.target.subject.title},
        "amount": worst.amount,
        "over": worst.over,
        "most": worst.most,
        "ideal": worst.ideal,
        "value": plain(worst.mean),
        "random": plain(found.median),
        "identity": None,
        "strategy": found.strategy,
        "try": state.number,
        "lines": [
            {
                "row": line.place.line,
                "share": plain(line.share),
                "evicted": line.site.indirect,
                "busy": line.site.direct,
            }
            for line in _lines(found, state)
        ],
    }


def data(found: Interfering) -> dict[str, Any]:
    """The explorations as JSON data."""
    explored = found.explored
    return {
        "explored": len(explored.states),
        "random": len(found.random),
        "refused": {
            **explored.discarded,
            **({"assumption": found.refused} if found.refused else {}),
        },
        "stopped": explored.stopped,
        "blocks": {"simulated": explored.blocks[0], "total": explored.blocks[1]},
        "worst": plain(found.figure.mean),
        "random_median": plain(found.median),
        "random_most": plain(max(found.random)),
        "references": _covered(explored.references),
        "edges": _covered(explored.edges),
    }


def _covered(coverage: Coverage) -> dict[str, Any]:
    return {
        "explored": coverage.explored,
        "all": coverage.potential,
        "why_not": dict(coverage.why),
    }


def summary(found: Interfering) -> list[str]:
    """What was explored, in sentences."""
    explored, title = found.explored, found.target.subject.title
    states = f"{plural(len(explored.states), 'guided state')} and {len(found.random)} at random"
    lines = [
        f"Interference in {title}: {_percent(found.figure.mean)} of the execution at worst, with "
        f"random inputs and orders of warps {_percent(found.median)}, {_percent(max(found.random))}"
        f" at most: {states} were run."
    ]
    if not found.is_worse:
        lines.append(f"That is no worse than random: less than {WORSE} times as much.")
    for what, coverage in (
        ("references of threads that may cost anything", explored.references),
        ("ways of branches", explored.edges),
    ):
        why = ", ".join(f"{reason} {count:,}" for reason, count in coverage.why.items())
        rest = f"; not explored: {why}" if why else ""
        lines.append(f"Explored: {coverage.explored:,} of {coverage.potential:,} {what}{rest}.")
    return lines
