"""Suspect accesses that no trial reaches: how many of all suspected ones, and each one's reason.

    python benchmarks/unreached.py PATH... [--list]

A suspicion is about accesses; it is reached if any run of any launch made a request there. What is
reached *with an input made for it* is counted apart, by what came of it. Of those that none
reached, *packed* ones are not waited for, as their formula says that they are fine; *proved* ones
are reported all the same, and of others a *copy* is reached: what unrolling leaves of a loop stands
at the same place. Else the reason is the first that holds: nothing ran, the runs ended before it,
loaded data decide, a condition on the arguments that no run meets does, or it stands behind a
condition on threads or in a loop (with the condition).

Before inputs were made, what they reach now counted as its reason: proved, or not reached.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.kernels import kernels
from perflint.analysis.extents import comparisons
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import BLOCK, LANES, LOADED, Polynomial
from perflint.analysis.symbols import Parameter, Symbol
from perflint.base.span import Span
from perflint.lint import check_kernel
from perflint.lint.accounting import Verdicts
from perflint.lint.build_finding import Judged, place_of
from perflint.lint.experiment import Plan
from perflint.lint.guards import holds, value_of
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.ruleset import RuleModule, load
from perflint.lint.subject import Subject
from perflint.lint.trials import is_cut_short
from perflint.rules.protocol import Kernel, Trial, Verdict
from perflint.sim.launch import Dim3, Scalar

REACHED, PROVED = "reached", "not reached, but proved"
MADE = "reached with an input made for it"
PACKED = "not waited for: packed by its formula"
COPY = "another copy of the access is reached"


def outcomes(subject: Subject, suspects: Sequence[RuleModule]) -> Iterator[tuple[str, str]]:
    """(where, what came of it) of each suspicion that is about accesses."""
    told: list[tuple[str, str]] = []

    def account(
        subject: Subject,
        rules: Sequence[RuleModule],
        kernel: Kernel,
        tried: Sequence[Plan],
        verdicts: Sequence[Verdicts] = (),
        judged: Sequence[Judged] = (),
        trials: Sequence[Sequence[Trial]] = (),
        **more: object,
    ) -> None:
        runs = [trial for group in trials for trial in group]
        found = [
            (_copies(each, place := place_of(subject, each.suspicion).place), place, each)
            for each in verdicts
            if each.suspicion.sites
        ]
        blocks = [plan.shape.block for plan in tried]
        outcomes = [
            (key, place, _outcome(each, runs, kernel, blocks)) for key, place, each in found
        ]
        reached = {key for key, _, what in outcomes if what == REACHED}
        for key, place, what in outcomes:
            where = f"{place.path}:{place.line}: {subject.title}: {key[0]}"
            is_open = what not in (REACHED, PROVED, PACKED) and not what.startswith(MADE)
            told.append((where, COPY if is_open and key in reached else what))

    with mock.patch.object(check_kernel, "account", account):
        check_kernel.check_kernel(subject, suspects)
    yield from told


def _copies(each: Verdicts, place: Span) -> tuple[str, Path, int, frozenset[str]]:
    """Equal for the copies that a compiler makes of an access: a loop and what unrolling leaves."""
    arrays = frozenset(site.identity for site in each.suspicion.sites)
    return each.rule.RULE.code, place.path, place.line, arrays


def _outcome(each: Verdicts, runs: Sequence[Trial], kernel: Kernel, blocks: Sequence[Dim3]) -> str:
    pcs = each.suspicion.pcs
    reaching = [trial for trial in runs if any(trial.run.requests.get(pc) for pc in pcs)]
    if any(not trial.reached_with for trial in reaching):
        return REACHED
    if reaching:
        return f"{MADE}, {_verdict(each)}: {reaching[0].reached_with}"
    if all(check_kernel.is_packed(site, blocks) for site in each.suspicion.sites):
        return PACKED
    cases = [judgement.case for _, judgement in each.answers]
    if any(case is not None and case.proved for case in cases):
        return PROVED
    if not runs:
        return "nothing ran"
    if all(map(is_cut_short, runs)):
        return f"the runs ended before it: {runs[0].run.stop.reason if runs[0].run.stop else ''}"
    return _guarded(each.suspicion.sites, runs, kernel.names.parameters)


def _verdict(each: Verdicts) -> str:
    """What came of a suspicion: the worst that any launch says, and by which objection."""
    for verdict in (Verdict.CONFIRMED, Verdict.UNDECIDED):
        for _, judgement in each.answers:
            if judgement.verdict is verdict:
                return " by ".join(filter(None, (verdict.value, judgement.objection)))
    return "refuted"


def _guarded(sites: Sequence[AccessSite], runs: Sequence[Trial], names: Sequence[str]) -> str:
    guards = [guard for site in sites for guard in site.guards]
    if any(s.data_dependent for s in sites) or any(g.depends & LOADED for g in guards):
        return "loaded data decide"
    alone = [g for g in guards if not g.depends & (LANES | BLOCK)]
    unmet = [g for g in alone if not any(_is_met(g, trial) for trial in runs)]
    if unmet:
        return f"the arguments decide: {_text(unmet[0], names)}"
    threads = [g for g in guards if g not in alone]
    if threads:
        return f"behind a condition on threads, or in a loop: {_text(threads[-1], names)}"
    return "only conditions that hold stand before it: data, a loop or an exit decide"


def _is_met(guard: Polynomial, trial: Trial) -> bool:
    """Whether a condition of arguments alone holds in a run, as far as its comparisons tell."""
    given = enumerate(trial.run.launch.arguments)
    values = {index: each.value for index, each in given if isinstance(each, Scalar)}
    differences = ((c.test, value_of(c.left - c.right, values)) for c in comparisons(guard.symbol))
    return all(value is None or holds(test, value) for test, value in differences)


def _text(guard: Polynomial, names: Sequence[str]) -> str:
    def name(symbol: Symbol) -> str | None:
        return names[symbol.index] if isinstance(symbol, Parameter) else None

    return guard.describe(name) or "a condition that has no short text"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--list", action="store_true", help="each that was not reached")
    arguments = parser.parse_args()
    ruleset = load(list(rulebook()))
    suspects = [rule for rule in ruleset.kernel if rule.RULE.scope == "sites"]
    codes = frozenset(rule.RULE.code for rule in suspects)
    root = arguments.paths[0] if arguments.paths[0].is_dir() else arguments.paths[0].parent
    counts: Counter[str] = Counter()
    number = 0
    for subject, _ in kernels(arguments.paths, root, ruleset, codes):
        number += 1
        for where, what in outcomes(subject, suspects):
            counts[what.split(":")[0]] += 1
            if arguments.list and what not in (REACHED, PROVED, PACKED, COPY):
                print(f"{where}: {what}", flush=True)
    total = counts.total()
    print(f"\n{total} suspicions of accesses in {number} kernels")
    for what, count in counts.most_common():
        print(f"{count:6}  {count / max(1, total):6.1%}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
