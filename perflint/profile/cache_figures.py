"""GRAB's bug report of one launch: faults by type, root causes by priority, what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from perflint.base.records import dataclass
from perflint.debug_lines import Lines
from perflint.grammar.model import Instruction
from perflint.profile.cache_rows import (
    CacheFigures,
    CauseRow,
    EffectRow,
    FaultRow,
    MissParts,
    Place,
    RemedyRow,
    SetRow,
    SweepRow,
)
from perflint.sim import architecture
from perflint.sim.cache import Cache, CacheError, Policy, kilobytes, l1_of, shaped
from perflint.sim.cache_sets import uses
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.faults import KINDS, FaultReport, report
from perflint.sim.interference import Measured, SiteMisses, measure
from perflint.sim.launch import Run
from perflint.sim.placement import Layout, Placement
from perflint.sim.remedies import Remedy, remedies
from perflint.sim.replay import Conditions
from perflint.sim.residency import blocks_per_sm, shared_taken
from perflint.sim.schedulers import Scheduler
from perflint.sim.second_level import second_level


@dataclass(frozen=True)
class CacheRequest:
    """The values of the cache options of `perflint profile`."""

    sizes: tuple[int, ...] = ()  #: bytes; () for the architecture's own L1
    ways: int | None = None
    policies: tuple[Policy, ...] = ("lru",)
    schedulers: tuple[Scheduler, ...] = ("gto",)
    placement: Layout = "packed"
    stores: bool = False  #: stores allocate, and their faults count
    resident: int | None = None
    l2: int | None = None  #: bytes
    plot: Path | None = None  #: where to draw several sizes


def of_run(
    trace: CacheTrace,
    request: CacheRequest,
    archs: Sequence[str],
    lines: Lines,
    instructions: Sequence[Instruction],
    run: Run,
) -> CacheFigures:
    """The bug report of a run whose requests were recorded. Raises CacheError."""
    at = {each.index: each for each in instructions}

    def place(pc: int, region: int) -> Place:
        line = lines.line(at[pc])
        return Place(line, lines.text(line), _array(trace, region))

    notes = []
    if run.schedule_dependent:
        notes.append("the run depends on the order of its atomics: another order may differ")
    return cache_figures(trace, request, archs, run.launch.threads_per_block, place, notes)


def cache_figures(
    trace: CacheTrace,
    request: CacheRequest,
    archs: Sequence[str],
    threads: int,
    place: Callable[[int, int], Place],
    notes: Sequence[str] = (),
) -> CacheFigures:
    """Replay a launch under all the conditions that are asked for.

    `threads` are those of a block; `place` is the program location of an instruction (by pc) that
    accesses a region. Raises CacheError for a cache that cannot be.
    """
    settings = [
        (name, conditions)
        for name in archs
        for conditions in _conditions(trace, request, name, threads)
    ]
    said = (*notes, *dict.fromkeys(c.cache.assumed for _, c in settings if c.cache.assumed))
    first = settings[0][1]
    if len(settings) > 1:
        rows = tuple(_sweep_row(trace, name, conditions) for name, conditions in settings)
        return CacheFigures(first, rows[0].total, (), (), rows, said)
    found = measure(trace, first)
    regions = trace.accesses(first.cache.sector).region[found.run.access]
    hits = None
    if request.l2 is not None:
        second = shaped(request.l2, ways=16)
        hits = second_level(trace, first, found.run, second)
        said = (*said, f"behind it an L2 of {kilobytes(second.size)} for this SM alone")
    return CacheFigures(
        conditions=first,
        total=found.total,
        faults=tuple(
            _fault_row(each, place, None if hits is None else int(hits[mask].sum()), found.total)
            for each in report(found.run, found.faults, regions)
            for mask in (found.faults.of(each.kind),)
        ),
        remedies=_remedy_rows(trace, found),
        sweep=(),
        notes=said,
        sets=tuple(
            SetRow(use, _named(use.lines, trace))
            for use in uses(found.run, found.faults, regions, first.cache.sets)
        ),
    )


def _named(lines: Mapping[int, int], trace: CacheTrace) -> dict[str, int]:
    """Counts of lines by the arrays' names, which several may share."""
    out: dict[str, int] = {}
    for region, count in lines.items():
        name = _array(trace, region)
        out[name] = out.get(name, 0) + count
    return out


