"""How often the negation of a path condition leads a warp down the other way, on real kernels.

    python benchmarks/stress_negations.py gpu-rodinia/cuda [--kernels N] [--states N] [--show]

For every kernel below DIR, with the launch that `perflint check` would try first, cut to a few
blocks, arrays are filled at random; states of Algorithm 1 are solved for and run. Counted is what
became of each conjunct that was negated (`as asked`, or why not), how the solver answered, what was
concretised and why, and inputs that were no inputs (they led out of an allocation).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.agreement import modules
from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.frontend.source.launches.kernel_launches import launches_of
from perflint.lint.experiment import plans
from perflint.lint.subject import parameter_names, source_kernel
from perflint.sim import LaunchError
from perflint.sim.launch import Buffer, Launch, Scalar, UnsupportedInstructionError
from perflint.stress.guided import ArrayInput, Options, ScalarInput, Subject, explore
from perflint.stress.guided.subject import Given

_MOST = 1 << 20  #: bytes of an array whose size nothing says


def subject(facts: KernelFacts, launch: Launch, seed: int) -> Subject:
    """A launch with random arrays, and its scalars as they are."""
    rng = np.random.default_rng(seed)
    given: list[Given] = []
    types = facts.element_types
    for number, (parameter, each) in enumerate(
        zip(facts.kernel.parameters, launch.arguments, strict=True)
    ):
        if isinstance(each, Buffer):
            size = min(each.size or _MOST, _MOST)
            given.append(ArrayInput(each.name, _filled(types.get((number, 0)), size, each, rng)))
        elif isinstance(each, Scalar):
            real = parameter.type[0] == "f"
            value = float(each.value) if real else int(each.value)
            given.append(ScalarInput(parameter.name, value))
        else:
            given.append(each)
    return Subject(
        facts.module, facts.kernel, launch.grid, launch.block, tuple(given), launch.dynamic_shared
    )


def _filled(element: str | None, size: int, buffer: Buffer, rng: np.random.Generator) -> np.ndarray:
    kind = {"f": "f", "s": "i", "u": "u", "b": "u"}.get((element or "u32")[0], "u")
    bits = int((element or "u32")[1:].split("x")[0]) // 8
    count = max(1, size // bits)
    if kind == "f" and bits >= 4:
        return rng.random(count).astype(f"f{bits}")
    top = min(buffer.limit, 127 if bits == 1 else 1 << 15)
    return rng.integers(0, max(1, top), count).astype(f"{'i' if kind == 'f' else kind}{bits}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--states", type=int, default=6)
    parser.add_argument(
        "--warps", type=int, default=2, help="whole blocks of so many, at least one"
    )
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    led, asked, why, values, gone, not_run = (Counter[str]() for _ in range(6))
    kernels = symbolic = 0
    for path, module, compilation, sources, _ in modules(options.folder):
        for entry in module.kernels:
            if kernels >= options.kernels:
                break
            try:
                facts = analyse(module, entry)
                origin = compilation.entries.get(entry.name) or frontend.origin_of(entry.name)
                source = source_kernel(compilation.facts.values(), origin, len(entry.parameters))
                launches = launches_of(origin.kernel, origin.template_arguments, sources)
                names = parameter_names(entry, source)
                plan = next(iter(plans(facts, names, source=source, sites=launches)[0]), None)
                if plan is None:
                    not_run["no launch"] += 1
                    continue
                of = subject(facts, plan.conditions[0].launch, kernels)
                found = explore(
                    of, Options(states=options.states, strategy="symbolic", tries=2,
                                prefixes=8, most_warps=options.warps, run_instructions=20_000),
                )  # fmt: skip
            except (AnalysisError, LaunchError, UnsupportedInstructionError) as error:
                not_run[type(error).__name__] += 1
                continue
            kernels += 1
            symbolic += bool(sum(found.led.values()) or found.questions)
            for total, one in (
                (led, found.led), (asked, found.questions), (why, found.concretised),
                (values, found.values_concretised), (gone, found.discarded),
            ):  # fmt: skip
                total.update(one)
            if options.show:
                counts = (found.led, found.questions, found.discarded)
                print(f"{path.name}:{entry.name[:40]}", *map(dict, counts), flush=True)
    total, other = sum(led.values()), led["other data before"]
    print(f"{kernels} kernels, {symbolic} with conditions on their input")
    print(
        f"negated and run: {total}, as asked {led['as asked'] / max(1, total):.1%}, of those about "
        f"the same data {led['as asked'] / max(1, total - other):.1%}; {dict(led)}"
    )
    print(f"questions: {dict(asked)}\nconcretised conditions: {dict(why)}")
    print(f"concretised values: {dict(values)}")
    print(f"inputs discarded: {dict(gone)}; not run: {dict(not_run)}")


if __name__ == "__main__":
    main()
