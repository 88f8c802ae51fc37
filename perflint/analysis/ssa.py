"""Static single assignment: which definition of a register each use sees.

PTX registers may be written more than once. Phis are placed on iterated dominance frontiers and
pruned by liveness (Cytron et al., "Efficiently Computing Static Single Assignment Form", 1991).
A guarded write (`@%p mov …`) reads the register's old value. The definitions and what they read
form the sparse flow graph that the value domains run on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Function


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition of a register. Numbered in reverse post-order of their blocks, phis first."""

    number: int
    register: str
    block: int
    pc: int | None  #: the writing instruction; None for a phi and for a value nobody defined
    phi: bool
    inputs: tuple[int, ...]  #: a phi's by predecessor; else those of the registers read, and
    #: behind them, of a guarded or partial write, the old value


@dataclass(frozen=True, eq=False)
class StaticSingleAssignment:
    """The definitions of a function and the uses of its instructions."""

    definitions: tuple[Definition, ...]
    uses: tuple[Mapping[str, int], ...]  #: by instruction: register read → definition
    defined: tuple[Mapping[str, int], ...]  #: by instruction: register written → definition


class _Liveness(FiniteDomain[int]):
    """Which registers a block's entry needs, as a bit set. Backward over blocks."""

    bottom = 0

    def __init__(self, needed: Sequence[int], overwritten: Sequence[int]) -> None:
        self.needed, self.overwritten = needed, overwritten

    def join(self, a: int, b: int) -> int:
        return a | b

    def transfer(self, node: int, inputs: Sequence[int]) -> int:
        out = 0
        for state in inputs:
            out = self.join(out, state)
        return self.needed[node] | (out & ~self.overwritten[node])


def live_at_entry(
    flow: ControlFlow,
    reads: Sequence[Sequence[str]],
    writes: Sequence[Sequence[str]],
    bit: Mapping[str, int],
) -> list[int]:
    """By block: the registers (as bits) that may be read before they are written."""
    needed, overwritten = [0] * len(flow.blocks), [0] * len(flow.blocks)
    for block in flow.blocks:
        need, kill = 0, 0
        for pc in block.pcs:
            for name in reads[pc]:
                need |= bit.get(name, 0) & ~kill
            for name in writes[pc]:
                kill |= bit.get(name, 0)
        needed[block.number], overwritten[block.number] = need, kill
    return solve(FlowGraph.of(flow.successors), _Liveness(needed, overwritten), backward=True)


def _dominance_frontiers(flow: ControlFlow) -> list[set[int]]:
    frontiers: list[set[int]] = [set() for _ in flow.blocks]
    for block, predecessors in enumerate(flow.predecessors):
        # The entry may be a loop header: then even its only predecessor is behind it.
        if len(predecessors) < 2 and block:
            continue
        stop = flow.immediate_dominator[block] if block else None
        for runner in predecessors:
            while runner != stop:
                frontiers[runner].add(block)
                if runner == 0:
                    break
                runner = flow.immediate_dominator[runner]
    return frontiers


def _place_phis(
    flow: ControlFlow, sites: Mapping[str, set[int]], live: Sequence[int], bit: Mapping[str, int]
) -> list[list[str]]:
    """By block: the registers that need a phi there."""
    frontiers = _dominance_frontiers(flow)
    phis: list[list[str]] = [[] for _ in flow.blocks]
    for register, blocks in sites.items():
        pending, placed = list(blocks), set()
        while pending:
            for block in frontiers[pending.pop()]:
                if block not in placed and live[block] & bit[register]:
                    placed.add(block)
                    phis[block].append(register)
                    pending.append(block)
    return phis


def registers_of(function: Function) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """By instruction: registers read (not special ones) and registers written.

    Raises grammar.table.UnknownInstructionError.
    """
    declared = function.registers
    reads, writes = [], []
    for instruction in function.instructions:
        written = table.writes(instruction)
        read = [r for r in table.reads(instruction) if r in declared]
        if instruction.guard is not None:
            # Where the guard is false the old value stays.
            read.extend(w for w in written if w not in read)
        reads.append(tuple(read))
        writes.append(tuple(w for w in written if w in declared))
    return reads, writes


