"""Blocks of another shape and equal size, tried on the same threads.

A part of the grid, some 128 × 32 threads, is run with the original's shape and with others: the
grid is rescaled axis by axis, so that the same threads run. What they leave in memory must be the
same bytes; what they move is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perflint.base.span import Span
from perflint.grammar import table
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.measure import figure
from perflint.rules.protocol import (
    Edit,
    Evidence,
    Fix,
    Kernel,
    KnownLaunch,
    OtherLaunch,
    Results,
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
    VariantResult,
)
from perflint.rules.source_lines import same_bytes
from perflint.sim.launch import Dim3
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.lines import Lines

WARP = 32
#: The block of the guides' examples: CU401's; all others are CU402's.
FIXED = (16, 16, 1)
#: Threads along x and y that are run: as many blocks as it takes.
REGION = (128, 32)
#: Extents along x that are tried.
EXTENTS = (4, 8, 16, 32, 64, 128)
#: What another shape must save: of the sectors that are moved, or of the lines that are looked up.
#: Half the lines, at as many sectors, is what 32×8 saves of a copy with 16×16.
LEAST_SECTORS, LEAST_LINES = 0.05, 0.20
#: Wavefronts of shared memory that another shape may cost more.
MORE_WAVEFRONTS = 1.02

#: Of shapes that cost nearly the same, the one whose blocks touch the fewest lines is named.
NEAR = 1.05

Shape = tuple[int, int]
TRACERS = ("AccessCounter", "Lines")


@dataclass(frozen=True)
class Traffic:
    """What a run's requests cost."""

    requests: int
    sectors: int
    lines: int
    wavefronts: int
    footprint: int  #: lines of each block, summed

    @classmethod
    def of(cls, trial: Trial) -> Traffic:
        lines = trial.tracer(Lines)
        counts = trial.tracer(AccessCounter).counts.values()
        waves = sum(c.measured for c in counts if c.space == "shared")
        return cls(lines.requests, lines.sectors, lines.lines, waves, lines.footprint)

    @property
    def cost(self) -> int:
        return self.sectors + self.lines

    def beats(self, other: Traffic) -> bool:
        """Whether it is measurably better, and nowhere worse."""
        if self.sectors > other.sectors or self.lines > other.lines:
            return False
        if self.wavefronts > MORE_WAVEFRONTS * other.wavefronts:
            return False
        fewer_sectors = self.sectors <= (1 - LEAST_SECTORS) * other.sectors
        return fewer_sectors or self.lines <= (1 - LEAST_LINES) * other.lines


def suspicion(kernel: Kernel, launch: KnownLaunch) -> Suspicion:
    """The suspicion that a launch's blocks have the wrong shape."""
    block = f"block {shown(launch.block)}"
    return Suspicion(block, kernel, span=launch.span, about=launch.block)


def launches(kernel: Kernel) -> Iterator[KnownLaunch]:
    """Launches that the source or the user shows, of two-dimensional blocks of full warps."""
    for launch in kernel.launches:
        x, y, z = launch.block
        if not launch.assumed and z == 1 and y > 1 and x * y % WARP == 0:
            yield launch


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    """The part of the grid with the original shape, then with each other."""
    kernel, launch = suspicion.kernel, original[0].run.launch
    assert kernel is not None
    if launch.block != suspicion.about or kernel.facts.communicates:
        return ()
    x, y = launch.block[:2]
    width = min(max(REGION[0], x), launch.grid[0] * x)
    height = min(max(REGION[1], y), launch.grid[1] * y)
    names = _tile_constants(kernel, launch.block)
    out: list[Variant] = [_other((x, y), width, height, ())]
    for extent in EXTENTS:
        shape = extent, x * y // extent
        if shape == (x, y) or x * y % extent or width % extent or height % shape[1]:
            continue
        edits = tuple(Edit(span, str(shape[axis])) for axis, span in names)
        out.append(_other(shape, width, height, edits))
    return tuple(out) if width % x == 0 == height % y and len(out) > 1 else ()


