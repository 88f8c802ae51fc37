"""A launch that is at hand, simulated and measured: as it was recorded, or as `check` tries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.api import Listener, Outcome
from perflint.debug_lines import Lines
from perflint.grammar.model import Function, Module
from perflint.lint.run_budgets import first_blocks
from perflint.profile.arguments import ProfileLaunch
from perflint.profile.cache_figures import CacheRequest, of_run
from perflint.profile.figures import Profile, gathered
from perflint.profile.floor_figures import floor_figures
from perflint.profile.run import prints
from perflint.sim import SimulationOptions, simulate
from perflint.sim.architecture import load as architecture
from perflint.sim.launch import UNBOUNDED, Fill, Launch, whole
from perflint.sim.trace import Tracer
from perflint.sim.tracers import found
from perflint.sim.tracers.cache_recorder import CacheRecorder
from perflint.sim.tracers.unit_work import UnitWork

#: Blocks of a launch that are measured, and what the measuring may take.
MOST_BLOCKS = 1024
SECONDS = 20.0
_MEMORY = 4 << 30
_FEW = 8  #: blocks by which others are judged


def blocks_within(
    module: Module, kernel: Function, launch: Launch, arch: str, fill: Fill, most: int
) -> int:
    """How many of a launch's first blocks execute about `most` warp instructions; MOST_BLOCKS at
    most, a few at least. The first few are run for it, and the others taken to be alike."""
    few = first_blocks(launch.grid, _FEW)
    budget = replace(whole(SECONDS, _MEMORY), warp_instructions=most)
    options = SimulationOptions(arch=arch, fill=fill, blocks=few, budget=budget, slice_only=True,
                                keep_memory=False)  # fmt: skip
    executed = simulate(module, kernel, launch, options).warp_instructions
    return min(MOST_BLOCKS, max(_FEW, len(few) * most // max(1, executed)))


def measured(
    module: Module,
    kernel: Function,
    launch: Launch,
    arch: str,
    name: str,
    text: str,
    lines: Lines,
    *,
    fill: Fill = Fill.RANDOM,
    seconds: float = SECONDS,
    blocks: int = MOST_BLOCKS,
    instructions: int = UNBOUNDED,
    tracers: Sequence[Tracer] = (),
    cache: CacheRequest | None = None,
    floors: bool = False,
) -> Profile:
    """The figures of a launch's first `blocks`, which execute no more than `instructions` in all
    warps; `name` and `text` are the kernel's and the launch's.

    `tracers` see the run too; with `cache` it is replayed through one, with `floors` it is told
    what its work takes at least, if all blocks were measured: what others need is not known.
    Raises LaunchError, UnsupportedInstructionError and CacheError.
    """
    work = [UnitWork()] if floors else []
    recorders = [CacheRecorder()] if cache is not None else []
    measuring = {each: make() for each, make in found().items() if prints(make)}
    listener = Listener()
    run = simulate(
        module,
        kernel,
        launch,
        SimulationOptions(
            arch=arch,
            fill=fill,
            blocks=first_blocks(launch.grid, blocks),
            budget=replace(whole(seconds, _MEMORY), warp_instructions=instructions),
            keep_memory=False,
        ),
        tracers=(*measuring.values(), *tracers, *recorders, *work, listener),
    )
    outcome = Outcome(run, (), (), listener.setting.instructions)
    shown = ProfileLaunch(text, launch.grid, launch.block, launch.dynamic_shared, ())
    figures = gathered(name, lines, shown, outcome, measuring, ())
    if cache is not None:
        trace = recorders[0].trace
        report = of_run(trace, cache, (arch,), lines, outcome.instructions, run)
        figures = replace(figures, cache=report)
    if work and len(run.blocks.indices) == run.blocks.total:
        limits = architecture(run.arch)
        least = floor_figures(work[0], outcome.instructions, lines, limits)
        figures = replace(figures, floors=least)
    return figures
