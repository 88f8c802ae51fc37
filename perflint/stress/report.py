"""What `perflint stress` prints: text in the manner of `check`, JSON, SARIF."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from perflint.base.records import dataclass
from perflint.cli.output import colored
from perflint.lint.findings import Finding, Result
from perflint.lint.rulebook import rules
from perflint.report import harmless, sarif
from perflint.report.context import Context, plural
from perflint.report.full import block
from perflint.report.snippet import Paint
from perflint.stress import interference_report
from perflint.stress.findings import finding, grouped
from perflint.stress.interference import Interfering
from perflint.stress.objectives import INTERFERENCE, MEASURES, OBJECTIVES, Place
from perflint.stress.search import RANDOM, Search, is_counted
from perflint.stress.suite import SCHEMA, Case, texts


@dataclass(frozen=True, eq=False)
class Report:
    """A search, the inputs kept of it, and the folder that they are in."""

    search: Search
    kept: Sequence[Case]
    folder: Path | None
    interfering: Interfering | None = None

    def context(self) -> Context:
        measures = MEASURES if self.interfering else OBJECTIVES
        codes = {each.code for each in measures.values()}
        book = {code: info for code, info in rules().items() if code in codes}
        return Context(root=Path.cwd(), rules=book, summary=False)

    def findings(self, context: Context) -> tuple[Finding, ...]:
        """The findings in the order of the cases, the same fault once."""
        pairs = [
            (each, finding(self.search, each, dict(context.rules), self._name(case)))
            for case in self.kept
            for each in case.worst
        ]
        own = [
            interference_report.finding(case.interfering, context.rules, self._name(case))
            for case in self.kept
            if case.interfering is not None
        ]
        return (*grouped(self.search, pairs), *own)

    def _name(self, case: Case) -> str:
        return "" if self.folder is None else (self.folder / case.name).as_posix()


def as_text(report: Report) -> str:
    """Each finding with its lines, then what was tried and covered."""
    context = report.context()
    paint = Paint(colored("auto", to_file=False))
    blocks = [
        "".join(f"{line}\n" for line in block(each, context, paint, first=False))
        for each in report.findings(context)
    ]
    return harmless("full", "\n".join([*blocks, "".join(f"{x}\n" for x in _summary(report))]))


def _summary(report: Report) -> list[str]:
    search = report.search
    title, said = search.target.subject.title, search.target.said
    lines = []
    if said:
        lines.append(f"{title} as it is launched at {said}.")
    if not search.objectives:
        lines += _interference(report)
        return [*lines, *_next(report)]
    if not search.domains:
        lines.append(
            f"{title} does the same whatever its arrays hold: no value that it loads of an array "
            "that is given as random: decides an address, a branch or a barrier."
        )
    elif not any(case.worst for case in report.kept):
        lines.append(f"Nothing is worse than random data: {_tried(search)}.")
    else:
        inputs = [case for case in report.kept if case.worst]
        places = sum(len(case.worst) for case in inputs)
        lines.append(
            f"{plural(len(inputs), 'input')}, worse than random data at "
            f"{plural(places, 'place')} of {title}: {_tried(search)}."
        )
    if search.ended:
        lines.append(f"The search ended by {search.ended}.")
    lines += _coverage(search)
    if not search.target.is_whole:
        lines.append(
            f"The first {len(search.target.blocks):,} of {search.target.launch.block_count:,} "
            "blocks are simulated: what the others do is not known."
        )
    return [*lines, *_interference(report), *_next(report)]


def _interference(report: Report) -> list[str]:
    return interference_report.summary(report.interfering) if report.interfering else []


def _next(report: Report) -> list[str]:
    if not report.folder:
        return []
    return [f"Next: `perflint stress --replay {report.folder.as_posix()}` runs them again."]


def _tried(search: Search) -> str:
    refused = sum(search.refused.values())
    most = max(search.refused, key=lambda why: search.refused[why], default="")
    why = f", {refused} of them no proper input (mostly: {most})" if refused else ""
    return f"{search.tries} were tried{why}, {RANDOM} of them random"


def _coverage(search: Search) -> list[str]:
    found = coverage(search)
    lines = [
        f"Reached: {found['accesses']['reached']} of {found['accesses']['all']} accesses, "
        f"{found['branch_ways']['reached']} of {found['branch_ways']['all']} ways of branches."
    ]
    missed = (f"Not reached: line {e['row']}: {e['why']}." for e in found["unreached"])
    return [*lines, *missed]


#: What is said of an access that nothing reached, by z3's answer.
_ANSWERS = {
    "unsat": "no contents of the arrays meet its conditions",
    "unknown": "z3 does not tell within its steps whether an input meets its conditions",
    "sat": "z3's input does not lead there",
    "": "it was not asked whether an input meets its conditions",
}


def coverage(search: Search) -> dict[str, Any]:
    """What of the kernel some input reached."""
    facts = search.target.facts
    counted = [i for i, site in enumerate(facts.sites) if is_counted(site)]
    missed = [i for i in counted if Place("access", i) not in search.places]
    return {
        "accesses": {"reached": len(counted) - len(missed), "all": len(counted)},
        "branch_ways": {
            "reached": len(search.edges),
            "all": sum(max(2, len(each.arms)) for each in facts.branches),
        },
        "unreached": [
            {
                "row": at.line if (at := facts.sites[i].location) else None,
                "why": _ANSWERS.get(search.unreached.get(i, ""), search.unreached.get(i, "")),
            }
            for i in missed
        ],
    }


def as_json(report: Report) -> str:
    """The same as data: `perflint/stress/1`."""
    search, target = report.search, report.search.target
    folder = report.folder or Path()
    data = {
        "schema": SCHEMA,
        "kernel": target.subject.title,
        "arch": target.subject.arch,
        "objectives": [*search.objectives, *([INTERFERENCE.name] if report.interfering else [])],
        "seed": search.seed,
        "launch": target.said or None,
        "blocks": {"simulated": len(target.blocks), "total": target.launch.block_count},
        "arrays": [
            {"name": d.slot.name, "kind": d.kind, "from": d.low, "to": d.high}
            for d in search.domains
        ],
        "tries": search.tries,
        "issued_instructions": search.issued,
        "refused": search.refused,
        "ended": search.ended or None,
        "coverage": coverage(search) if search.objectives else None,
        "interference": report.interfering and interference_report.data(report.interfering),
        "cases": [
            {
                "name": case.name,
                "folder": report.folder and (report.folder / case.name).as_posix(),
                "launch": target.spelt(case.input),
                "generators": texts(case.input),
                "figures": case.figures(search, folder),
            }
            for case in report.kept
        ],
    }
    return harmless("json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def as_sarif(report: Report) -> str:
    """The findings as SARIF, of the rules whose figures the inputs make worse."""
    context = report.context()
    result = Result(report.findings(context), (), 1, 1, archs=(report.search.target.subject.arch,))
    return harmless("sarif", sarif.render(result, context))


WRITERS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {"text": as_text, "json": as_json, "sarif": as_sarif}
)
