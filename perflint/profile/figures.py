"""What a profile says, gathered from the tracers: of the launch, and of each source line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from perflint.api import Outcome
from perflint.base.records import dataclass
from perflint.debug_lines import Line, Lines
from perflint.profile.arguments import ProfileLaunch
from perflint.profile.cache_rows import CacheFigures
from perflint.profile.floor_figures import FloorFigures
from perflint.sim.launch import Stop
from perflint.sim.trace import Metric
from perflint.sim.tracers.watch import Watch

MOST_ACCESSES = 32  #: of a watched piece of memory, printed as text


@dataclass(frozen=True)
class ErrorRow:
    """One error of the kernel."""

    kind: str
    text: str  #: with the place in front
    place: Line | None
    message: str
    block: tuple[int, int, int] | None
    thread: tuple[int, int, int] | None
    address: int | None
    count: int


@dataclass(frozen=True)
class LineRow:
    """The sums of all instructions of a source line, and what follows from them."""

    place: Line
    source: str
    sums: Mapping[str, int]

    def ratio(self, over: str, under: str) -> float | None:
        """One sum by another; None where the latter is 0 or missing."""
        below = self.sums.get(under, 0)
        return self.sums.get(over, 0) / below if below else None

    @property
    def derived(self) -> dict[str, float]:
        """Ratios by name, those that there are."""
        found = {
            "active_threads": self.ratio("thread_instructions", "warp_instructions"),
            "divergence": self.ratio("divergent_branches", "branches"),
            "sectors_per_request": self.ratio("sectors", "global_requests"),
            "ideal_sectors_per_request": self.ratio("ideal_sectors", "global_requests"),
            "memory_efficiency": self.ratio("global_bytes", "moved_bytes"),
            "wavefronts_per_request": self.ratio("wavefronts", "shared_requests"),
            "ideal_wavefronts_per_request": self.ratio("ideal_wavefronts", "shared_requests"),
        }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class WatchRow:
    """One access to a watched piece of memory."""

    kind: str
    place: Line
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    offset: int
    size: int
    value: str | None  #: hexadecimal, as it lies in memory


@dataclass(frozen=True)
class Profile:
    """All figures of one profiled launch."""

    kernel: str
    file: Path
    launch: str
    arch: str
    blocks: int  #: simulated
    total_blocks: int
    warp_instructions: int
    thread_instructions: int
    stopped: str  #: what ended the run before the kernel did; "" if nothing
    metrics: Mapping[str, Mapping[str, Metric]]  #: by tracer
    lines: tuple[LineRow, ...]
    watched: Mapping[str, tuple[WatchRow, ...]]
    errors: tuple[ErrorRow, ...]
    cache: CacheFigures | None = None  #: where it was asked for
    trace: Mapping[str, Any] | None = None  #: the trace document, where it was asked for
    floors: FloorFigures | None = None  #: where they were asked for


def gathered(
    kernel: str,
    lines: Lines,
    launch: ProfileLaunch,
    outcome: Outcome,
    tracers: Mapping[str, Any],
    watches: Sequence[Watch],
) -> Profile:
    """The figures of a run; `tracers` by name, in the order to print them."""
    run = outcome.run
    metrics = {name: found for name, t in tracers.items() if (found := t.metrics())}
    for each in watches:
        metrics.setdefault("Watch", {})
        metrics["Watch"] = {**metrics["Watch"], **each.metrics()}
    return Profile(
        kernel=kernel,
        file=lines.path,
        launch=kernel + launch.text,
        arch=run.arch,
        blocks=len(run.blocks.indices),
        total_blocks=run.blocks.total,
        warp_instructions=run.warp_instructions,
        thread_instructions=run.thread_instructions,
        stopped=_stopped(run.stop, lines, bool(outcome.violations)),
        metrics=metrics,
        lines=_lines(tracers.values(), outcome, lines),
        watched={
            f"{w.name}+{w.first}": tuple(_watched(a, lines) for a in w.accesses) for w in watches
        },
        errors=tuple(_error(v, lines) for v in outcome.violations),
    )


def _lines(tracers: Iterable[Any], outcome: Outcome, lines: Lines) -> tuple[LineRow, ...]:
    """The tracers' sums by instruction, added up by line in the order of the source."""
    instructions = outcome.instructions
    by_line: dict[Line, Counter[str]] = {}
    for tracer in tracers:
        sums = getattr(tracer, "sums", None)
        for position, found in (sums() if sums is not None else {}).items():
            place = lines.line(instructions[position])
            by_line.setdefault(place, Counter()).update(found)
    return tuple(
        LineRow(place, lines.text(place), dict(by_line[place])) for place in sorted(by_line)
    )


def _watched(access: Any, lines: Lines) -> WatchRow:
    return WatchRow(
        access.kind,
        lines.line(access.instruction),
        access.block,
        access.thread,
        access.offset,
        access.size,
        access.value.hex() if access.value is not None else None,
    )


def _stopped(stop: Stop | None, lines: Lines, wrong: bool) -> str:
    if wrong:
        return "an error ended the run"
    if stop is None:
        return ""
    at = f" at {lines.line(lines.kernel.instructions[stop.pc])}" if stop.pc is not None else ""
    detail = f" ({stop.detail})" if stop.detail else ""
    return f"the {stop.reason}{detail} ended the run{at}"


def _error(violation: Any, lines: Lines) -> ErrorRow:
    instruction = violation.instruction
    return ErrorRow(
        violation.kind,
        lines.told(violation),
        lines.line(instruction) if instruction is not None else None,
        lines.message(violation),
        violation.block,
        violation.thread,
        violation.address,
        violation.count,
    )
