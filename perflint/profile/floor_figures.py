"""The floors of a profiled launch: of each unit, and of each source line (docs/worth.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from perflint.base.floor import OF_MACHINE_CODE, UNITS, Floor
from perflint.base.records import dataclass
from perflint.debug_lines import Line, Lines
from perflint.grammar.model import Instruction
from perflint.profile.machine_code.counted import MachineCode
from perflint.profile.table import aligned
from perflint.sim.architecture import Architecture
from perflint.sim.floors import COUNTS, floor, of_instructions, of_launch
from perflint.sim.tracers.unit_work import UnitWork

MOST_LINES = 16  #: source lines that are printed as text


@dataclass(frozen=True)
class Measured:
    """What the user measured of the launch on a GPU."""

    seconds: float
    hertz: float  #: of the multiprocessors' clock

    @property
    def cycles(self) -> float:
        """Cycles of a multiprocessor in that time."""
        return self.seconds * self.hertz


@dataclass(frozen=True)
class FloorFigures:
    """Cycles that no schedule can beat."""

    arch: Architecture
    launch: Floor  #: of the whole launch, on all multiprocessors
    lines: tuple[tuple[Line, str, Floor], ...]  #: each source line alone, the dearest first
    unbounded: tuple[str, ...]  #: units of which no rate is known that would bound anything
    measured: Measured | None = None
    code: MachineCode | None = None  #: that counts too, in `launch`


def floor_figures(
    work: UnitWork,
    instructions: Sequence[Instruction],
    lines: Lines,
    arch: Architecture,
    measured: Measured | None = None,
    code: MachineCode | None = None,
) -> FloorFigures:
    """The floors of a launch whose every block was traced; a line's are its share of all blocks.

    Machine code is of the launch only: which line an instruction is of is not asked.
    """
    by_line: dict[Line, np.ndarray] = {}
    for position, counts in work.by_position.items():
        if position >= 0:
            place = lines.line(instructions[position])
            by_line[place] = by_line.get(place, np.zeros(len(COUNTS), np.int64)) + counts
    shares = [
        (place, Floor(floor(counts, arch)).over(arch.multiprocessors))
        for place, counts in by_line.items()
    ]
    shares.sort(key=lambda each: (-each[1].value, each[0]))
    whole = Floor(of_launch(work.counts, arch))
    if code is not None:
        whole = whole.beside(of_instructions(code.least, arch))
    return FloorFigures(
        arch,
        whole,
        tuple((place, lines.text(place), found) for place, found in shares if found.unit),
        tuple(
            unit
            for unit in UNITS
            if unit not in whole.cycles and (code is not None or unit not in OF_MACHINE_CODE)
        ),
        measured,
        code,
    )


def floor_text(figures: FloorFigures) -> list[str]:
    """The table of units, what sets the floor, and the lines that take most of it."""
    arch, found = figures.arch, figures.launch
    if not found.unit:
        return ["", f"no unit of {arch.name} that has a known rate has anything to do"]
    rows = [
        (UNITS[unit], f"{ceil(cycles):,}", "sets the floor" if unit == found.unit else "")
        for unit, cycles in found.cycles.items()
        if cycles
    ]
    out = [
        "",
        f"no schedule takes fewer than {found.value:,} cycles on the {arch.multiprocessors} "
        f"multiprocessors of {arch.chip}: {UNITS[found.unit]}",
        "",
        *aligned([("unit", "cycles", ""), *rows], left=1),
    ]
    if figures.code is not None:
        out += ["", _of_code(figures.code)]
    if figures.measured:
        out += ["", _beside(found, figures.measured)]
    told = [
        (str(place.number), f"{each.value:,}", UNITS[each.unit], text[:60])
        for place, text, each in figures.lines[:MOST_LINES]
    ]
    return [*out, "", *aligned([("line", "cycles alone", "unit", "source"), *told], left=1)]


def _of_code(code: MachineCode) -> str:
    return (
        f"issue and pipes of machine code too: {code.instructions:,} instructions in "
        f"{code.blocks:,} blocks, of which warps issue {code.least['issue']:,} at least"
    )


def _beside(found: Floor, measured: Measured) -> str:
    """The one place that speaks of time: a bound on what any change can gain."""
    cycles = measured.cycles
    if cycles < found.value:
        return (
            f"measured {cycles:,.0f} cycles, fewer than the floor: the clock or the time is of "
            "another run, or perflint is wrong; please report it"
        )
    return (
        f"measured {cycles:,.0f} cycles: this code can become at most "
        f"{cycles / found.value:.1f} times faster without another amount of work"
    )


def floor_json(figures: FloorFigures) -> Mapping[str, object]:
    """The same as data."""
    measured = figures.measured
    return {
        "cycles": figures.launch.value,
        "unit": figures.launch.unit or None,
        "units": _rounded(figures.launch),
        "machine_code": dict(figures.code.least) if figures.code else None,
        "unbounded": list(figures.unbounded),
        "multiprocessors": figures.arch.multiprocessors,
        "measured_cycles": measured.cycles if measured else None,
        "lines": [
            {"row": place.number, "filename": str(place.path), "units": _rounded(each)}
            for place, _, each in figures.lines
        ],
    }


def _rounded(found: Floor) -> dict[str, float]:
    return {unit: round(cycles, 3) for unit, cycles in found.cycles.items()}