def _other(shape: Shape, width: int, height: int, edits: tuple[Edit, ...]) -> Variant:
    x, y = shape
    launch = OtherLaunch((x, y, 1), (width // x, height // y, 1), scope="launch")
    return SourceEdit(edits, launch) if edits else launch


def _tile_constants(kernel: Kernel, block: Dim3) -> tuple[tuple[int, Span], ...]:
    """The macros that a launch's block is made of, one for each axis: (axis, span of its value)."""
    text = next((each.block_text for each in kernel.launches if each.block == block), "")
    words = text.replace("dim3", "").strip("(){} ").split(",")
    if len(words) < 2 or words[0].strip() == words[1].strip() or kernel.function is None:
        return ()
    constructs = kernel.constructs(str(kernel.function.span.path))
    macros = {m.name: m for m in constructs.macros} if constructs else {}
    found = [(axis, macros.get(words[axis].strip())) for axis in (0, 1)]
    return tuple(
        (axis, macro.span)
        for axis, macro in found
        if macro is not None and macro.body == str(block[axis])
    )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Another shape, under the conditions of one of the original's trials each."""

    result: VariantResult
    shape: Shape
    traffic: Traffic  #: of the primary trial


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    """What another shape costs that is better in every trial, and leaves the same bytes."""
    kernel = suspicion.kernel
    assert kernel is not None
    if not results:
        return nothing(suspicion, "no other shape covers the same threads")
    base, *others = results
    for trial in sorted(original, key=lambda each: each.run.issued_instructions):
        mine = base.beside(trial)
        if mine is None or not _is_sound(mine):
            return nothing(suspicion, f"with {trial.name} its run did not come to an end")
        others = [each for each in others if _is_better(each.beside(trial), mine)]
        if not others:
            return nothing(suspicion, f"no other shape is better with {trial.name}")
    first = base.beside(original[0])
    assert first is not None
    better = [_candidate(each, original[0]) for each in others]
    least = min(candidate.traffic.cost for candidate in better)
    near = [c for c in better if c.traffic.cost <= NEAR * least]
    best = min(near, key=lambda c: (c.traffic.footprint, c.shape[0] < WARP, c.shape))
    doubt = "floats are added atomically, so that the results depend on the order"
    before = Traffic.of(first)
    shown = Figure(
        original[0],
        before.cost,
        best.traffic.cost,
        True,
        share=1 - best.traffic.cost / max(1, before.cost),
        detail=(first, best),
    )
    return Case(suspicion, (shown,), doubt=doubt if _adds_floats(kernel) else "")


def _is_better(its: Trial | None, mine: Trial) -> bool:
    """Whether a shape's trial does the same as the original's at less cost."""
    if its is None or not _is_sound(its) or not Traffic.of(its).beats(Traffic.of(mine)):
        return False
    return same_bytes(mine, its)


def _candidate(result: VariantResult, primary: Trial) -> _Candidate:
    trial = result.beside(primary)
    assert trial is not None
    x, y, _ = trial.run.launch.block
    return _Candidate(result, (x, y), Traffic.of(trial))


def _is_sound(trial: Trial) -> bool:
    broken = any(f.kind in ("shared-overrun", "misaligned") for f in trial.run.faults)
    return trial.complete and not broken and _writes(trial)


def _writes(trial: Trial) -> bool:
    counts = trial.tracer(AccessCounter).counts.values()
    return any(c.space == "global" and c.kind != "load" for c in counts)


def _adds_floats(kernel: Kernel) -> bool:
    """Whether the order of atomic operations shows in the results."""
    return any(
        i.opcode in ("atom", "red") and any(t[0] == "f" for t in table.types(i))
        for i in kernel.facts.kernel.instructions
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    """Both shapes, and what each touches."""
    assert isinstance(decision.shown.detail, tuple)
    base, best = decision.shown.detail
    assert isinstance(base, Trial) and isinstance(best, _Candidate)
    before = Traffic.of(base)
    now, then, x = shown(base.run.launch.block), shown(best.shape), best.traffic
    sectors = x.sectors <= (1 - LEAST_SECTORS) * before.sectors
    unit, measured, golden = (
        ("sectors", before.sectors, x.sectors) if sectors else ("lines", before.lines, x.lines)
    )
    same = before.requests == x.requests
    per, count = ("request", before.requests) if same else ("warp", base.run.warps)
    each = measured / max(1, count), golden / max(1, count)
    of_lines = before.lines / max(1, count), x.lines / max(1, count)
    other = (
        f"lines: {figure(of_lines[0])} a {per}, {figure(of_lines[1])} with {then}"
        if sectors
        else "the sectors are the same: what is saved are lookups of 128-byte lines in L1"
    )
    constants = isinstance(best.result.variant, SourceEdit)
    edits = best.result.variant.edits if isinstance(best.result.variant, SourceEdit) else ()
    help_ = f"launch blocks of {then} threads" + (
        ", with the tile's constants changed along" if constants else ""
    )
    return Told(
        f"blocks of {now} threads touch {figure(each[0])} {unit} per {per} where "
        f"{figure(each[1])} would do with {then}",
        label=f"{then} does the same with fewer {unit}",
        evidence=(Evidence(f"{unit} per {per}", *each, unit),),
        notes=(other, "the bytes written are the same with both"),
        help=help_,
        severity=measured / max(1, golden),
        fix=Fix(help_, edits, safe=False) if edits else None,
    )


def shown(block: Sequence[int]) -> str:
    """`16×16`."""
    return "×".join(map(str, block[:2]))
