"""Blocks of another shape or twice the size, tried on the same threads.

A part of the grid, some 256 × 32 threads, is run with the original's shape and with others: the
grid is rescaled axis by axis, so that the same threads run. What they leave in memory must be the
same bytes; what they move is compared. Where loops are too long for that, arguments that end them
are smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from perflint.base.floor import CYCLES_PER_L2_SECTOR, CYCLES_PER_SECTOR, ISSUED_PER_CYCLE
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.grammar import table
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.launch.launch_edits import in_the_launch, of_passed, where_written
from perflint.rules.launch.occupancy import occupancy
from perflint.rules.launch.tile_literals import TilePart, of_body, of_template
from perflint.rules.measure import figure, listed, memory_cycles
from perflint.rules.mending import KEPT, shorter
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
from perflint.rules.texture_fetches import MOSTLY_FETCHES, beside_fetches
from perflint.sim.launch import Dim3, Scalar
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.lines import Lines

WARP = 32
#: The block of the guides' examples: CU401's; all others are CU402's.
FIXED = (16, 16, 1)
#: Threads along x and y that are run: as many blocks as it takes.
REGION = (256, 32)
#: Extents along x that are tried.
EXTENTS = (4, 8, 16, 32, 64, 128, 256)
#: … and where the source is to be edited for each: of wider tiles little is reused.
WIDEST_TILE = 64
#: Threads of a block up to which one of twice the size is tried.
LARGEST = 512
#: What another shape must save of the sectors that are moved …
LEAST = 0.20
#: … or of the lines that are looked up, which cost less. Half of them, at as many sectors, is what
#: 32×8 saves of a copy with 16×16.
LEAST_LINES = 0.30
BESIDE_OTHER_WORK = "what it saves is {share:.1%} of the cycles that its instructions issue in"
#: Wavefronts of shared memory that another shape may cost more.
MORE_WAVEFRONTS = 1.02

#: Of shapes that cost nearly the same, the one whose blocks touch the fewest lines is named.
NEAR = 1.05

#: A narrower block packs what neighbours along y are packed along: not the block is wrong there.
EXCHANGED = "only narrower blocks are better, as the accesses go along y: CU101 tells of these"

_WORD = pattern(r"[A-Za-z_]\w*")

Shape = tuple[int, int]
Tile = tuple[TilePart, ...]  #: what the tile's extents decide, where it is written
TRACERS = ("AccessCounter", "Lines")


@dataclass(frozen=True)
class Traffic:
    """What a run's requests cost."""

    requests: int
    sectors: int
    lines: int
    wavefronts: int
    footprint: int  #: lines of each block, summed
    written: int  #: sectors of stores: L1 may have those of loads, and atomics are a block's

    @classmethod
    def of(cls, trial: Trial) -> Traffic:
        lines = trial.tracer(Lines)
        counts = trial.tracer(AccessCounter).counts.values()
        waves = sum(c.measured for c in counts if c.space == "shared")
        written = sum(c.measured for c in counts if c.space == "global" and c.kind == "store")
        return cls(lines.requests, lines.sectors, lines.lines, waves, lines.footprint, written)

    @property
    def cost(self) -> int:
        return self.sectors + self.lines

    def beats(self, other: Traffic) -> bool:
        """Whether it is measurably better, and nowhere worse."""
        if self.sectors > other.sectors or self.lines > other.lines:
            return False
        if self.wavefronts > MORE_WAVEFRONTS * other.wavefronts:
            return False
        return self.saves_sectors(other) or self.lines <= (1 - LEAST_LINES) * other.lines

    def saves_sectors(self, other: Traffic) -> bool:
        """Whether the sectors alone are worth another shape."""
        return self.sectors <= (1 - LEAST) * other.sectors


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
    values = () if original[0].complete else shorter(original[0])
    widest = min([REGION[0], *(value // KEPT * KEPT for _, value in values)])
    width = min(max(widest, x), launch.grid[0] * x)
    height = min(max(REGION[1], y), launch.grid[1] * y)
    tile = _tile(kernel, launch.block, suspicion.span)
    if not tile and not _asks_for_its_block(kernel):
        return ()
    out: list[Variant] = [_other((x, y), width, height, (), values)]
    for shape in _shapes((x, y), tile):
        if width % shape[0] or height % shape[1]:
            continue
        changed = [part for part in tile if shape[part.axis] != (x, y)[part.axis]]
        edits = tuple(Edit(part.span, part.text(shape[part.axis])) for part in changed)
        out.append(_other(shape, width, height, tuple(dict.fromkeys(edits)), values))
    return tuple(out) if width % x == 0 == height % y and len(out) > 1 else ()


def _asks_for_its_block(kernel: Kernel) -> bool:
    """Whether a kernel reads how long its blocks are: else its code knows, and goes by no other."""
    return {"%ntid.x", "%ntid.y"} <= kernel.facts.reads


def _shapes(now: Shape, tile: Tile) -> Iterator[Shape]:
    """The other shapes, those of equal size first. A constant of both axes keeps them squares."""
    x, y = now
    if {part.span for part in tile if part.axis == 0} & {p.span for p in tile if p.axis == 1}:
        if 4 * x * y <= 2 * LARGEST:
            yield 2 * x, 2 * y
        return
    extents = [extent for extent in EXTENTS if not tile or extent <= WIDEST_TILE]
    for size in (x * y, 2 * x * y):
        for extent in extents if size == x * y or size <= LARGEST else ():
            if size % extent == 0 and (extent, size // extent) != now:
                yield extent, size // extent


def _other(
    shape: Shape,
    width: int,
    height: int,
    edits: tuple[Edit, ...],
    values: tuple[tuple[int, int], ...],
) -> Variant:
    x, y = shape
    launch = OtherLaunch((x, y, 1), (width // x, height // y, 1), None, "launch", values)
    return SourceEdit(edits, launch) if edits else launch


def _tile(kernel: Kernel, block: Dim3, launch: Span | None) -> Tile:
    """The constants that a launch's block is made of, else the numbers that it goes with."""
    found = _tile_constants(kernel, block)
    constructs, function = kernel.own_constructs, kernel.function
    if found or constructs is None or function is None or _asks_for_its_block(kernel):
        return found
    shape = (block[0], block[1])
    written = next((each for each in constructs.launches if each.span == launch), None)
    as_template = of_template(written, shape) if written is not None else ()
    return as_template or of_body(constructs, function, shape)


def _tile_constants(kernel: Kernel, block: Dim3) -> Tile:
    """The constants of device code that a launch's block is made of."""
    words = next((each.block_texts for each in kernel.launches if each.block == block), ())
    constructs = kernel.own_constructs
    if len(words) < 2 or constructs is None:
        return ()
    constants = {m.name: m for m in (*constructs.macros, *constructs.constants)}
    used = {name.text for name in constructs.names}
    used |= {word for m in constants.values() for word in _WORD.findall(m.body)}
    used |= {word for m in constructs.function_macros for word in _WORD.findall(m.body)}
    found = [(axis, constants.get(words[axis].strip())) for axis in (0, 1)]
    return tuple(
        TilePart(axis, constant.span)
        for axis, constant in found
        if constant is not None and constant.body == str(block[axis]) and constant.name in used
    )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Another shape, under the conditions of one of the original's trials each."""

    result: VariantResult
    trial: Trial  #: the primary one
    traffic: Traffic

    @property
    def shape(self) -> Shape:
        return self.trial.run.launch.block[:2]


@dataclass(frozen=True, eq=False)
class Better:
    """The shape that is named, beside the original's."""

    base: Trial  #: with the original shape, the primary one
    best: _Candidate
    original: tuple[Trial, ...]


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
            if mine is not None and mine.complete:
                return nothing(suspicion, f"with {trial.name} its run is no sound one")
            unknown = Figure(original[0], 1.0, 0.0, True, counted=False)
            doubt = f"with {trial.name} no run comes to its end, so that no shape can be compared"
            return Case(suspicion, (unknown,), doubt=doubt)
        others = [each for each in others if _is_better(each.beside(trial), mine)]
        if not others:
            return nothing(suspicion, f"no other shape is better with {trial.name}")
    first = base.beside(original[0])
    assert first is not None
    candidates = [_candidate(each, original[0]) for each in others]
    held = _held(kernel, first)
    better = [c for c in candidates if _held(kernel, c.trial) >= held]
    if not better:
        return nothing(suspicion, "of a shape that moves less, fewer warps would be resident")
    least = min(candidate.traffic.cost for candidate in better)
    near = [c for c in better if c.traffic.cost <= NEAR * least]
    size = prod(first.run.launch.block)
    best = min(
        near,
        key=lambda c: (prod(c.shape) != size, c.traffic.footprint, c.shape[0] < WARP, c.shape),
    )
    if best.shape[0] < first.run.launch.block[0] and _goes_along_y(kernel):
        return nothing(suspicion, EXCHANGED)
    doubt = MOSTLY_FETCHES if beside_fetches(kernel.facts) else ""
    if _adds_floats(kernel):
        doubt = "floats are added atomically, so that the results depend on the order"
    before = Traffic.of(first)
    saved = _saved(first, before, best.traffic)
    if saved < kernel.min_waste and not doubt:
        doubt = BESIDE_OTHER_WORK.format(share=saved)
    shown = Figure(
        original[0],
        before.cost,
        best.traffic.cost,
        True,
        share=1 - best.traffic.cost / max(1, before.cost),
        detail=Better(first, best, tuple(original)),
    )
    return Case(suspicion, (shown,), doubt=doubt)


def _saved(trial: Trial, before: Traffic, after: Traffic) -> float:
    """The part of a multiprocessor's cycles that another shape saves.

    L1 looks up a line a cycle, L2 moves a sector in `CYCLES_PER_L2_SECTOR`, and all the while
    instructions issue, if there are enough of them. Memory itself brings both shapes as much: they
    have the same threads and bytes, and L2 keeps what the next block takes of a sector.
    """
    issue = trial.run.warp_instructions / ISSUED_PER_CYCLE
    lines = (before.lines - after.lines) / max(1, before.lines, issue)
    brought, left = (each.sectors * CYCLES_PER_L2_SECTOR for each in (before, after))
    return max(lines, (brought - left) / max(1, brought, issue))


def _goes_along_y(kernel: Kernel) -> bool:
    """Whether neighbours along y, and not along x, have neighbouring elements of some array."""
    return any(
        site.may_be_global
        and (y := site.strides.get("y")) is not None
        and abs(y.constant or 0) == site.size
        and ((x := site.strides.get("x")) is None or x.constant not in (0, site.size, -site.size))
        for site in kernel.facts.sites
    )


def _is_better(its: Trial | None, mine: Trial) -> bool:
    """Whether a shape's trial does the same as the original's at less cost."""
    if its is None or not _is_sound(its) or not Traffic.of(its).beats(Traffic.of(mine)):
        return False
    return same_bytes(mine, its)


def _is_slight(kernel: Kernel, base: Trial, better: Traffic) -> bool:
    """Whether a shape saves lookups of lines alone, while memory or the instructions take longer.

    Of these L1 makes several a cycle. Stores go on to memory, whatever L1 holds of the rest, and
    what is touched for the first time comes from there.
    """
    before, rates = Traffic.of(base), kernel.arch.rates
    if better.saves_sectors(before):
        return False
    looked_up = 1 / max(1, rates["tags"].value if "tags" in rates else 1)
    saved = max(
        (before.written - better.written) * CYCLES_PER_SECTOR,
        (before.lines - better.lines) * looked_up,
        before.wavefronts - better.wavefronts,
    )
    takes = max(
        max(before.written * CYCLES_PER_SECTOR, memory_cycles(base)),
        before.lines * looked_up,
        before.wavefronts,
        base.run.warp_instructions / ISSUED_PER_CYCLE,
    )
    return saved < kernel.min_waste * max(1, takes)


def _candidate(result: VariantResult, primary: Trial) -> _Candidate:
    trial = result.beside(primary)
    assert trial is not None
    return _Candidate(result, trial, Traffic.of(trial))


def _held(kernel: Kernel, trial: Trial) -> int:
    """Warps that a multiprocessor holds of a trial's blocks; the registers are the original's."""
    resources = kernel.resources()
    variables = (*trial.facts.module.variables.values(), *trial.facts.kernel.variables)
    shared = trial.run.launch.dynamic_shared
    shared += sum(v.size for v in variables if v.space == "shared")
    registers = resources.registers if resources is not None else 0
    return occupancy(kernel.arch, prod(trial.run.launch.block), registers, shared).warps


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
    if decision.shown.detail is None:
        block = suspicion.about
        assert isinstance(block, tuple)
        return Told(
            f"blocks of {shown(block)} threads may be of a shape that moves more than need be"
        )
    assert isinstance(decision.shown.detail, Better)
    base, best = decision.shown.detail.base, decision.shown.detail.best
    before = Traffic.of(base)
    now, then, x = shown(base.run.launch.block), shown(best.shape), best.traffic
    sectors = x.saves_sectors(before)
    unit, measured, golden = (
        ("sectors", before.sectors, x.sectors) if sectors else ("lines", before.lines, x.lines)
    )
    same = before.requests == x.requests
    per, count = ("request", before.requests) if same else ("warp", base.run.warps)
    each = measured / max(1, count), golden / max(1, count)
    of_other = (before.lines, x.lines) if sectors else (before.sectors, x.sectors)
    old, new = (figure(of / max(1, count)) for of in of_other)
    other = f"{'lines' if sectors else 'sectors'}: {old} a {per}, {new} with {then}"
    if x.sectors == before.sectors:
        other = "the sectors are the same: what is saved are lookups of 128-byte lines in L1"
    slight = suspicion.kernel is not None and _is_slight(suspicion.kernel, base, x)
    if slight:
        other += (
            ", of which it makes several a cycle; memory takes longer"
            if x.sectors == before.sectors
            else "; L1 looks up several lines a cycle, and memory or the instructions take longer"
        )
    constants = isinstance(best.result.variant, SourceEdit)
    help_ = f"launch blocks of {then} threads" + (
        ", with the tile's constants changed along" if constants else ""
    )
    fix, unfixed = _fix(decision.shown.detail, decision.cures, help_)
    return Told(
        f"blocks of {now} threads touch {figure(each[0])} {unit} per {per} where "
        f"{figure(each[1])} would do with {then}",
        label=f"{then} does the same with fewer {unit}",
        evidence=(Evidence(f"{unit} per {per}", *each, unit),),
        notes=(
            other,
            "the bytes written are the same with both",
            *_smaller(suspicion, decision.shown.trial, base),
        ),
        help=help_,
        level="note" if slight else None,
        severity=measured / max(1, golden),
        fix=fix,
        unfixed=unfixed,
        # longer rows pack what short ones scatter; shorter ones only hide exchanged axes
        better=best.result.variant
        if best.shape[0] > base.run.launch.block[0] and not slight
        else None,
    )


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and the host code edited so that it launches the better shape."""
    kernel, found = suspicion.kernel, decision.shown.detail
    if kernel is None or not isinstance(found, Better) or suspicion.span is None:
        return ()
    constructs = kernel.constructs(str(suspicion.span.path))
    launches = constructs.launches if constructs is not None else ()
    written = next((each for each in launches if each.span == suspicion.span), None)
    variant = found.best.result.variant
    constants = variant.edits if isinstance(variant, SourceEdit) else ()
    launch = variant.launch if isinstance(variant, SourceEdit) else variant
    assert isinstance(launch, OtherLaunch)
    if written is None:
        return ()
    now, then = found.base.run.launch.block[:2], found.best.shape
    words = next((k.block_texts for k in kernel.launches if k.span == suspicion.span), ())
    spans = {edit.span for edit in constants}
    tile = _tile_constants(kernel, found.base.run.launch.block)
    edited = {words[part.axis].strip() for part in tile if part.span in spans}
    makers = (where_written,) if constants else (where_written, in_the_launch, of_passed)
    ways = [way(written, now, then, edited) for way in makers]
    tried = dict.fromkeys((*constants, *edits) for edits in ways if edits or constants)
    block, grid = found.base.run.launch.block, found.base.run.launch.grid
    asked = OtherLaunch(block, grid, None, "launch", launch.values)
    return asked, *(SourceEdit(edits, launch, relaunched="rescaled") for edits in tried)


def _fix(found: Better, tried: Results, help_: str) -> tuple[Fix | None, str]:
    """The first edit of the host code that every run bears out; else what is wrong with one."""
    reasons = [""]
    for edited in tried[1:]:
        why = _doubt(found, tried[0], edited)
        if not why:
            return Fix(help_, edited.edits, safe=False), ""
        reasons.append(why)
    return None, reasons[-1] or "its extents are not each written at one place"


def _doubt(found: Better, base: VariantResult, edited: VariantResult) -> str:
    """What is wrong with an edit; "": in every trial it leaves the same bytes at less cost."""
    for trial in sorted(found.original, key=lambda each: each.run.issued_instructions):
        before, after = base.beside(trial), edited.beside(trial)
        if before is None or after is None:
            return edited.error
        if not _is_better(after, before):
            return f"with {trial.name} the edited launch is no better"
    return ""


def _smaller(suspicion: Suspicion, real: Trial, base: Trial) -> tuple[str, ...]:
    """What was changed so that runs come to their end."""
    launch, kernel = base.run.launch, suspicion.kernel
    assert kernel is not None
    changed = [
        f"{kernel.names.parameters[p]}={given.value}"
        for p, given in enumerate(launch.arguments)
        if isinstance(given, Scalar) and given.value != real.values.get(p)
    ]
    return (f"tried with {listed(changed)}: the launch's own loops are longer",) if changed else ()


def shown(block: Sequence[int]) -> str:
    """`16×16`."""
    return "×".join(map(str, block[:2]))
