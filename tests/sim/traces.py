"""Everything that tracers may see of a run, as something to compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.frontend.source.launches.kernel_launches import launches_of
from perflint.grammar import parse
from perflint.lint.experiment import plans
from perflint.lint.subject import source_kernel
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.device_runtime import linked
from perflint.sim.emulator import choose_blocks
from perflint.sim.launch import Budget, Launch, Run, UnsupportedInstructionError
from perflint.sim.trace import (
    BarrierBatch,
    BranchBatch,
    InstructionBatch,
    MemoryBatch,
    Tracing,
)


class Everything(Tracing):
    """Keeps every event with all that it says, lanes that take no part left out."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def memory(self, batch: MemoryBatch) -> None:
        where = (batch.pc, batch.space, batch.kind, batch.size, batch.order)
        self._keep(where, batch, np.where(batch.mask, batch.region, 0),
                   np.where(batch.mask, batch.offset, 0))  # fmt: skip

    def barrier(self, batch: BarrierBatch) -> None:
        self._keep(("barrier", batch.pc, batch.order), batch)

    def warp_barrier(self, batch: BarrierBatch) -> None:
        self._keep(("warp barrier", batch.pc, batch.order), batch)

    def instructions(self, batch: InstructionBatch) -> None:
        self._keep((batch.first, batch.last, batch.order), batch)

    def branch(self, batch: BranchBatch) -> None:
        self._keep((batch.position, batch.order), batch, np.where(batch.mask, batch.target, 0))

    def _keep(self, what: tuple[Any, ...], batch: Any, *columns: np.ndarray) -> None:
        arrays = (batch.block, batch.warp, batch.mask, *columns)
        self.events.append((*what, *(a.astype(np.int64).tobytes() for a in arrays)))


def seen(module: Any, kernel: Any, launch: Launch, **options: Any) -> tuple[Any, ...]:
    """A run's events and its own account of itself."""
    tracer = Everything()
    run: Run = simulate(
        module, kernel, launch, SimulationOptions(keep_memory=False, **options), tracers=(tracer,)
    )
    stop = run.stop and replace(run.stop, detail="")
    return (
        tracer.events, run.warp_instructions, run.thread_instructions, stop, run.faults,
        run.requests, run.schedule_dependent,
    )  # fmt: skip


def difference(a: tuple[Any, ...], b: tuple[Any, ...]) -> str:
    """What two runs differ in first; "" if in nothing."""
    for number, (one, other) in enumerate(zip(a[0], b[0], strict=False)):
        if one != other:
            return f"event {number}: {one[:5]} and {other[:5]}"
    names = ("events", "warp", "thread instructions", "stop", "faults", "requests", "schedule")
    for name, one, other in zip(names, a, b, strict=False):
        if one != other:
            return (
                f"{name}: {len(one)} and {len(other)}"
                if name == "events"
                else (f"{name}: {one} and {other}")
            )
    return ""


def experiments(path: Path, root: Path | None = None) -> Iterator[tuple[str, KernelFacts, Any]]:
    """The kernels of a file, each with the conditions that a lint run would try it under."""
    compilation = (
        frontend.read_ptx(path) if path.suffix == ".ptx" else frontend.compile_file(path, root=root)
    )
    if compilation.ptx is None:
        return
    module = linked(parse(compilation.ptx, str(path)))
    sources = list(compilation.facts.values())
    for kernel in module.kernels:
        origin = compilation.entries.get(kernel.name) or frontend.origin_of(kernel.name)
        source = source_kernel(sources, origin, len(kernel.parameters))
        try:
            facts = analyse(module, kernel)
        except AnalysisError:
            continue
        names = [p.name for p in facts.kernel.parameters]
        sites = launches_of(origin.kernel, origin.template_arguments, sources)
        tried, _ = plans(facts, names, source=source, sites=sites)
        for plan in tried[:2]:
            for condition in plan.conditions:
                yield f"{path.name}: {origin.kernel}: {condition.name}", facts, condition


def unlike(facts: KernelFacts, condition: Any, steps: int = 400) -> str:
    """What a cut run shows that a whole one does not; "" if nothing, or if it cannot be run."""
    options = {
        "fill": condition.fill,
        "blocks": choose_blocks(condition.launch.grid, facts.communicates),
        "budget": Budget(requests_per_site=256, seconds=60),
    }

    def few() -> Any:
        """Ends a run after so many basic blocks: budgets count what is computed."""
        left = iter(range(steps))
        return lambda: next(left, None) is None

    launch = condition.launch
    try:
        whole = seen(facts.module, facts.kernel, launch, stop_when=few(), **options)
    except (LaunchError, UnsupportedInstructionError):
        return ""
    cut = seen(facts.module, facts.kernel, launch, stop_when=few(), slice_only=True, **options)
    whole, cut = (_without_invented(each) for each in (whole, cut))
    if whole[3] is not None and whole[3].reason == "memory budget":
        return difference(whole[:1], (cut[0][: len(whole[0])],))  # the other moves fewer bytes
    return difference(whole, cut)


def _without_invented(run: tuple[Any, ...]) -> tuple[Any, ...]:
    """A run without its reads of what was invented: a cut one makes only those that decide."""
    faults = tuple(fault for fault in run[4] if fault.kind != "unwritten-constant")
    return (*run[:4], faults, *run[5:])
