"""A profile's counts and floor beside what Nsight Compute measured of the same launch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from perflint.base.plain_text import clean, one_line
from perflint.base.records import dataclass
from perflint.compare.ncu_file import MeasuredLaunch
from perflint.compare.store import StoredRun
from perflint.profile.arguments import ArgumentSpecError, parse
from perflint.profile.figures import LineRow
from perflint.profile.table import aligned
from perflint.sim import architecture

#: Figures of a launch that both have, by their tracer, in the order to print them.
_COUNTS = {
    "warp instructions": "Instruction",
    "global requests": "Memory",
    "sectors": "Memory",
    "wavefronts": "Memory",
}
_OF_LINES = ("sectors", "wavefronts")
_SOURCE = 60  #: characters of a source line that are shown
_BUG = "the floor is above it, which is a fault of perflint: please report it"


@dataclass(frozen=True)
class Beside:
    """A run and the measured launch of the same kernel and shape."""

    run: StoredRun
    measured: MeasuredLaunch

    @property
    def whole(self) -> bool:
        """Whether the run has all of the launch, so that its counts can be held against it."""
        return self.run.blocks == self.run.total_blocks and not self.run.stopped

    @property
    def counts(self) -> list[tuple[str, int, int]]:
        """(name, predicted, measured) of the launch."""
        found = self.run.metrics
        return [
            (name, int(found[tracer, name]), self.measured.counts[name])
            for name, tracer in _COUNTS.items()
            if (tracer, name) in found and name in self.measured.counts
        ]

    @property
    def floor(self) -> int | None:
        """Cycles that no schedule beats; None where the profile was made without `--floors`."""
        found = self.run.metrics.get(("Floors", "cycles"))
        return None if found is None else int(found)

    @property
    def other_gpu(self) -> str:
        """What keeps the floor from being held against the measured cycles; "" if nothing."""
        arch, measured = architecture.load(self.run.arch), self.measured
        if measured.capability and measured.capability != arch.compute_capability:
            known = ".".join(map(str, measured.capability))
            return f"the report is of compute capability {known}"
        if measured.multiprocessors and measured.multiprocessors != arch.multiprocessors:
            return (
                f"the report's GPU has {measured.multiprocessors} multiprocessors, and the floor "
                f"is of {arch.multiprocessors}"
            )
        return ""

    @property
    def too_high(self) -> bool:
        """Whether the floor is above what was measured: perflint is wrong then."""
        floor = self.floor
        return bool(
            floor and self.measured.cycles and not self.other_gpu and floor > self.measured.cycles
        )

    @property
    def lines(self) -> Iterator[tuple[LineRow, dict[str, tuple[int, int]]]]:
        """Each line that both have, and its (predicted, measured) figures."""
        for row in self.run.lines:
            place = PurePath(row.place.path).name, row.place.number
            theirs = self.measured.lines.get(place, {})
            both = {
                name: (row.sums[name], theirs[name])
                for name in _OF_LINES
                if name in row.sums and name in theirs
            }
            if both:
                yield row, both


def beside(runs: Sequence[StoredRun], launches: Sequence[MeasuredLaunch]) -> list[Beside]:
    """Each run with the first measured launch of its kernel, grid and block."""
    out = []
    for run in runs:
        found = next((each for each in launches if _same(run, each)), None)
        if found is not None:
            out.append(Beside(run, found))
    return out


def _same(run: StoredRun, measured: MeasuredLaunch) -> bool:
    if run.kernel.partition("<")[0] != measured.kernel.partition("<")[0]:
        return False
    try:
        launch = parse(run.launch)
    except ArgumentSpecError:
        return True  # a shape that is not known contradicts none
    shapes = ((launch.grid, measured.grid), (launch.block, measured.block))
    return all(not theirs or tuple(ours) == theirs for ours, theirs in shapes)


def as_text(pairs: Sequence[Beside]) -> str:
    """Of each pair the launch's figures, the floor, and the lines."""
    out: list[str] = []
    for pair in pairs:
        out += [*([""] if out else []), *_pair_text(pair)]
    return "".join(f"{clean(line)}\n" for line in out)


def _pair_text(pair: Beside) -> Iterator[str]:
    yield one_line(f"{pair.run.launch} on {pair.run.arch}, run {pair.run.number}")
    if not pair.whole:
        yield "note: not all of the launch was simulated, so that its counts are lower"
    if pair.counts:
        yield ""
        rows = [(name, f"{a:,}", f"{b:,}", _apart(a, b)) for name, a, b in pair.counts]
        yield from aligned([("", "simulated", "measured", ""), *rows], left=1)
        if any(name == "warp instructions" for name, *_ in pair.counts):
            yield "(of PTX and of the machine: ptxas makes others of them)"
    yield ""
    yield _floor_text(pair)
    if any(pair.lines):
        yield ""
        yield from _line_table(pair)


def _line_table(pair: Beside) -> Iterator[str]:
    names = [n for n in _OF_LINES if any(n in both for _, both in pair.lines)]
    rows = [
        (
            str(row.place.number),
            *(text for name in names for text in _cells(both.get(name))),
            row.source.strip()[:_SOURCE],
        )
        for row, both in pair.lines
    ]
    head = ("line", *(word for name in names for word in (name, "measured")), "source")
    yield from aligned([head, *rows], left=1)


def _cells(found: tuple[int, int] | None) -> Sequence[str]:
    return [f"{n:,}" for n in found] if found else ["", ""]


def _apart(simulated: int, measured: int) -> str:
    if simulated == measured:
        return "equal"
    return f"{100 * (measured - simulated) / simulated:+.1f}%" if simulated else ""


def _floor_text(pair: Beside) -> str:
    cycles = pair.measured.cycles
    if not cycles:
        return "the report has no elapsed cycles of the multiprocessors"
    told = f"measured: {cycles:,} cycles"
    if pair.floor is None:
        return f"{told}; the run has no floor: profile it with --floors"
    if pair.other_gpu:
        return f"{told}; no floor to hold against them: {pair.other_gpu}"
    told += f"; no schedule takes fewer than {pair.floor:,}"
    return f"{told}: {_BUG}" if pair.too_high else f"{told}, {pair.floor / cycles:.0%} of them"


def as_json(pairs: Sequence[Beside]) -> str:
    """The same as data."""
    return json.dumps([_pair_json(pair) for pair in pairs], indent=2) + "\n"


def _pair_json(pair: Beside) -> dict[str, Any]:
    def both(found: tuple[int, int]) -> dict[str, int]:
        return dict(zip(("simulated", "measured"), found, strict=True))

    return {
        "run": pair.run.number,
        "kernel": pair.run.kernel,
        "launch": pair.run.launch,
        "arch": pair.run.arch,
        "whole": pair.whole,
        "counts": {name: both((a, b)) for name, a, b in pair.counts},
        "floor": pair.floor,
        "measured_cycles": pair.measured.cycles or None,
        "other_gpu": pair.other_gpu or None,
        "floor_above_measured": pair.too_high,
        "lines": [
            {
                "filename": str(row.place.path),
                "row": row.place.number,
                **{name: both(found) for name, found in figures.items()},
            }
            for row, figures in pair.lines
        ],
    }
