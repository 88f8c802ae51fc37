"""What each value depends on, and from that whether it is the same in all lanes of a warp.

A domain over definitions whose states are the bit sets of `expression`: thread index, lane, block,
loaded memory, atomics. Dependence flows through data, through memory that the kernel writes itself
(per variable), through control where paths with different values meet, and out of loops that lanes
leave at different times (Sampaio et al., "Divergence Analysis", 2013: data, sync and temporal
divergence).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.expression import (
    ATOMIC,
    BLOCK,
    LANES,
    LOADED,
    Base,
    Parameter,
    Special,
)
from perflint.analysis.fixpoint import FlowGraph, solve
from perflint.analysis.provenance import UNKNOWN, Bases, Scope, address_bases
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.grammar import table
from perflint.grammar.model import Instruction, Variable

#: Of what a lane stores in shared memory, what whoever loads it depends on.
_SHARED_BY_ALL = LOADED | ATOMIC | BLOCK

#: Instructions whose result is the same in all lanes that take part.
_WARP_UNIFORM = {"vote", "redux", "activemask"}


@dataclass(frozen=True, eq=False)
class Dependence:
    """The fixpoint: what definitions, and control, depend on."""

    flow: ControlFlow
    ssa: StaticSingleAssignment
    values: Sequence[int]  #: by definition
    conditions: dict[int, int]  #: by branching block: the definition of its predicate

    def of_branch(self, block: int) -> int:
        """What the choice between a block's successors depends on."""
        condition = self.conditions.get(block)
        return 0 if condition is None else self.values[condition]

    def of_control(self, block: int) -> int:
        """What it depends on whether, and how often, a block runs: all conditions above it."""
        out = 0
        for controller in self.flow.all_controllers(block):
            out |= self.of_branch(controller)
        return out

    def of_use(self, definition: int, block: int) -> int:
        """What a value depends on where it is used: also when its loop was left."""
        out = self.values[definition]
        for exiting in left_loops(self.flow, self.ssa.definitions[definition].block, block):
            out |= self.of_branch(exiting)
        return out


def left_loops(flow: ControlFlow, defined: int, used: int) -> Iterable[int]:
    """The exiting blocks of the loops that are around the definition but not around the use."""
    for loop in flow.loops_around(defined):
        if used in loop.body:
            return
        yield from flow.exiting_blocks(loop)


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
    return outer is not None and list(flow.exiting_blocks(outer)) == [branch]


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


class _Dependences:
    """Transfer functions. Nodes: the definitions, then the variables that the kernel stores to."""

    bottom = 0

    def __init__(self, scope: Scope, ssa: StaticSingleAssignment) -> None:
        self.scope, self.ssa = scope, ssa
        self.kept = [~0] * len(ssa.definitions)
        self.added = [0] * len(ssa.definitions)

    def join(self, a: int, b: int) -> int:
        return a | b

    def widen(self, node: int, old: int, new: int) -> int:
        return new

    def transfer(self, node: int, inputs: Sequence[int]) -> int:
        out = 0
        for state in inputs:
            out = self.join(out, state)
        return (out & self.kept[node]) | self.added[node]


def dependences(
    scope: Scope,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    bases: Sequence[Bases],
    pointers: frozenset[Parameter],
) -> Dependence:
    """Runs the domain to its fixpoint."""
    conditions = branch_conditions(scope, flow, ssa)
    domain = _Dependences(scope, ssa)
    inputs: list[list[int]] = [list(d.inputs) for d in ssa.definitions]
    memory = _Memory(scope, ssa, bases, pointers, domain, inputs)
    gate_cache: dict[int, frozenset[int]] = {}
    for definition in ssa.definitions:
        node = definition.number
        for source in definition.inputs:
            exits = left_loops(flow, ssa.definitions[source].block, definition.block)
            inputs[node].extend(conditions[b] for b in exits if b in conditions)
        if definition.phi:
            deciding = gate_cache.get(definition.block)
            if deciding is None:
                deciding = gate_cache[definition.block] = gates(flow, definition.block)
            inputs[node].extend(conditions[b] for b in deciding if b in conditions)
        elif definition.pc is not None:
            _source(scope.function.instructions[definition.pc], node, domain, memory)
    for block in flow.blocks:
        controlled = [conditions[b] for b in flow.all_controllers(block.number) if b in conditions]
        for pc in block.pcs:
            memory.stored(pc, controlled)
    memory.connect()
    values = solve(FlowGraph.of(inputs), domain)
    return Dependence(flow, ssa, values[: len(ssa.definitions)], conditions)


