"""GRAB's bug report as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perflint.profile.cache_rows import (
    CacheFigures,
    EffectRow,
    FaultRow,
    MissParts,
    Place,
    SetRow,
    SweepRow,
)
from perflint.profile.table import aligned
from perflint.sim.cache import kilobytes
from perflint.sim.interference import SiteMisses
from perflint.sim.replay import Conditions

_TITLES = {
    "mh": "interference before the cache was full",
    "m*h": "interference in the full cache",
    "mm": "no interference: a cache of the thread's own would miss too",
}
_SOURCE = 48  #: characters of a source line that are shown


def cache_text(found: CacheFigures, file: Path) -> Iterator[str]:
    """The report, line by line; places in `file` are told by their line."""
    if found.sweep:
        yield from _notes(found)
        yield ""
        yield from aligned(_sweep(found.sweep), left=4)
        return
    yield f"cache: {found.conditions}; {_blocks(found.conditions)}"
    yield from _notes(found)
    total = found.total
    yield (
        f"{total.accesses:,} accesses: {total.hits:,} hits, {total.cold:,} cold misses, "
        + ", ".join(f"{row.count:,} {row.kind}" for row in found.faults)
    )
    for row in found.faults:
        yield ""
        yield from _fault(row, file)
    if total.conflict or total.capacity:
        yield ""
        yield (
            f"of the interference, {total.conflict:,} faults are conflicts (a fully associative "
            f"LRU cache of equal size would hit), {total.capacity:,} a matter of capacity"
        )
    if found.remedies:
        yield ""
        yield "what would be left, replayed with that change:"
        header = ("", "interference", "own misses", "first touch", "accesses")
        rows = [header, *((r.what, *_left(r.left)) for r in found.remedies)]
        yield from (f"  {line}" for line in aligned([(*r, "") for r in rows], left=1))


def _notes(found: CacheFigures) -> Iterator[str]:
    for note in found.notes:
        yield f"note: {note}"


def _blocks(conditions: Conditions) -> str:
    what = "stores allocate and count" if conditions.stores else "loads only"
    blocks = "1 block" if conditions.resident == 1 else f"{conditions.resident} blocks"
    return f"one SM, {blocks} at a time; {what}"


def _fault(row: FaultRow, file: Path) -> Iterator[str]:
    served = "" if row.in_l2 is None else f" ({row.in_l2:,} hit in L2)"
    yield f"{row.kind}: {row.count:,} faults{served}, {_TITLES[row.kind]}"
    if not row.count:
        return
    if row.parts is not None:
        yield from _parts(row.parts)
    yield f"  fix: {row.fix}"
    table = [("root cause", "array", "faults", "makes miss")]
    for cause in row.causes:
        for at, effect in enumerate(cause.effects):
            head = (_where(cause.place, file), cause.place.array, f"{cause.priority:,}")
            told = _effect(effect.place, effect.faults, file)
            table.append((*(("", "", "") if at else head), told))
    yield from (f"  {line}" for line in aligned(table, left=2))


def _parts(parts: MissParts) -> Iterator[str]:
    """What `mm` is made of. Cold misses are beside it."""
    sets = f", {parts.own_sets:,} of them as its lines share sets" if parts.own_sets else ""
    rows = (
        (parts.own, f"own: lost by the thread's own accesses{sets}"),
        (parts.late, "first touch: others brought the line in, and lost it before"),
        (parts.cold, "cold: the first access of all, which is no fault"),
    )
    yield from (f"  {line}" for line in aligned([(f"{n:,}", what) for n, what in rows], left=0))


def _where(place: Place, file: Path) -> str:
    return f"line {place.line.number}" if place.line.path == file else str(place.line)


def _effect(place: Place, count: int, file: Path) -> str:
    source = place.source
    if len(source) > _SOURCE:
        source = f"{source[:_SOURCE].rstrip()}…"
    return f"{count:,} × {place.array} at {_where(place, file)}  {source}".rstrip()


def _left(left: SiteMisses) -> tuple[str, ...]:
    counts = (left.conflict + left.capacity, left.intra, left.late, left.accesses)
    return tuple(f"{count:,}" for count in counts)


_COLUMNS = (
    "arch", "size", "policy", "scheduler", "mh", "m*h", "mm", "cold", "hits", "accesses"
)  # fmt: skip


def _sweep(rows: tuple[SweepRow, ...]) -> list[tuple[str, ...]]:
    out: list[tuple[str, ...]] = [_COLUMNS]
    for row in rows:
        cache, total = row.conditions.cache, row.total
        counts = [f"{count:,}" for _, count in row.counts]
        sums = (f"{n:,}" for n in (total.cold, total.hits, total.accesses))
        head = (row.arch, kilobytes(cache.size), cache.policy, row.conditions.scheduler)
        out.append((*head, *counts, *sums))
    return out


# --- JSON ----------------------------------------------------------------------------------------


def cache_json(found: CacheFigures) -> dict[str, Any]:
    """The same figures as plain data."""
    if found.sweep:
        return {
            "notes": list(found.notes),
            "sweep": [
                {
                    "arch": row.arch,
                    **_conditions(row.conditions),
                    **vars(row.total),
                    "faults": dict(row.counts),
                }
                for row in found.sweep
            ],
        }
    return {
        "notes": list(found.notes),
        **_conditions(found.conditions),
        **vars(found.total),
        "faults": [_fault_json(row) for row in found.faults],
        "remedies": [{"change": each.what, **vars(each.left)} for each in found.remedies],
        "sets": [_set_json(each) for each in found.sets],
    }


def _conditions(conditions: Conditions) -> dict[str, Any]:
    cache = conditions.cache
    return {
        "cache": {
            "size": cache.size,
            "ways": cache.ways,
            "sets": cache.sets,
            "line": cache.line,
            "sector": cache.sector,
            "policy": cache.policy,
            "write": cache.write,
            "index": cache.index,
        },
        "scheduler": conditions.scheduler,
        "placement": conditions.placement.layout,
        "resident_blocks": conditions.resident,
        "stores_counted": conditions.stores,
    }


def _fault_json(row: FaultRow) -> dict[str, Any]:
    return {
        "type": row.kind,
        "count": row.count,
        "fix": row.fix,
        **({} if row.parts is None else {"parts": vars(row.parts)}),
        "affected_locations": row.affected,
        **({} if row.in_l2 is None else {"hits_in_l2": row.in_l2}),
        "causes": [
            {
                **_place(cause.place),
                "priority": cause.priority,
                "effects": [_effect_json(effect) for effect in cause.effects],
            }
            for cause in row.causes
        ],
    }


def _effect_json(effect: EffectRow) -> dict[str, Any]:
    sets = {str(number): count for number, count in effect.sets.items()}
    return {**_place(effect.place), "faults": effect.faults, "sets": sets}


def _set_json(row: SetRow) -> dict[str, Any]:
    use = row.use
    counts = {"accesses": use.accesses, "hits": use.hits, "cold": use.cold}
    faults = {str(kind): count for kind, count in use.faults.items()}
    return {**counts, **faults, "lines": dict(row.lines)}


def _place(place: Place) -> dict[str, Any]:
    return {
        "filename": str(place.line.path),
        "row": place.line.number,
        "source": place.source,
        "array": place.array,
    }
