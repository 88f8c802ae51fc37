"""How often the static analysis knows an address, and whether it is the simulated one.

    python benchmarks/agreement.py PolyBench-ACC/CUDA [--show]

For every kernel below DIR, with the launch that `perflint check` would try first: the share of
access sites that have an address expression, the share of those that agree with the trace in every
lane of every request, and the share of all requests whose sectors are the predicted ones.

Only loaded values, and what the kernel computes from them where no formula is kept, may be opaque
in an expression; any other opaque leaf counts against it. Loop counters and loaded values are
taken from the simulated kernel (tests/analysis/probes.py), all else is computed. Indices are
assumed not to overflow: sites where the kernel's own 32-bit index does, for the sizes tried, do
not agree and are counted apart.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LOADED, Opaque
from perflint.frontend.model import Compilation
from perflint.frontend.source.facts import read as read_source
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.launches.kernel_launches import launches_of
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.lint.experiment import plans
from perflint.lint.subject import parameter_names, source_kernel
from perflint.sim import LaunchError
from perflint.sim.launch import Budget, UnsupportedInstructionError
from tests.analysis.probes import Compared, compare

BUDGET = Budget(issued_instructions=24_000, seconds=3.0, requests_per_site=64)


def unexplained(address: Polynomial | None) -> Opaque | None:
    """The first opaque leaf of an address that is no loaded value."""
    if address is None:
        return None
    leaves = (a for a in address.atoms if isinstance(a, Opaque))
    return next((a for a in leaves if not data(a)), None)


def data(leaf: Opaque) -> bool:
    """Whether an opaque leaf is a loaded value, or was made of one: converted, chosen, summed."""
    return leaf.kind == "loaded" or bool(leaf.depends & LOADED)


@dataclass
class Totals:
    """Sums over kernels."""

    files: int = 0
    kernels: int = 0
    failed: list[str] = field(default_factory=list)
    sites: int = 0
    explained: int = 0
    loaded: int = 0  #: of those explained: with a loaded value in the address
    derived: int = 0  #: of these: with a value computed from a loaded one
    reached: int = 0  #: of those explained: with a request in the trace
    agreeing: int = 0
    overflowing: int = 0  #: of those reached, not agreeing: the kernel's own index overflowed
    requests: int = 0
    guarded: int = 0  #: guards and ends of loops, evaluated for requests
    outside: int = 0  #: of these: that some active lane did not satisfy
    predicted: int = 0  #: requests with the predicted sectors
    reasons: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    unsimulated: Counter[str] = field(default_factory=Counter)
    analysis: list[tuple[float, float, int, str]] = field(default_factory=list)

    def site(self, kernel: str, facts: KernelFacts, site: AccessSite) -> bool:
        """Counts one site; whether it has an expression."""
        self.sites += 1
        missing = any(a is None for a in site.addresses)
        leaf = next((u for a in site.addresses if (u := unexplained(a))), None)
        if missing or leaf is not None:
            why = "no address" if leaf is None else self._why(facts, leaf)
            self.reasons[why] += 1
            self.examples.setdefault(why, f"{kernel} {_at(site)}: {leaf}")
            return False
        self.explained += 1
        if any(isinstance(x, Opaque) for a in site.addresses if a for x in a.atoms):
            self.loaded += 1
        leaves = [x for a in site.addresses if a for x in a.atoms if isinstance(x, Opaque)]
        self.derived += any(x.kind != "loaded" for x in leaves)
        return True

    examples: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def _why(facts: KernelFacts, leaf: Opaque) -> str:
        if leaf.kind == "result":
            return f"result of {facts.kernel.instructions[leaf.pc].name}"
        return f"{leaf.kind}{' among constants' if leaf.chosen else ''}"


def _at(site: AccessSite) -> str:
    place = f"line {site.location.line}" if site.location else f"pc {site.pcs[0]}"
    return f"{place} ({site.kind} {site.space} {site.array.name})"


def simulated(
    facts: KernelFacts, names: tuple[str, ...], compilation: Compilation, sources: list[SourceFacts]
) -> tuple[dict[int, Compared], str]:
    """What the trace says of each instruction, and why there is none."""
    origin = compilation.entries.get(facts.kernel.name) or frontend.origin_of(facts.kernel.name)
    source = source_kernel(compilation.facts.values(), origin, len(facts.kernel.parameters))
    own = list(compilation.facts.values())
    others = [f for f in sources if f.path not in {o.path for o in own}]
    launches = launches_of(origin.kernel, origin.template_arguments, [*own, *others])
    for plan in plans(facts, names, source=source, sites=launches)[0]:
        try:
            return compare(facts, plan.conditions[0].launch, budget=BUDGET), ""
        except LaunchError:
            continue
        except UnsupportedInstructionError as error:
            return {}, str(error)
    return {}, "no launch"


def kernel(
    totals: Totals, module: Module, name: str, compilation: Compilation, sources: list[SourceFacts]
) -> None:
    """Counts one kernel."""
    totals.kernels += 1
    function = module.functions[name]
    try:
        facts = analyse(module, function)
    except AnalysisError as error:
        totals.failed.append(str(error))
        return
    explained = [s for s in facts.sites if totals.site(name, facts, s)]
    origin = compilation.entries.get(name) or frontend.origin_of(name)
    source = source_kernel(compilation.facts.values(), origin, len(function.parameters))
    found, why = simulated(facts, parameter_names(function, source), compilation, sources)
    if why:
        totals.unsimulated[why] += 1
    for site in explained:
        here = [found[pc] for pc in site.pcs if pc in found]
        if not here:
            continue
        totals.reached += 1
        wrong = [c for c in here if c.equal + c.wrapped < c.requests]
        overflowing = [c for c in here if c.wrapped]
        totals.agreeing += not wrong and not overflowing
        totals.overflowing += not wrong and bool(overflowing)
        if wrong:
            totals.differences.append(f"{name} {_at(site)}: {wrong[0].difference}")
        elif overflowing:
            said = f"the kernel's index overflows: {overflowing[0].overflow}"
            totals.differences.append(f"{name} {_at(site)}: {said}")
    for counted in found.values():
        totals.requests += counted.requests
        totals.predicted += counted.sectors
        totals.guarded += counted.guarded
        if counted.outside:
            totals.outside += counted.outside
            totals.differences.append(f"{name}: {counted.nest}")


def timed(totals: Totals, module: Module, compile_seconds: float) -> None:
    """Times the analysis of a file's kernels against its compilation."""
    start = time.perf_counter()
    for each in module.kernels:
        try:
            analyse(module, each)
        except AnalysisError:
            continue
    seconds = time.perf_counter() - start
    size = sum(len(k.instructions) for k in module.kernels)
    totals.analysis.append((seconds, compile_seconds, size, ""))


