"""What each value depends on, and from that whether it is the same in all lanes of a warp.

A domain over definitions whose states are the bit sets of `expression`: thread index, lane, block,
loaded memory, atomics. Dependence flows through data, through memory that the kernel writes itself
(per variable), through control where paths with different values meet, and out of loops that lanes
leave at different times (Sampaio et al., "Divergence Analysis", 2013: data, sync and temporal
divergence).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.analysis.provenance import Bases, Scope
from perflint.analysis.ssa import Definition, StaticSingleAssignment
from perflint.analysis.stores import StoredMemory
from perflint.analysis.symbols import (
    BLOCK,
    HASHED,
    LANES,
    LOADED,
    MIXED,
    ROUNDED,
    SCALED,
    SHIFTED,
    SPREAD,
    Parameter,
    Special,
)
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Immediate, Instruction

#: From here on an odd factor is none that anybody has for a pitch.
LARGE_FACTOR = 1 << 16
#: Instructions whose result is the same in all lanes that take part.
_WARP_UNIFORM = {"vote", "redux", "activemask"}


@dataclass(frozen=True, eq=False)
class Dependence:
    """The fixpoint: what definitions, and control, depend on."""

    flow: ControlFlow
    ssa: StaticSingleAssignment
    values: Sequence[int]  #: by definition
    conditions: dict[int, int]  #: by branching block: the definition of its predicate
    control: Sequence[int]  #: by block: that it runs, and how often
    choice: Sequence[int]  #: by block: which predecessor control comes from, where it has phis

    def of_branch(self, block: int) -> int:
        """What the choice between a block's successors depends on."""
        condition = self.conditions.get(block)
        return 0 if condition is None else self.values[condition]

    def of_control(self, block: int) -> int:
        """What it depends on whether, and how often, a block runs: all conditions above it."""
        return self.control[block]

    def of_choice(self, block: int) -> int:
        """What it depends on which of a block's predecessors control comes from."""
        return self.choice[block]

    def of_use(self, definition: int, block: int) -> int:
        """What a value depends on where it is used: also when its loop was left."""
        out = self.values[definition]
        for header in left_loops(self.flow, self.ssa.definitions[definition].block, block):
            out |= self.of_leaving(header)
        return out

    def of_leaving(self, header: int) -> int:
        """What it depends on when a lane leaves a loop."""
        out = 0
        for branch in self.flow.loops[header].exits:
            out |= self.of_branch(branch)
        return out


def left_loops(flow: ControlFlow, defined: int, used: int) -> Iterable[int]:
    """The headers of the loops that are around the definition but not around the use."""
    for loop in flow.loops_around(defined):
        if used in loop.body:
            return
        yield loop.header


def branch_conditions(
    scope: Scope, flow: ControlFlow, ssa: StaticSingleAssignment
) -> dict[int, int]:
    """By block with a conditional or indexed jump at its end: the definition that decides it."""
    out: dict[int, int] = {}
    for block in flow.blocks:
        pc = block.end - 1
        last = scope.function.instructions[pc]
        if last.guard is not None and table.control(last) is not None:
            out[block.number] = ssa.uses[pc][last.guard.register.name]
        elif last.opcode == "brx" and ssa.uses[pc]:
            out[block.number] = next(iter(ssa.uses[pc].values()))
    return out


def gates(flow: ControlFlow, block: int) -> frozenset[int]:
    """The branching blocks that decide which of a block's predecessors control comes from."""
    predecessors = flow.predecessors[block]
    loop = flow.loops.get(block)
    if loop is not None:
        # How often the back edge is taken is the loop counter's matter, which latch is a choice.
        entries = [p for p in predecessors if p not in loop.body]
        latches = sorted(loop.latches)
        inside = frozenset(
            b
            for b in _deciding(flow, latches, block)
            if b in loop.body and sum(s in loop.body for s in flow.successors[b]) > 1
        )
        before = _deciding(flow, entries, flow.immediate_dominator[block])
        return (inside if len(latches) > 1 else frozenset()) | (
            before if len(entries) > 1 else frozenset()
        )
    deciding = _deciding(flow, predecessors, flow.immediate_dominator[block])
    return frozenset(b for b in deciding if not _only_ends_a_loop(flow, b, block))


def _only_ends_a_loop(flow: ControlFlow, branch: int, block: int) -> bool:
    """Whether a branch is the only way out of a loop: when it is taken varies, that it is not."""
    outer = None
    for loop in flow.loops_around(branch):
        if block in loop.body:
            break
        outer = loop
    return outer is not None and outer.exits == (branch,)


def _deciding(flow: ControlFlow, ends: Iterable[int], top: int) -> frozenset[int]:
    """Branches at or below `top` that the blocks `ends` depend on, or that end them."""
    ends = tuple(ends)
    seen: set[int] = set(ends)
    out = {b for b in ends if len(flow.successors[b]) > 1 and flow.dominates(top, b)}
    pending = list(ends)
    while pending:
        for controller in flow.controllers[pending.pop()]:
            if controller not in seen and flow.dominates(top, controller):
                seen.add(controller)
                out.add(controller)
                if controller != top:
                    pending.append(controller)
    return frozenset(out)


class _Dependences(FiniteDomain[int]):
    """Transfer functions of all nodes: inputs joined, some bits removed, some added."""

    bottom = 0

    def __init__(self, nodes: int) -> None:
        self.kept = [~0] * nodes
        self.added = [0] * nodes
        self.rounds: set[int] = set()  #: make an integer of a float
        self.compares: set[int] = set()  #: compare floats
        self.mixes: set[int] = set()  #: are an exclusive or

    def join(self, a: int, b: int) -> int:
        return a | b

    def transfer(self, node: int, inputs: Sequence[int]) -> int:
        out = 0
        for state in inputs:
            out |= state
        if out & LANES and node in self.rounds:
            out |= SCALED | (ROUNDED if out & LOADED else 0)
        if out & LANES and out & LOADED and node in self.compares:
            out |= ROUNDED  # a bucket that is found by comparisons
        if out & SHIFTED and node in self.mixes:
            out |= MIXED
        return (out & self.kept[node]) | self.added[node]


