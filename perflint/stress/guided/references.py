"""The memory references of each thread, as points of the program's graph and lines of the cache.

Addresses that are formulas of the thread's index and the arguments give one line, or few in a loop.
Of others (loaded ones, long loops) it is known at most which array they lie in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop, Parameter, Special, Symbol
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.placement import Placement
from perflint.sim.program import EXIT, Program
from perflint.sim.tracers.cache_recorder import PAST_L1
from perflint.stress.guided.cache_states import BARRIER, MOST_LINES, Access, Lines, Point
from perflint.stress.guided.subject import ArrayInput, ScalarInput, Subject
from perflint.stress.guided.timeline import Machine
from perflint.symbolic.routes import ways_of

_MOST_TURNS = 16  #: of loops whose turns are looked at one by one


@dataclass(frozen=True, eq=False)
class Threads:
    """The slots of all simulated warps, and which of them are threads."""

    subject: Subject
    blocks: Sequence[tuple[int, int, int]]

    @property
    def per_block(self) -> int:
        x, y, z = self.subject.block
        return -(-x * y * z // 32) * 32

    @property
    def count(self) -> int:
        return len(self.blocks) * self.per_block

    @property
    def real(self) -> np.ndarray:
        """(n,) bool."""
        x, y, z = self.subject.block
        return np.asarray(np.arange(self.count) % self.per_block < x * y * z)

    @property
    def warp(self) -> np.ndarray:
        """(n,) int64."""
        return np.arange(self.count) >> 5

    def specials(self) -> dict[Symbol, Any]:
        """Special registers by their symbols, (n,) int64 each, or a number."""
        at = np.arange(self.count) % self.per_block
        block = np.array(self.blocks, np.int64)[np.arange(self.count) // self.per_block]
        x, y, _ = self.subject.block
        tid = (at % x, at // x % y, at // (x * y))
        out: dict[Symbol, Any] = {Special("%laneid"): at & 31, Special("%warpid"): at >> 5}
        for axis, name in enumerate("xyz"):
            out[Special(f"%tid.{name}")] = tid[axis]
            out[Special(f"%ctaid.{name}")] = block[:, axis]
            out[Special(f"%ntid.{name}")] = self.subject.block[axis]
            out[Special(f"%nctaid.{name}")] = self.subject.grid[axis]
        return out


@dataclass(frozen=True, eq=False)
class Graph:
    """The program's graph of points."""

    points: tuple[Point, ...]
    successors: tuple[tuple[int, ...], ...]
    lines: Lines
    point_of: Mapping[int, int]  #: by position of a memory instruction
    position_of: Mapping[int, int]
    block_of: Mapping[int, int]  #: by position: the program's block
    branch_of: Mapping[int, int]  #: by position of a branch, or guarded instruction: its block


def graph_of(
    subject: Subject, program: Program, threads: Threads, trace: CacheTrace, placement: Placement
) -> Graph:
    """The points of a program, with the lines that each thread may access at them."""
    machine = subject.machine
    addresses = _Addresses(subject, threads, trace, placement)
    points: list[Point] = []
    raw: list[tuple[int, str, np.ndarray | None, str | None, bool]] = []
    nodes: list[list[int]] = []
    point_of, block_of, branch_of = {}, {}, {}
    sites = {pc: (site, at) for site in subject.facts.sites for at, pc in enumerate(site.pcs)}
    for number, block in enumerate(program.blocks):
        own: list[int] = []
        for position in range(block.first, block.last):
            instruction = program.kernel.instructions[position]
            block_of[position] = number
            found = sites.get(instruction.index)
            if found is not None and found[0].may_be_global:
                site, at = found
                which, name = addresses.of(site, at)
                point_of[position] = len(points)
                own.append(len(points))
                raw.append(
                    (len(points), site.kind, which, name, _caches(machine, site, instruction))
                )
                points.append(None)
            elif table.control(instruction) == "barrier":
                own.append(len(points))
                points.append(BARRIER)
        if not own:
            own.append(len(points))
            points.append(None)
        if block.ending == "branch":
            branch_of[block.last - 1 if block.count else block.first] = number
        nodes.append(own)
    lines, arrays = _numbered([r[2] for r in raw], addresses, machine, threads.count)
    for point, kind, which, name, caches in raw:
        points[point] = _access(lines, arrays, which, name, caches, kind, machine, threads)
    successors: list[tuple[int, ...]] = [()] * len(points)
    for own, ways in zip(nodes, ways_of(program), strict=True):
        for one, other in pairwise(own):
            successors[one] = (other,)
        targets = [nodes[t][0] for t in ways.values() if t not in (EXIT, -1)]
        successors[own[-1]] = tuple(dict.fromkeys(targets))
    return Graph(
        tuple(points), tuple(successors), lines, point_of, {p: q for q, p in point_of.items()},
        block_of, branch_of,
    )  # fmt: skip