def _array(trace: CacheTrace, region: int) -> str:
    return trace.names.get(region, f"region {region}")


def _conditions(
    trace: CacheTrace, request: CacheRequest, name: str, threads: int
) -> list[Conditions]:
    arch = architecture.load(name)
    resident = request.resident or blocks_per_sm(arch, threads, trace.shared_bytes)
    resident = min(resident, trace.blocks)
    own = l1_of(arch, shared_taken(arch, resident, trace.shared_bytes))
    if own is None and not request.sizes:
        raise CacheError(f"{arch.name} has no L1 for global memory; give --cache-size")
    caches = [_sized(own, size, request.ways) for size in request.sizes]
    if own is not None and not caches:
        caches = [own]
    out = []
    for cache, policy, scheduler in product(caches, request.policies, request.schedulers):
        chosen = replace(cache, policy=policy)
        if request.stores:
            chosen = replace(chosen, write="allocate")
        place = Placement(request.placement)
        out.append(Conditions(chosen, scheduler, place, resident, request.stores))
    return out


def _sized(own: Cache | None, size: int, ways: int | None) -> Cache:
    """A cache of another size, with the lines and the write policy of the architecture's own."""
    if own is None:
        return shaped(size, ways=ways)
    return shaped(size, ways=ways, line=own.line, sector=own.sector, write=own.write)


def _helpful(trace: CacheTrace, found: Measured) -> list[Remedy]:
    """Remedies after which fewer misses are left than there were, the best first."""
    before = _avoidable(found.total)
    better = [r for r in remedies(trace, found) if _avoidable(r.left) < before]
    return sorted(better, key=lambda r: _avoidable(r.left))


def _avoidable(total: SiteMisses) -> int:
    return total.conflict + total.capacity + total.intra + total.late


def _sweep_row(trace: CacheTrace, arch: str, conditions: Conditions) -> SweepRow:
    found = measure(trace, conditions)
    counts = tuple((kind, int(found.faults.of(kind).sum())) for kind in KINDS)
    return SweepRow(arch, conditions, found.total, counts)


def _fault_row(
    each: FaultReport,
    place: Callable[[int, int], Place],
    in_l2: int | None,
    total: SiteMisses,
) -> FaultRow:
    """Causes by program location: instructions of the same line that access the same array."""
    causes: dict[Place, dict[Place, Counter[int]]] = {}
    for cause in each.causes:
        effects = causes.setdefault(place(cause.pc, cause.region), {})
        for (pc, region), effect in cause.effects.items():
            effects.setdefault(place(pc, region), Counter()).update(effect.sets)
    rows = [_cause_row(at, effects) for at, effects in causes.items()]
    parts = MissParts(total.intra, total.own_sets, total.late, total.cold)
    return FaultRow(
        each.kind,
        each.count,
        tuple(sorted(rows, key=lambda r: -r.priority)),
        in_l2,
        parts if each.kind == "mm" else None,
    )


def _cause_row(at: Place, effects: Mapping[Place, Counter[int]]) -> CauseRow:
    rows = [
        EffectRow(place, sets.total(), dict(sorted(sets.items())))
        for place, sets in effects.items()
    ]
    ranked = tuple(sorted(rows, key=lambda r: -r.faults))
    return CauseRow(at, sum(each.faults for each in ranked), ranked)


def _remedy_rows(trace: CacheTrace, found: Measured) -> tuple[RemedyRow, ...]:
    """What helps, behind what is; () where nothing does."""
    rows = [_remedy_row(each, trace) for each in _helpful(trace, found)]
    return (RemedyRow("the launch as it is", found.total), *rows) if rows else ()


def _remedy_row(each: Remedy, trace: CacheTrace) -> RemedyRow:
    name = trace.names.get(each.region or 0, "global memory")
    blocks = "1 block" if each.amount == 1 else f"{each.amount} blocks"
    what = {
        "fewer blocks": f"{blocks} at a time",
        "shared memory": f"`{name}` loaded once a block, into shared memory",
        "register": f"repeated accesses to `{name}` kept in registers",
        "moved": f"`{name}` beginning {each.amount} bytes later",
        "padded": f"rows of {each.pitch:,} bytes of `{name}` padded by {each.amount}",
    }[each.kind]
    return RemedyRow(what, each.left)
