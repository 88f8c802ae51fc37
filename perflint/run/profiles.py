"""`perflint run --profile`: the figures of `perflint profile`, of launches that really happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from perflint.lint.recorded_launches import RecordedLaunch
from perflint.lint.recorded_plans import plan
from perflint.profile.figures import Profile
from perflint.profile.report import as_text
from perflint.profile.simulated import measured
from perflint.run.modules import parsed
from perflint.run.records import merged
from perflint.run.sources import Sources
from perflint.run.watch import Seen
from perflint.sim.trace import Tracer


def profile_text(seen: Sequence[Seen], program: Path, arch: str) -> str:
    """The last kept launch of each kernel and shape, as text."""
    found = latest(seen)
    return "\n".join(as_text(profiled(each, texts, program, arch)) for each, texts in found)


def latest(seen: Sequence[Seen]) -> Iterator[tuple[RecordedLaunch, tuple[str, ...]]]:
    """The last kept launch of each kernel and shape, with the PTX of its module."""
    records = merged(s.records for s in seen)
    for digest, texts in records.modules.items():
        kept = {(r.kernel, r.grid, r.block, r.shared): r for r in records.launches
                if r.module == digest and r.image is not None}  # fmt: skip
        yield from ((each, texts) for each in kept.values())


def profiled(
    recorded: RecordedLaunch,
    texts: tuple[str, ...],
    program: Path,
    arch: str,
    tracers: Sequence[Tracer] = (),
) -> Profile:
    """The figures of a recorded launch; `tracers` see its run too."""
    sources = Sources(texts, program)
    module = parsed(texts, str(program))
    kernel = module.functions[recorded.kernel]
    launch = plan(kernel, recorded).conditions[0].launch
    name = sources.origin(recorded.kernel).kernel
    text = f"<<<{recorded.grid}, {recorded.block}, {recorded.shared}>>>"
    text += f", launch {recorded.number} of {recorded.alike}"
    lines = sources.lines(kernel)
    return measured(module, kernel, launch, arch, name, text, lines, tracers=tracers, floors=True)
