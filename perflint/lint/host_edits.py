"""Edits of host code: what the edited sources launch, beside what they launch as they stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.analysis.model import KernelFacts
from perflint.base.edits import apply_edits, by_file
from perflint.base.evidence import Edit
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language.model import LaunchSite, SourceFacts
from perflint.frontend.source.project.user_files import read_text, standing_in_for
from perflint.lint.check_run import Run
from perflint.lint.launch_record import AXES, LaunchRecord, block_in, launching, number_in, read
from perflint.lint.subject import RecompileError
from perflint.lint.translation_units import Unit, read_facts
from perflint.lint.world_checks import is_launch, unmet
from perflint.lint.world_model import Launching, World, with_value
from perflint.lint.worlds import worlds
from perflint.sim.launch import Dim3

Pair = tuple[LaunchSite, LaunchSite]  #: a launch as the source stands, and as it is edited

MORE = (1, 16, 27)  #: by which sizes are larger than those of a world, in turn

_BESIDE = (1, 0, 2)  #: where an axis is once the first two are exchanged

LOST = "what the edited source launches could not be told"


def launches_beside(unit: Unit, run: Run, edits: Sequence[Edit]) -> tuple[Pair, ...]:
    """Every launch of the sources that edits are made in, beside what it becomes.

    Edits move no launch to another line. Raises RecompileError where launches come or go.
    """
    texts = {path: apply_edits(read_text(path), each) for path, each in by_file(edits).items()}
    real = {path.resolve() for path in texts}
    read_already = {**run.facts, **run.above}
    concerned = [path for path, facts in read_already.items() if real & facts.keys()]
    mains = (next(iter(facts.values())) for facts in read_already.values())
    others = {main.path: main.text for main in mains}
    pairs: dict[tuple[Span, int], Pair] = {}
    for path in concerned:
        its = unit if path == unit.path else replace(unit, path=path)
        before = _launches(its, run, others)
        with standing_in_for(texts):
            edited = {p: texts.get(p, text) for p, text in others.items()}
            after = _launches(its, run, edited)
        if [(s.kernel, s.span.line) for s in before] != [(s.kernel, s.span.line) for s in after]:
            raise RecompileError(LOST)
        for number, pair in enumerate(zip(before, after, strict=True)):
            pairs.setdefault((pair[0].span, number), pair)
    return tuple(pairs.values())


def _launches(unit: Unit, run: Run, others: Mapping[Path, str]) -> list[LaunchSite]:
    facts: Mapping[Path, SourceFacts] | None = read_facts(unit, run.root, others)
    return [site for each in (facts or {}).values() for site in each.launches]


@dataclass(frozen=True)
class Wanted:
    """What edits are to make of a launch."""

    place: Span | None
    block: Dim3
    exchanged: bool = False  #: its first two axes are in each other's place


def objection(
    pairs: Sequence[Pair],
    wanted: Wanted,
    facts: KernelFacts,
    names: Sequence[str],
    most_threads: int,
) -> str:
    """What speaks against edits of host code that are to launch a kernel with another block.

    The launch must have that block and the threads it had, as must others of the same kernel that
    change; no other launch may change. "": nothing.
    """
    mine = [pair for pair in pairs if pair[0].span == wanted.place]
    if not mine:
        return LOST
    kernel = mine[0][0].kernel
    records = [(pair, read(pair[0], names), read(pair[1], names)) for pair in pairs]
    changed = [pair for pair, before, after in records if before.key != after.key]
    # of a launch that is read once for each way to it, a way may stay as it is
    looked_at = changed if any(pair in mine for pair in changed) else [*changed, *mine]
    for pair, before, after in records:
        if pair not in looked_at:
            continue
        if pair[0].kernel != kernel:
            return f"it would change the launch of {pair[0].kernel} at line {pair[0].span.line}"
        if why := next(_against(before, after, facts, wanted, most_threads), ""):
            return why
    return ""


def _against(
    before: LaunchRecord,
    after: LaunchRecord,
    facts: KernelFacts,
    wanted: Wanted,
    most_threads: int,
) -> Iterator[str]:
    """What is wrong with a launch that an edit changes, in any world."""
    if [(r.name, r.type) for r in before.roots] != [(r.name, r.type) for r in after.roots]:
        yield LOST
        return
    if before.arguments != after.arguments:
        yield "the kernel would get other arguments"
    for world in _uneven(before, launching(before, facts, most_threads)):
        was, becomes = block_in(before, world), block_in(after, world)
        if was is None or becomes != wanted.block:
            yield LOST
            return
        if lost := unmet(launching(after, facts, most_threads), world.values):
            yield f"`{lost[0].text}` would not hold"
        pair = before.shared, after.shared
        of_before, of_after = (e.value or number_in(before, e.term, world) for e in pair)
        if of_before != of_after:
            yield "the launch would get other shared memory"
        for axis in range(3):
            had = _threads(before, _BESIDE[axis] if wanted.exchanged else axis, world)
            has = _threads(after, axis, world)
            if had is None or has is None:
                yield "its grid could not be read"
            elif has != had and (
                wanted.exchanged or not _needed(before, axis, world, facts, had) <= has
            ):
                yield f"the grid would have other threads along {AXES[axis]}"


def _needed(
    record: LaunchRecord, axis: int, world: World, facts: KernelFacts, threads: int
) -> float:
    """How many of a grid's threads along an axis do anything: those below a size that they are
    compared with, where there is one; without one another number of threads is another launch.
    """
    bounds = (i for i, along in facts.roles.bounds.items() if along == AXES[axis])
    given = [record.arguments[i] for i in bounds if i < len(record.arguments)]
    sizes = [a.value if a.value is not None else number_in(record, a.term, world) for a in given]
    known = [size for size in sizes if size is not None]
    return min(threads, max(known)) if known else math.inf


def _uneven(record: LaunchRecord, wanted: Launching) -> Iterator[World]:
    """A launch's worlds, and such with sizes of the grid that no extent divides."""
    sizes = sorted(frozenset().union(*(e.term.roots for e in record.grid if e.term is not None)))
    for world in worlds(wanted):
        yield world
        for root in sizes:
            for more in MORE:
                values = with_value(world.values, root, world.values[root] + more)
                if not unmet(wanted, values) and is_launch(wanted, values):
                    yield replace(world, values=values)


def _threads(record: LaunchRecord, axis: int, world: World) -> int | None:
    """The grid's threads along an axis, in a world."""
    written, block = record.grid[axis], block_in(record, world)
    value = written.value if written.value is not None else number_in(record, written.term, world)
    return int(value) * block[axis] if value is not None and block is not None else None