def static_single_assignment(function: Function, flow: ControlFlow) -> StaticSingleAssignment:
    """Definitions and uses of every reachable instruction."""
    reads, writes = registers_of(function)
    sites: dict[str, list[int]] = {}
    for block in flow.blocks:
        for pc in block.pcs:
            for name in writes[pc]:
                sites.setdefault(name, []).append(block.number)
    early = _read_early(flow, reads, writes, sites)
    several = {n: set(blocks) for n, blocks in sites.items() if len(blocks) > 1 or n in early}
    bit = {name: 1 << n for n, name in enumerate(several)}
    live = live_at_entry(flow, reads, writes, bit)
    phis = _place_phis(flow, several, live, bit)
    return _rename(flow, reads, writes, several, phis)


def _read_early(
    flow: ControlFlow,
    reads: Sequence[Sequence[str]],
    writes: Sequence[Sequence[str]],
    sites: Mapping[str, Sequence[int]],
) -> set[str]:
    """Registers with one definition that some path reads without passing it: they need phis, too.

    Their first value is undefined, which is nothing unusual in code that never uses it.
    """
    written: dict[str, tuple[int, int]] = {}
    for block in flow.blocks:
        for pc in block.pcs:
            for name in writes[pc]:
                if len(sites[name]) == 1:
                    written[name] = block.number, pc
    out: set[str] = set()
    for block in flow.blocks:
        for pc in block.pcs:
            for name in reads[pc]:
                at = written.get(name)
                if at is None or name in out:
                    continue
                inside = at[0] == block.number
                if at[1] >= pc if inside else not flow.dominates(at[0], block.number):
                    out.add(name)
    return out


def _rename(
    flow: ControlFlow,
    reads: Sequence[Sequence[str]],
    writes: Sequence[Sequence[str]],
    several: Mapping[str, set[int]],
    phis: Sequence[Sequence[str]],
) -> StaticSingleAssignment:
    heads: list[tuple[str, int, int | None, bool]] = []
    defined: list[dict[str, int]] = [{} for _ in reads]
    phi_numbers: list[dict[str, int]] = [{} for _ in flow.blocks]
    single: dict[str, int] = {}
    for block in flow.blocks:
        for name in phis[block.number]:
            phi_numbers[block.number][name] = len(heads)
            heads.append((name, block.number, None, True))
        for pc in block.pcs:
            for name in writes[pc]:
                defined[pc][name] = len(heads)
                if name not in several:
                    single[name] = len(heads)
                heads.append((name, block.number, pc, False))

    def undefined(name: str) -> int:
        if name not in single:
            single[name] = len(heads)
            heads.append((name, 0, None, False))
        return single[name]

    uses: list[dict[str, int]] = [{} for _ in reads]
    at_end: list[dict[str, int]] = [{} for _ in flow.blocks]
    for block in flow.blocks:
        current = dict(at_end[flow.immediate_dominator[block.number]]) if block.number else {}
        current.update(phi_numbers[block.number])
        for pc in block.pcs:
            for name in reads[pc]:
                number = current.get(name) if name in several else single.get(name)
                uses[pc][name] = undefined(name) if number is None else number
            if several:
                current.update({n: d for n, d in defined[pc].items() if n in several})
        at_end[block.number] = current
    inputs: list[tuple[int, ...]] = []
    for name, at, written_by, phi in tuple(heads):
        if phi:
            values = [at_end[p].get(name) for p in flow.predecessors[at]]
            inputs.append(tuple(undefined(name) if v is None else v for v in values))
        else:
            inputs.append(() if written_by is None else tuple(uses[written_by].values()))
    inputs.extend(() for _ in range(len(heads) - len(inputs)))
    definitions = tuple(
        Definition(n, name, at, pc, phi, inputs[n]) for n, (name, at, pc, phi) in enumerate(heads)
    )
    return StaticSingleAssignment(definitions, tuple(uses), tuple(defined))
