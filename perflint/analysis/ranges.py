"""The range domain: strided intervals of the integer registers, refined by branch conditions.

A use in a block that a branch guards sees only the values that pass (`tid < n`, loop bounds). As in
the symbolic domain indices are assumed not to overflow: results stay within their type's bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perflint.analysis import intervals
from perflint.analysis.cfg import ControlFlow
from perflint.analysis.fixpoint import Assumption, FlowGraph, solve
from perflint.analysis.intervals import ANY, Interval, State, constant, interval
from perflint.analysis.simplify import special_limit
from perflint.analysis.ssa import Definition, StaticSingleAssignment
from perflint.grammar import table
from perflint.grammar.model import (
    Function,
    Immediate,
    Instruction,
    Operand,
    Register,
    SpecialRegister,
)

#: `definition comparison other`: the other side is a definition, or a number.
Fact = tuple[int, str, int | None, int]  #: definition, comparison, other definition, number

_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
#: Conditions within conditions (`and.pred`) that are looked through.
_DEPTH = 6


class Ranges:
    """A domain over definitions. The nodes behind them hold the numbers of comparisons."""

    bottom: State = None

    def __init__(
        self, function: Function, ssa: StaticSingleAssignment, numbers: Mapping[int, int]
    ) -> None:
        self.function, self.ssa = function, ssa
        self.numbers = {node: number for number, node in numbers.items()}

    def join(self, a: State, b: State) -> State:
        return intervals.join(a, b)

    def widen(self, node: int, old: State, new: State) -> State:
        return intervals.widen(old, new)

    def narrow(self, node: int, old: State, new: State) -> State:
        return intervals.narrow(old, new)

    def assume(self, state: State, comparison: str, other: State) -> State:
        return intervals.assume(state, comparison, other)

    def transfer(self, node: int, inputs: Sequence[State]) -> State:
        if node in self.numbers:
            return constant(self.numbers[node])
        definition = self.ssa.definitions[node]
        if not _counts(self.function, definition):
            return ANY
        own = inputs[: len(definition.inputs)]
        if definition.phi:
            out: State = None
            for state in own:
                out = self.join(out, state)
            return out
        if definition.pc is None:
            return ANY
        instruction = self.function.instructions[definition.pc]
        states = dict(zip(self.ssa.uses[definition.pc], own, strict=True))
        if any(state is None for state in states.values()):
            return None  # not reached yet
        known = {name: state for name, state in states.items() if state is not None}
        out = result(instruction, known, self.function.directives)
        if instruction.guard is not None:
            out = self.join(out, states.get(definition.register))
        return out


# --- one instruction ------------------------------------------------------------------------------


Directives = Mapping[str, tuple[int, ...]]


def result(
    instruction: Instruction, states: Mapping[str, Interval], directives: Directives
) -> State:
    """The range of what an instruction computes; that of its type where nothing better is known.

    `directives` are the kernel's.
    """
    if instruction.opcode == "setp":
        return interval(0, 1)
    types = table.types(instruction)
    if not types or types[0][0] not in "bus" or not types[0][1:].isdigit():
        return ANY
    bounds = _type_bounds(instruction, types[0])
    if instruction.opcode in ("ld", "ldu", "atom", "call") or len(instruction.operands) < 2:
        return bounds
    arguments = [_operand(operand, states, directives) for operand in instruction.operands[1:]]
    known = [a for a in arguments if a is not None]
    if len(known) < len(arguments):
        return bounds
    if types[-1][0] == "u" and any(a.low < 0 for a in known) and _reads_whole_words(instruction):
        return bounds  # a negative number is read as a large one
    return _within(_computed(instruction, types, known), bounds)


def _reads_whole_words(instruction: Instruction) -> bool:
    """Whether the result is another one for -1 than for 4294967295."""
    return "wide" in instruction.modifiers or instruction.opcode in ("div", "rem", "min", "max")


def _type_bounds(instruction: Instruction, type: str) -> Interval:
    """What a register of the type holds, untyped ones as signed numbers."""
    bits = int(type[1:])
    if "wide" in instruction.modifiers:
        bits *= 2
    if bits > 64:
        return ANY
    if type[0] == "u" and bits < 32:
        return Interval(0, (1 << bits) - 1)
    return Interval(-(1 << (bits - 1)), (1 << bits) - 1 if bits <= 32 else (1 << (bits - 1)) - 1)


def _within(value: State, bounds: Interval) -> State:
    """A result as it is if it does not overflow; else what the type can hold of it."""
    if value is None:
        return None
    return intervals.meet(value, bounds) or bounds


def _operand(
    operand: Operand, states: Mapping[str, Interval], directives: Directives
) -> Interval | None:
    match operand:
        case Register(name):
            return states.get(name)
        case Immediate(bits, "int"):
            # Beyond, either spelling may stand for either number: 4294967295 for -1.
            return constant(bits) if abs(bits) < 1 << 31 else ANY
        case SpecialRegister(name):
            limit = special_limit(name, directives)
            return ANY if limit is None else Interval(0, limit)
    return None


def _computed(instruction: Instruction, types: tuple[str, ...], a: Sequence[Interval]) -> State:
    by = a[1].constant if len(a) > 1 else None
    signed = types[0][0] == "s"
    positive = a[0].low >= 0
    match instruction.opcode:
        case "mov" | "cvta":
            return a[0]
        case "cvt" if types[-1][0] in "bus":
            return a[0]
        case "add" if not table.carry(instruction):
            return intervals.add(a[0], a[1])
        case "sub" if not table.carry(instruction):
            return _sum(a[0], intervals.negative(a[1]))
        case "neg":
            return intervals.negative(a[0])
        case "mul" if "hi" not in instruction.modifiers:
            return intervals.multiply(a[0], a[1])
        case "mad" if "hi" not in instruction.modifiers and not table.carry(instruction):
            return _sum(a[2], intervals.multiply(a[0], a[1]))
        case "shl" if by is not None and 0 <= by < 64:
            return intervals.multiply(a[0], constant(1 << by))
        case "shr" if by is not None and 0 <= by < 64 and (signed or positive):
            return intervals.floor_divide(a[0], 1 << by)
        case "div" if by is not None and by > 0 and positive:
            return intervals.floor_divide(a[0], by)
        case "rem" if by is not None and by > 0 and (signed or positive):
            return intervals.remainder(a[0], by)
        case "and" if by is not None and by >= 0:
            return intervals.masked(a[0], by)
        case "min" if signed or (positive and a[1].low >= 0):
            return interval(min(a[0].low, a[1].low), min(a[0].high, a[1].high))
        case "max" if signed or (positive and a[1].low >= 0):
            return interval(max(a[0].low, a[1].low), max(a[0].high, a[1].high))
        case "abs" if positive:
            return a[0]
        case "selp":
            return intervals.join(a[0], a[1])
    return ANY


def unchanged(
    instruction: Instruction, states: Mapping[str, Interval], directives: Directives
) -> bool:
    """Whether an instruction's result is its first operand: a mask or a modulus without effect."""
    if instruction.opcode not in ("and", "rem", "cvt") or len(instruction.operands) < 2:
        return False
    arguments = [_operand(operand, states, directives) for operand in instruction.operands[1:]]
    value = arguments[0]
    if value is None or value.low < 0:
        return False
    if instruction.opcode == "cvt":
        to = table.types(instruction)[0]
        return to[0] in "us" and value.high < 1 << (int(to[1:]) - (to[0] == "s"))
    by = arguments[1].constant if arguments[1] is not None else None
    if by is None or by <= 0:
        return False
    return value.high < by if instruction.opcode == "rem" else intervals.masked(value, by) is value