def _source(instruction: Instruction, node: int, domain: _Dependences, memory: _Memory) -> None:
    """What an instruction's result depends on besides its operands."""
    for name in table.reads(instruction):
        if name.startswith("%") and name not in domain.scope.function.registers:
            domain.added[node] |= Special(name).depends
    opcode = instruction.opcode
    if opcode in ("tex", "tld4", "suld"):
        domain.added[node] |= LOADED
    elif opcode == "call":
        domain.added[node] |= LOADED | LANES | BLOCK
    elif opcode in _WARP_UNIFORM:
        domain.kept[node] = ~LANES
    elif opcode in ("elect", "mbarrier") or opcode == "match":
        domain.added[node] |= LANES
    if table.accesses(instruction):
        memory.loaded(instruction, node)


class _Memory:
    """A node for each variable that the kernel itself fills, between its stores and its loads."""

    def __init__(
        self,
        scope: Scope,
        ssa: StaticSingleAssignment,
        bases: Sequence[Bases],
        pointers: frozenset[Parameter],
        domain: _Dependences,
        inputs: list[list[int]],
    ) -> None:
        self.scope, self.ssa, self.bases, self.pointers = scope, ssa, bases, pointers
        self.domain, self.inputs = domain, inputs
        self.nodes: dict[str, int] = {}
        self.stores: dict[str, list[int]] = {}
        self.loads: list[tuple[int, str]] = []

    def _where(self, pc: int, access: table.MemoryAccess) -> tuple[str, str]:
        """State space and variable of an access; the variable is "?" if several are possible."""
        found = address_bases(self.scope, self.ssa, self.bases, self.pointers, pc, access.address)
        only = next(iter(found)) if len(found) == 1 else None
        if isinstance(only, Base) and only != UNKNOWN:
            return (only.space if access.space == "generic" else access.space), only.name
        return access.space, "?"

    def loaded(self, instruction: Instruction, node: int) -> None:
        """Says what a load's or an atomic's result depends on."""
        domain = self.domain
        for access in table.accesses(instruction):
            space, name = self._where(instruction.index, access)
            if access.kind == "atomic":
                domain.added[node] |= LOADED | LANES
                if space != "shared" and not self._retries(instruction):
                    domain.added[node] |= ATOMIC
            elif access.kind == "load" and space in ("shared", "local"):
                self.loads.append((node, f"{space}:{name}"))
            elif access.kind == "load" and space != "param":
                variable = self.scope.variables.get(name)
                if not (space == "const" and _initialised(variable)):
                    domain.added[node] |= LOADED

    def _retries(self, instruction: Instruction) -> bool:
        """A compare-and-swap that only accumulates: what it compares with varies.

        A lock compares with a constant; `old = atomicCAS(p, assumed, f(assumed))` in a loop does
        not, and is no way for blocks to steer each other.
        """
        if "cas" not in instruction.modifiers or len(instruction.operands) < 4:
            return False
        uses = self.ssa.uses[instruction.index]
        for name in table.reads(instruction):
            if name in uses and getattr(instruction.operands[2], "name", None) == name:
                return bool(self.ssa.definitions[uses[name]].phi or self._varies(uses[name]))
        return False

    def _varies(self, definition: int) -> bool:
        """Whether a value comes, over moves and conversions, from a phi or a load."""
        seen: set[int] = set()
        pending = [definition]
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            found = self.ssa.definitions[number]
            if found.phi:
                return True
            if found.pc is not None:
                opcode = self.scope.function.instructions[found.pc].opcode
                if opcode in ("ld", "ldu", "atom"):
                    return True
                if len(seen) < 16:
                    pending.extend(found.inputs)
        return False

    def stored(self, pc: int, controlled: Sequence[int]) -> None:
        """Notes what an instruction stores, and the conditions it does so under."""
        instruction = self.scope.function.instructions[pc]
        for access in table.accesses(instruction):
            if access.kind == "load":
                continue
            space, name = self._where(pc, access)
            if space not in ("shared", "local", "generic"):
                continue
            key = f"{'shared' if space == 'generic' else space}:{name}"
            sources = [*self.ssa.uses[pc].values(), *controlled]
            self.stores.setdefault(key, []).extend(sources)
            if instruction.opcode == "cp":
                self.stores[key].append(self._always_loaded())

    def _always_loaded(self) -> int:
        return self._node("loaded", LOADED)

    def _node(self, key: str, added: int = 0, kept: int = ~0) -> int:
        if key not in self.nodes:
            self.nodes[key] = len(self.inputs)
            self.inputs.append([])
            self.domain.added.append(added)
            self.domain.kept.append(kept)
        return self.nodes[key]

    def connect(self) -> None:
        """Draws the edges from stores to loads of the same variable, or of an unknown one."""
        for key, sources in self.stores.items():
            shared = key.startswith("shared")
            self.inputs[self._node(key, kept=_SHARED_BY_ALL if shared else ~0)].extend(sources)
        for node, key in self.loads:
            space, _, name = key.partition(":")
            for stored in self.stores:
                other_space, _, other = stored.partition(":")
                if space == other_space and (name == other or "?" in (name, other)):
                    self.inputs[node].append(self._node(stored))


def _initialised(variable: Variable | None) -> bool:
    return variable is not None and variable.initialiser is not None