def modules(root: Path) -> Iterator[tuple[Path, Module, Compilation, list[SourceFacts], float]]:
    """Every file below a folder that compiles, with the source facts of its own folder."""
    files = sorted([*root.rglob("*.cu"), *root.rglob("*.ptx")])
    facts: dict[Path, SourceFacts] = {}
    with frontend.Pool() as pool:
        for path in files:
            if path.suffix == ".ptx":
                compilation = frontend.read_ptx(path)
                seconds = 0.0
            else:
                start = time.perf_counter()
                compilation = frontend.compile_file(path, root=root, pool=pool)
                seconds = time.perf_counter() - start
            if compilation.ptx is None:
                continue
            for near in path.parent.glob("*.cu"):
                if near not in facts:
                    try:
                        facts[near] = read_source(near)
                    except (OSError, ValueError):
                        continue
            try:
                module = parse(compilation.ptx, str(path))
            except PtxSyntaxError:
                continue
            near_facts = [f for p, f in facts.items() if p.parent == path.parent]
            yield path, module, compilation, near_facts, seconds


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def report(totals: Totals, show: bool) -> None:
    """Prints the table."""
    t = totals
    print(f"kernels                          {t.kernels} in {t.files} files")
    print(f"sites                            {t.sites}")
    print(f"  with an expression             {percent(t.explained, t.sites)} ({t.explained})")
    print(f"    of which with loaded values  {t.loaded}")
    print(f"      or computed from such      {t.derived}")
    print(f"    reached by the simulation    {t.reached}")
    print(f"      agreeing in every lane     {percent(t.agreeing, t.reached)} ({t.agreeing})")
    print(f"      their index overflowing    {t.overflowing}")
    print(f"requests                         {t.requests}")
    print(f"  with the predicted sectors     {percent(t.predicted, t.requests)}")
    print(f"guards and loop ends that hold   {percent(t.guarded - t.outside, t.guarded)}")
    if t.analysis:
        ratios = [a / c for a, c, _, _ in t.analysis if c]
        if ratios:
            print(f"analysis / compilation, median   {statistics.median(ratios):.2f}")
        worst = max(t.analysis)
        print(f"longest analysis of a file       {worst[0]:.2f} s ({worst[2]} instructions)")
    print("opaque besides loaded values:")
    for why, count in t.reasons.most_common(None if show else 15):
        print(f"  {count:5}  {why}    e.g. {t.examples[why][:150]}")
    for why, count in t.unsimulated.most_common(5):
        print(f"not simulated: {count} ({why})")
    for each in t.failed[: None if show else 5]:
        print(f"not analysed: {each}")
    for each in t.differences[: None if show else 12]:
        print(f"DIFFERENT: {each[:700]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("root", type=Path)
    parser.add_argument("--show", action="store_true", help="list everything, not the first few")
    arguments = parser.parse_args()
    totals = Totals()
    for path, module, compilation, sources, seconds in modules(arguments.root):
        totals.files += bool(module.kernels)
        if module.kernels:
            timed(totals, module, seconds)
        for each in module.kernels:
            try:
                kernel(totals, module, each.name, compilation, sources)
            except Exception as error:
                print(f"{path}: {each.name}: {type(error).__name__}: {error}", file=sys.stderr)
                raise
    report(totals, arguments.show)


if __name__ == "__main__":
    main()