def _sum(a: Interval, b: State) -> State:
    return None if b is None else intervals.add(a, b)


# --- what branches say ----------------------------------------------------------------------------


def facts_by_block(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    conditions: Mapping[int, int],
) -> list[tuple[Fact, ...]]:
    """By block: the comparisons that hold in it, those of the branches that dominate it."""
    out: list[tuple[Fact, ...]] = [()] * len(flow.blocks)
    for block in range(1, len(flow.blocks)):
        above = flow.immediate_dominator[block]
        own: tuple[Fact, ...] = ()
        if flow.predecessors[block] == (above,):
            own = edge_facts(function, flow, ssa, conditions, above, block)
        out[block] = (*out[above], *own)[-_MOST_FACTS:]
    return out


#: The comparisons nearest to a block; those further up are seldom of its values.
_MOST_FACTS = 24


def edge_facts(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    conditions: Mapping[int, int],
    block: int,
    successor: int,
) -> tuple[Fact, ...]:
    """The comparisons that hold where control goes from a block to one of its successors."""
    ways = flow.successors[block]
    if len(ways) != 2 or block not in conditions:
        return ()
    guard = function.instructions[flow.blocks[block].end - 1].guard
    if guard is None:
        return ()
    taken = ways[1] == successor  # the first falls through
    return tuple(_said(function, ssa, conditions[block], taken != guard.negated, _DEPTH))