def _caches(machine: Machine, site: AccessSite, instruction: Any) -> bool:
    """Whether a reference looks into the cache."""
    if site.kind == "atomic" or PAST_L1 & set(instruction.modifiers):
        return False
    return site.kind == "load" or machine.cache.write == "allocate"


class _Addresses:
    """Evaluates the formulas of addresses for all threads."""

    def __init__(
        self, subject: Subject, threads: Threads, trace: CacheTrace, placement: Placement
    ) -> None:
        bases = placement.bases(trace)
        of = {name: region for region, name in trace.names.items()}
        self._values = threads.specials()
        self._threads = threads.count
        #: by parameter: name of the array, first byte, byte behind its last
        self.spans: dict[str, tuple[int, int]] = {}
        self._names: dict[int, str] = {}
        for number, each in enumerate(subject.arguments):
            if isinstance(each, ScalarInput) and isinstance(each.value, int):
                self._values[Parameter(number)] = each.value
            elif isinstance(each, ArrayInput) and each.name in of:
                region = of[each.name]
                base = int(bases[region])
                self._values[Parameter(number)] = base
                self.spans[each.name] = (base, base + trace.sizes[region])
                self._names[number] = each.name

    def of(self, site: AccessSite, at: int) -> tuple[np.ndarray | None, str | None]:
        """Each thread's addresses, (n, c), None where they are not known; and the array's name."""
        formula = site.addresses[at] if at < len(site.addresses) else None
        number = site.array.parameter
        name = self._names.get(number) if number is not None else None
        if formula is None:
            return None, name
        turns = self._turns(site, formula)
        if turns is None:
            return None, name
        try:
            columns = [
                np.broadcast_to(np.asarray(formula.evaluate(self._values | each)), (self._threads,))
                for each in turns
            ]
        except (KeyError, OverflowError):
            return None, name
        return np.stack(columns, axis=1).astype(np.int64), name

    def _turns(self, site: AccessSite, formula: Polynomial) -> list[dict[Symbol, Any]] | None:
        """The values of the loop counters in a formula; None where they are many or not known."""
        counters = sorted({s for s in formula.atoms if isinstance(s, Loop)}, key=lambda s: s.text)
        ranges = []
        for counter in counters:
            last = next((each.last for each in site.loops if each.counter == counter), None)
            if last is None:
                return None
            try:
                most = int(np.max(last.evaluate(self._values)))
            except (KeyError, OverflowError):
                return None
            ranges.append(range(max(0, most) + 1))
        if np.prod([len(r) for r in ranges], initial=1) > _MOST_TURNS:
            return None
        return [dict(zip(counters, each, strict=True)) for each in product(*ranges)]


def _numbered(
    found: Sequence[np.ndarray | None], addresses: _Addresses, machine: Machine, threads: int
) -> tuple[Lines, dict[str, np.ndarray]]:
    """The lines of all threads, numbered in each, and which lie in which array."""
    known = [each // machine.cache.line for each in found if each is not None]
    if not known:
        none = np.full((threads, 1), -1, np.int64)
        return Lines(none, none, machine.cache.ways), {}
    together = np.sort(np.concatenate(known, axis=1), axis=1)
    new = np.ones(together.shape, bool)
    new[:, 1:] = together[:, 1:] != together[:, :-1]
    rank = np.cumsum(new, axis=1) - 1
    width = min(MOST_LINES, int(rank.max()) + 1)
    line = np.full((threads, width), -1, np.int64)
    kept = new & (rank < width)
    rows = np.broadcast_to(np.arange(threads)[:, None], rank.shape)
    line[rows[kept], rank[kept]] = together[kept]
    group = np.where(line >= 0, machine.cache.set_of(np.maximum(line, 0)), -1)
    size = machine.cache.line
    arrays = {
        name: (line >= first // size) & (line <= (end - 1) // size)
        for name, (first, end) in addresses.spans.items()
    }
    return Lines(line, group, machine.cache.ways), arrays


def _access(
    lines: Lines,
    arrays: Mapping[str, np.ndarray],
    which: np.ndarray | None,
    name: str | None,
    caches: bool,
    kind: str,
    machine: Machine,
    threads: Threads,
) -> Access:
    real = threads.real
    if which is not None:
        own = which // machine.cache.line
        match = own[:, :, None] == lines.line[:, None, :]
        inside = match.any(axis=2)
        if inside.all():
            numbers = np.where(real[:, None], match.argmax(axis=2), -1)
            return Access(numbers.astype(np.int16), caches=caches, kind=kind)
    touched = arrays.get(name or "", lines.line >= 0)
    nothing = np.full((threads.count, 1), -1, np.int16)
    return Access(nothing, real, touched & real[:, None], caches, kind)
