"""`perflint run --profile`: the figures of `perflint profile`, of launches that really happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from perflint.api import Listener, Outcome
from perflint.lint.recorded_launches import RecordedLaunch
from perflint.lint.recorded_plans import plan
from perflint.lint.trials import first_blocks
from perflint.profile.arguments import ProfileLaunch
from perflint.profile.figures import gathered
from perflint.profile.floor_figures import floor_figures
from perflint.profile.report import as_text
from perflint.profile.run import prints
from perflint.run.modules import parsed
from perflint.run.records import merged
from perflint.run.sources import Sources
from perflint.run.watch import Seen
from perflint.sim import SimulationOptions, simulate
from perflint.sim.architecture import load as architecture
from perflint.sim.launch import whole
from perflint.sim.tracers import found
from perflint.sim.tracers.unit_work import UnitWork

#: Blocks of a launch that are measured, and what the measuring may take.
MOST_BLOCKS = 1024
SECONDS = 20.0


def profile_text(seen: Sequence[Seen], program: Path, arch: str) -> str:
    """The last kept launch of each kernel and shape, as text."""
    records = merged(s.records for s in seen)
    out = []
    for digest, texts in records.modules.items():
        latest = {(r.kernel, r.grid, r.block, r.shared): r for r in records.launches
                  if r.module == digest and r.image is not None}  # fmt: skip
        out += [_profiled(each, texts, program, arch) for each in latest.values()]
    return "\n".join(out)


def _profiled(recorded: RecordedLaunch, texts: tuple[str, ...], program: Path, arch: str) -> str:
    sources = Sources(texts, program)
    module = parsed(texts, str(program))
    kernel = module.functions[recorded.kernel]
    launch = plan(kernel, recorded).conditions[0].launch
    tracers = {name: make() for name, make in found().items() if prints(make)}
    recall, work = Listener(), UnitWork()
    run = simulate(
        module,
        kernel,
        launch,
        SimulationOptions(
            arch=arch,
            blocks=first_blocks(launch.grid, MOST_BLOCKS),
            budget=whole(SECONDS, 4 << 30),
            keep_memory=False,
        ),
        tracers=(*tracers.values(), recall, work),
    )
    outcome = Outcome(run, (), (), recall.setting.instructions)
    name = sources.origin(recorded.kernel).kernel
    text = f"<<<{recorded.grid}, {recorded.block}, {recorded.shared}>>>"
    text += f", launch {recorded.number} of {recorded.alike}"
    shown = ProfileLaunch(text, recorded.grid, recorded.block, recorded.shared, ())
    lines = sources.lines(recall.setting.kernel)
    figures = gathered(name, lines, shown, outcome, tracers, ())
    if len(run.blocks.indices) < run.blocks.total:
        return as_text(figures)  # what blocks that were not measured need is not known
    floors = floor_figures(work, outcome.instructions, lines, architecture(run.arch))
    return as_text(replace(figures, floors=floors))