def dependences(
    scope: Scope,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    bases: Sequence[Bases],
    pointers: frozenset[Parameter],
    told: frozenset[int] = frozenset(),
) -> Dependence:
    """Runs the domain to its fixpoint.

    Nodes are the definitions; for every block that it runs, and which predecessor it is entered
    from; for every loop when lanes leave it; and the variables that the kernel fills.
    """
    conditions = branch_conditions(scope, flow, ssa)
    graph = _Nodes(len(ssa.definitions), len(flow.blocks), {h: n for n, h in enumerate(flow.loops)})
    inputs = [_inputs(flow, ssa, graph, d) for d in ssa.definitions]
    for controllers in flow.controllers:
        deciding = [conditions[c] for c in controllers if c in conditions]
        inputs.append([*deciding, *(graph.control(c) for c in controllers)])
    with_phis = {d.block for d in ssa.definitions if d.phi}
    for block in range(len(flow.blocks)):
        choosing = gates(flow, block) if block in with_phis else ()
        inputs.append([conditions[b] for b in choosing if b in conditions])
    inputs.extend([conditions[b] for b in l.exits if b in conditions] for l in flow.loops.values())
    domain = _Dependences(len(inputs))
    memory = StoredMemory(scope, ssa, bases, pointers, told, inputs, domain.added, domain.kept)
    for each in flow.blocks:
        for pc in each.pcs:
            instruction = scope.function.instructions[pc]
            accesses = table.accesses(instruction)
            for node in ssa.defined[pc].values():
                memory.loaded(instruction, accesses, node)
            memory.stored(instruction, accesses, graph.control(each.number))
            memory.called(instruction)
            _add_sources(scope, instruction, ssa.defined[pc].values(), domain)
    memory.connect()
    values = solve(FlowGraph.of(inputs), domain)
    count, blocks = len(ssa.definitions), len(flow.blocks)
    return Dependence(
        flow,
        ssa,
        values=values[:count],
        conditions=conditions,
        control=values[count : count + blocks],
        choice=values[count + blocks : count + 2 * blocks],
    )


@dataclass(frozen=True)
class _Nodes:
    """Numbers of the nodes that are no definitions."""

    definitions: int
    blocks: int
    loops: dict[int, int]  #: by header: which loop

    def control(self, block: int) -> int:
        return self.definitions + block

    def choice(self, block: int) -> int:
        return self.definitions + self.blocks + block

    def leaving(self, header: int) -> int:
        return self.definitions + 2 * self.blocks + self.loops[header]


def _inputs(
    flow: ControlFlow, ssa: StaticSingleAssignment, graph: _Nodes, definition: Definition
) -> list[int]:
    """What a value depends on: its sources, the ends of loops they left, a phi's choice."""
    left: set[int] = set()
    for block in {ssa.definitions[source].block for source in definition.inputs}:
        if block != definition.block:
            left.update(graph.leaving(h) for h in left_loops(flow, block, definition.block))
    chosen = [graph.choice(definition.block)] if definition.phi else []
    return [*definition.inputs, *sorted(left), *chosen]


def _add_sources(
    scope: Scope, instruction: Instruction, nodes: Collection[int], domain: _Dependences
) -> None:
    """What an instruction's results depend on besides its registers and the memory it reads."""
    if not nodes:
        return
    added, kept = 0, ~0
    for name in table.reads(instruction):
        if name.startswith("%") and name not in scope.function.registers:
            added |= Special(name).depends
    opcode = instruction.opcode
    if opcode in ("tex", "tld4", "txq", "suld", "suq"):
        added |= LOADED
    elif opcode == "call":
        added |= LOADED | LANES | BLOCK
    elif opcode in ("elect", "mbarrier", "match"):
        added |= LANES
    elif opcode in _WARP_UNIFORM:
        kept = ~LANES
    if opcode == "cvt" and _makes_integer(table.types(instruction)):
        domain.rounds.update(nodes)
    if opcode == "setp":
        kept &= ~(SHIFTED | HASHED)  # what comes of a comparison is no hash
        if any(each[0] == "f" for each in table.types(instruction)):
            domain.compares.update(nodes)
    elif opcode == "xor":
        domain.mixes.update(nodes)
    elif opcode == "shr":
        added |= SHIFTED
    elif _keeps_low_bits(instruction) and any(map(is_large, _numbers(instruction))):
        added |= SPREAD
    for node in nodes:
        domain.added[node] |= added
        domain.kept[node] &= kept


def _keeps_low_bits(instruction: Instruction) -> bool:
    """Whether it multiplies as hashes do: of the high bits of a product quotients are made."""
    return instruction.opcode in ("mul", "mad") and "lo" in instruction.modifiers


def _numbers(instruction: Instruction) -> list[int]:
    """The whole numbers among what an instruction reads."""
    given = (each.value for each in instruction.operands[1:] if isinstance(each, Immediate))
    return [value for value in given if isinstance(value, int)]


def is_large(factor: int) -> bool:
    """Whether a factor spreads what it multiplies over all bits, as those of hashes do."""
    return abs(factor) >= LARGE_FACTOR and bool(factor & 1)


def _makes_integer(types: Sequence[str]) -> bool:
    return len(types) == 2 and types[0][0] in "us" and types[1][0] not in "us"