def _said(
    function: Function, ssa: StaticSingleAssignment, predicate: int, holds: bool, depth: int
) -> list[Fact]:
    """What a predicate's being true or false says of integers."""
    definition = ssa.definitions[predicate]
    if definition.pc is None or depth == 0:
        return []
    instruction = function.instructions[definition.pc]
    if instruction.guard is not None:
        return []
    uses = ssa.uses[definition.pc]
    sources = instruction.operands[1:]
    if instruction.opcode in ("and", "or") and holds == (instruction.opcode == "and"):
        found = []
        for operand in sources:
            if isinstance(operand, Register):
                found += _said(function, ssa, uses[operand.name], holds, depth - 1)
        return found
    if instruction.opcode != "setp" or len(sources) != 2:
        return []
    types, comparison = table.types(instruction), instruction.modifiers[0]
    if (types[-1][0] != "s" and comparison not in ("eq", "ne")) or comparison not in _OPPOSITE:
        return []  # unsigned comparisons hold for numbers that were negative
    if not holds:
        comparison = _OPPOSITE[comparison]
    return _both_ways(uses, sources, comparison)


def _both_ways(uses: Mapping[str, int], sources: Sequence[Operand], comparison: str) -> list[Fact]:
    out: list[Fact] = []
    for mine, other, how in (
        (sources[0], sources[1], comparison),
        (sources[1], sources[0], _SWAPPED[comparison]),
    ):
        if not isinstance(mine, Register) or mine.name not in uses:
            continue
        if isinstance(other, Register) and other.name in uses:
            out.append((uses[mine.name], how, uses[other.name], 0))
        elif isinstance(other, Immediate) and other.kind == "int" and abs(other.bits) < 1 << 31:
            out.append((uses[mine.name], how, None, other.bits))
    return out


# --- the whole function ---------------------------------------------------------------------------


def value_ranges(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    conditions: Mapping[int, int],
) -> list[State]:
    """By definition: its range wherever it is defined; None where no path leads."""
    facts = facts_by_block(function, flow, ssa, conditions)
    inputs = [list(d.inputs) if _counts(function, d) else [] for d in ssa.definitions]
    numbers: dict[int, int] = {}
    assumptions: dict[int, tuple[Assumption, ...]] = {}
    for definition in ssa.definitions:
        if not inputs[definition.number]:
            continue
        found = _assumed(function, flow, ssa, conditions, facts, definition)
        if found:
            assumptions[definition.number] = tuple(
                _placed(inputs, numbers, definition.number, position, fact)
                for position, fact in found
            )
    inputs += [[] for _ in numbers]
    headers = frozenset(d.number for d in ssa.definitions if d.phi and d.block in flow.loops)
    domain = Ranges(function, ssa, numbers)
    return solve(FlowGraph.of(inputs, headers, assumptions), domain)[: len(ssa.definitions)]


def _counts(function: Function, definition: Definition) -> bool:
    """Whether a register may hold an integer."""
    type = function.registers.get(definition.register, "")
    return type[:1] in ("b", "u", "s") or type == "pred"


def _assumed(
    function: Function,
    flow: ControlFlow,
    ssa: StaticSingleAssignment,
    conditions: Mapping[int, int],
    facts: Sequence[tuple[Fact, ...]],
    definition: Definition,
) -> list[tuple[int, Fact]]:
    """What is known of a definition's inputs where they are read: position and comparison."""
    if not definition.phi:
        here = facts[definition.block]
        return [(n, f) for n, i in enumerate(definition.inputs) for f in here if f[0] == i]
    out = []
    ways = flow.predecessors[definition.block]
    for position, (way, source) in enumerate(zip(ways, definition.inputs, strict=True)):
        edge = edge_facts(function, flow, ssa, conditions, way, definition.block)
        out += [(position, f) for f in (*facts[way], *edge) if f[0] == source]
    return out


def _placed(
    inputs: list[list[int]], numbers: dict[int, int], node: int, position: int, fact: Fact
) -> Assumption:
    """The assumption, its other side made an input of the node."""
    _, comparison, other, number = fact
    if other is None:
        other = numbers.setdefault(number, len(inputs) + len(numbers))
    inputs[node].append(other)
    return Assumption(position, comparison, len(inputs[node]) - 1)
