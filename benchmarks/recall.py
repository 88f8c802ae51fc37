"""Recall against silence: the wasteful accesses of a folder that no rule reported, and why.

    python benchmarks/recall.py gpu-rodinia/cuda [--min-waste 0.05] [--all]

Every kernel is simulated with the launches that `perflint check` tries, whatever the rules suspect.
A site is wasteful if its excess sectors (global) or wavefronts (shared) are at least `--min-waste`
of all that the kernel moves there. It is *reported* where a confirmed finding stands on its line or
names its line as a related place; else the reason is the objection of the verdict engine that
decided, or the condition that kept a rule from suspecting it; what is then left is *unexplained*.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.kernels import kernels
from perflint.analysis.model import AccessSite, KernelFacts
from perflint.base.span import Span
from perflint.lint.account import Account, Lines
from perflint.lint.build_finding import place_of_site
from perflint.lint.check_kernel import check_kernel
from perflint.lint.experiment import Plan, plans
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.ruleset import load
from perflint.lint.subject import Subject
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.accesses import AccessCount
from perflint.sim.architecture import load as architecture
from perflint.sim.emulator import choose_blocks
from perflint.sim.launch import Budget, UnsupportedInstructionError
from perflint.sim.tracers.accesses import AccessCounter

BUDGET = Budget(issued_instructions=16_000, seconds=30.0, requests_per_site=1024)
#: The rules that speak of what accesses to a space cost, by their codes' beginning.
FAMILIES = {"global": "CU1", "shared": "CU2"}
REPORTED, UNEXPLAINED = "reported", "unexplained"


@dataclass(frozen=True)
class Waste:
    """A site that moves more than it needs."""

    place: Span
    site: AccessSite
    space: str
    share: float  #: its excess by all that the kernel moves in that space
    measured: int
    golden: int
    aligned: int


def wasteful(subject: Subject, facts: KernelFacts, least: float) -> Iterator[Waste]:
    """The sites whose excess is at least a share of the kernel's traffic, in any launch."""
    limit = architecture(subject.arch).max_threads_per_block
    tried, _ = plans(
        facts,
        subject.parameters,
        source=subject.source,
        sites=subject.launches,
        specs=subject.specs,
        max_threads=limit,
    )
    worst: dict[tuple[tuple[int, ...], str], Waste] = {}
    for plan in tried:
        for waste in _of_launch(subject, facts, plan):
            key = (waste.site.pcs, waste.space)
            if waste.share >= least and waste.share > (worst[key].share if key in worst else 0):
                worst[key] = waste
    yield from worst.values()


def _of_launch(subject: Subject, facts: KernelFacts, plan: Plan) -> Iterator[Waste]:
    counter, condition = AccessCounter(), plan.conditions[0]
    try:
        run = simulate(
            facts.module,
            facts.kernel,
            condition.launch,
            SimulationOptions(
                arch=subject.arch,
                fill=condition.fill,
                blocks=choose_blocks(condition.launch.grid, facts.communicates),
                budget=BUDGET,
            ),
            tracers=(counter,),
        )
    except (LaunchError, UnsupportedInstructionError):
        return

    def weight(count: AccessCount) -> float:
        executed = max(count.requests, run.requests.get(count.pc, 0))
        return executed / max(1, count.requests)

    for space in FAMILIES:
        mine = {pc: c for (pc, where), c in counter.by_space.items() if where == space}
        total = sum(c.measured * weight(c) for c in mine.values())
        for site in facts.sites:
            counts = [mine[pc] for pc in site.pcs if pc in mine]
            excess = sum(c.excess * weight(c) for c in counts)
            if excess:
                yield Waste(
                    place_of_site(subject, site).place,
                    site,
                    space,
                    excess / total,
                    sum(c.measured for c in counts),
                    sum(c.golden for c in counts),
                    sum(c.aligned for c in counts),
                )


def reason(waste: Waste, account: Account) -> str:
    """Why a site is not reported: an objection of the engine, or a rule's own condition."""
    here = [w for w in account.weighed if w.code.startswith(FAMILIES[waste.space])]
    here = [w for w in here if _names(w.lines, waste.place)]
    if any(w.fate in ("warning", "note", "related") for w in here if w.verdict == "confirmed"):
        return REPORTED
    if any(w.verdict == "confirmed" for w in here):
        return REPORTED  # another rule says it better
    undecided = [w for w in here if w.verdict == "undecided"]
    for weighed in undecided or here:
        if (answer := weighed.answer) is not None and answer.objection:
            return f"{weighed.code} {weighed.verdict}: {answer.objection}"
    passed = [
        f"{code} does not suspect it: {why}"
        for seen in account.seen
        if _names(seen.lines, waste.place)
        for code, why in seen.passed
        if code in ("CU101", "CU201") and code.startswith(FAMILIES[waste.space])
    ]
    return passed[0] if passed else UNEXPLAINED


def _names(lines: Lines, place: Span) -> bool:
    return any(line == place.line and path.name == place.path.name for path, line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--min-waste", type=float, default=0.05)
    parser.add_argument("--all", action="store_true", help="list what was reported as well")
    arguments = parser.parse_args()
    root = arguments.folder
    ruleset = load([c for c in rulebook() if c.startswith(tuple(FAMILIES.values()))])
    codes = frozenset(rulebook())
    reasons: Counter[str] = Counter()
    number = 0
    for subject, facts in kernels([root], root, ruleset, codes):
        number += 1
        waste = list(wasteful(subject, facts, arguments.min_waste))
        account = check_kernel(subject, ruleset.kernel).account if waste else None
        for each in waste:
            assert account is not None
            why = reason(each, account)
            reasons[why] += 1
            if arguments.all or why != REPORTED:
                where = f"{each.place.path}:{each.place.line}"
                print(
                    f"{where}: {subject.title}: {each.site.kind} {each.site.identity}, "
                    f"{each.measured} for {each.golden}, {each.share:.0%}: {why}",
                    flush=True,
                )
    total = reasons.total()
    print(f"\n{total} wasteful sites in {number} kernels")
    for why, count in reasons.most_common():
        print(f"{count:5}  {count / total:6.1%}  {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
