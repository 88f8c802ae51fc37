"""The symbolic address domain: registers as polynomials over what a thread knows.

Runs over the definitions that addresses need. A phi at a loop header stands for itself until the
body's values are known; then `induction.py` solves its recurrence, and the domain runs again with
the solution, so that values which meet behind the loop show what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from perflint.analysis import induction, ranges, symbolic_transfer
from perflint.analysis.cfg import ControlFlow
from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.analysis.gates import deciding, selection
from perflint.analysis.intervals import Interval
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.provenance import Bases, Scope, address_bases
from perflint.analysis.simplify import build, common_part
from perflint.analysis.ssa import Definition, StaticSingleAssignment
from perflint.analysis.symbols import LOADED, Base, Loop, Opaque, Parameter, Special, Symbol
from perflint.analysis.uniformity import Dependence
from perflint.grammar import table
from perflint.grammar.model import Address, Immediate, Instruction, Register

#: Rounds of solving recurrences: each may reveal what the next needs. Three suffice but for
#: pointers that run through several loops one behind the other.
_ROUNDS = 6
#: The largest value that a load of a type gives (PTX ISA, `ld`: it is extended with zeros).
NARROW = {"u8": 0xFF, "u16": 0xFFFF}


class Addresses(FiniteDomain[Polynomial | None]):
    """Values of the registers that addresses are made of, and the addresses themselves."""

    def __init__(
        self,
        scope: Scope,
        flow: ControlFlow,
        ssa: StaticSingleAssignment,
        dependence: Dependence,
        bases: Sequence[Bases],
        pointers: frozenset[Parameter],
        wanted: Iterable[int],
        ranges: Sequence[Interval | None],
    ) -> None:
        """`wanted`: the definitions whose values will be asked for; `ranges` of all of them."""
        self.ranges = ranges
        self.scope, self.flow, self.ssa, self.dependence = scope, flow, ssa, dependence
        self.bases, self.pointers = bases, pointers
        self.solutions: dict[Symbol, Polynomial] = {}
        self._deciding: dict[int, tuple[int, ...]] = {}
        self._states: list[Polynomial | None] = []
        self._nodes = self._slice(wanted)
        self._position = {number: n for n, number in enumerate(self._nodes)}
        self._run()

    # --- the domain

    bottom: Polynomial | None = None

    def join(self, a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
        return a if a == b or b is None else b if a is None else None

    def transfer(self, node: int, inputs: Sequence[Polynomial | None]) -> Polynomial | None:
        definition = self.ssa.definitions[self._nodes[node]]
        if self._is_cut(definition):
            placeholder = self.placeholder(definition)
            return self._resolved(Polynomial.of(placeholder))
        if definition.phi:
            ways = self.flow.predecessors[definition.block]
            meeting = {w: v for w, v in zip(ways, inputs, strict=False) if v is not None}
            gates = zip(self._gates(definition), inputs[len(definition.inputs) :], strict=True)
            return self.merge(definition, meeting, known=dict(gates))
        known = [v for v in inputs if v is not None]
        if definition.pc is None or len(known) < len(inputs):
            return Polynomial.of(self._opaque(definition))
        return self._computed(definition, known)

    def _computed(self, definition: Definition, inputs: list[Polynomial]) -> Polynomial:
        assert definition.pc is not None
        instruction = self.scope.function.instructions[definition.pc]
        values = dict(zip(self.ssa.uses[definition.pc], inputs, strict=False))
        out = self._known_by_range(definition, instruction, values)
        if out is None:
            out = symbolic_transfer.result(instruction, values, self.scope, definition.register)
        if out is None or symbolic_transfer.too_large(out):
            return Polynomial.of(self._opaque(definition))
        if instruction.guard is not None:
            guard = values[instruction.guard.register.name]
            old = values[definition.register]
            arms = (old, out) if instruction.guard.negated else (out, old)
            return build("selp", (*arms, guard))
        return out

    def _known_by_range(
        self, definition: Definition, instruction: Instruction, values: Mapping[str, Polynomial]
    ) -> Polynomial | None:
        """The value where its range leaves one only, or shows that an operation has no effect."""
        own = self.ranges[definition.number]
        if own is not None and own.constant is not None:
            return Polynomial(own.constant)
        first = instruction.operands[1] if len(instruction.operands) > 1 else None
        if instruction.opcode not in ("and", "rem", "cvt") or not isinstance(first, Register):
            return None
        uses = self.ssa.uses[instruction.index]
        states = {n: r for n, d in uses.items() if (r := self.ranges[d]) is not None}
        found = ranges.unchanged(instruction, states, self.scope.function.directives)
        return values.get(first.name) if found else None

    def merge(
        self,
        definition: Definition,
        values: Mapping[int, Polynomial],
        top: int | None = None,
        known: Mapping[int, Polynomial | None] | None = None,
    ) -> Polynomial:
        """The value where paths meet: what all have in common, and a choice among the rest.

        `values` are by predecessor, all of them dominated by block `top`; `known` are the values
        of conditions while the domain still runs.
        """
        distinct = tuple(dict.fromkeys(values.values()))
        if len(distinct) == 1:
            return distinct[0]
        if not distinct:
            return Polynomial.of(self._opaque(definition))
        block = definition.block
        top = self.flow.immediate_dominator[block] if top is None else top
        selected = selection(self.flow, block, top, values, lambda b: self.condition(b, known))
        if selected is not None and not symbolic_transfer.too_large(selected):
            return selected
        common, rests = common_part(distinct)
        chosen = 0
        for rest in rests:
            chosen |= rest.depends
        return common + Polynomial.of(
            Opaque(
                "merge",
                self._start(block),
                definition.register,
                chosen | self.gate_dependence(block),
                chosen=not chosen,
            )
        )

    def condition(
        self, block: int, known: Mapping[int, Polynomial | None] | None = None
    ) -> Polynomial | None:
        """What the jump at a block's end is taken on; None if that is not known (yet)."""
        number = self.dependence.conditions.get(block)
        if number is None or number not in self._position:
            return None
        value = self.state(number) if known is None else known.get(number)
        guard = self.scope.function.instructions[self.flow.blocks[block].end - 1].guard
        if value is None or guard is None:
            return None
        value = self._resolved(value)
        return build("not.pred", (value,)) if guard.negated else value

    # --- its parts

    def _slice(self, wanted: Iterable[int]) -> list[int]:
        """The definitions that the wanted ones are computed from, ascending."""
        seen = set(wanted)
        pending = list(seen)
        while pending:
            definition = self.ssa.definitions[pending.pop()]
            if definition.phi or self._is_computed(definition):
                for source in (*definition.inputs, *self._gates(definition)):
                    if source not in seen:
                        seen.add(source)
                        pending.append(source)
        return sorted(seen)

    def _gates(self, definition: Definition) -> tuple[int, ...]:
        """The conditions that decide which of a phi's values it has."""
        if not definition.phi:
            return ()
        block = definition.block
        if block not in self._deciding:
            loop = self.flow.loops.get(block)
            ways = self.flow.predecessors[block]
            inside = [p for p in ways if loop is not None and p in loop.body]
            entering = [p for p in ways if p not in inside]
            found: set[int] = set()
            if len(inside) > 1:
                found |= deciding(self.flow, block, inside)
            if len(entering) > 1:
                found |= deciding(self.flow, self.flow.immediate_dominator[block], entering)
            conditions = self.dependence.conditions
            self._deciding[block] = tuple(conditions[b] for b in sorted(found) if b in conditions)
        return self._deciding[block]

    def _is_computed(self, definition: Definition) -> bool:
        return definition.pc is not None and symbolic_transfer.computed(
            self.scope.function.instructions[definition.pc]
        )

    def _is_cut(self, definition: Definition) -> bool:
        return definition.phi and definition.block in self.flow.loops

    def _graph(self) -> FlowGraph:
        inputs: list[tuple[int, ...]] = []
        for number in self._nodes:
            definition = self.ssa.definitions[number]
            sources: tuple[int, ...] = ()
            if not self._is_cut(definition) and (definition.phi or self._is_computed(definition)):
                read = (*definition.inputs, *self._gates(definition))
                sources = tuple(self._position[source] for source in read)
            inputs.append(sources)
        return FlowGraph.of(inputs)

    def _run(self) -> None:
        graph = self._graph()
        for _ in range(_ROUNDS):
            self._states = solve(graph, self)
            found = induction.solve_recurrences(self)
            new = {s: v for s, v in found.items() if s not in self.solutions}
            if not new:
                break
            self.solutions.update(new)
        self._final: dict[Symbol, Polynomial] = {}

    def headers(self) -> Iterable[Definition]:
        """The phis at loop headers that the wanted values need."""
        return (d for d in (self.ssa.definitions[n] for n in self._nodes) if self._is_cut(d))

    def placeholder(self, definition: Definition) -> Opaque:
        """The symbol that stands for a header's phi until its recurrence is solved."""
        return Opaque(
            "recurrence",
            self._start(definition.block),
            definition.register,
            self.dependence.values[definition.number],
        )

    def state(self, number: int) -> Polynomial | None:
        """The value of a definition, as the domain has it."""
        return self._states[self._position[number]]

    def loop_counter(self, header: int) -> Loop:
        return Loop(self._start(header), self.flow.loops[header].depth)

    def _start(self, block: int) -> int:
        return self.flow.blocks[block].start

    def gate_dependence(self, block: int) -> int:
        """What the choice among a block's predecessors depends on."""
        return self.dependence.of_choice(block)

    def _opaque(self, definition: Definition) -> Opaque:
        depends = self.dependence.values[definition.number]
        pc = definition.pc
        if pc is None:
            return Opaque("undefined", self._start(definition.block), definition.register, depends)
        instruction = self.scope.function.instructions[pc]
        access = table.access(instruction)
        if access is None or access.kind == "store":
            return Opaque("result", pc, definition.register, depends)
        found = address_bases(self.scope, self.ssa, self.bases, self.pointers, pc, access.address)
        only = next(iter(found)) if len(found) == 1 else None
        array = None if only is None else base_name(only)
        wide = self.scope.function.registers.get(definition.register, "").endswith("64")
        limit = NARROW.get(table.types(instruction)[-1])
        return Opaque("loaded", pc, definition.register, depends, array, wide=wide, limit=limit)

    # --- answers

    def variant(self, value: Polynomial, header: int) -> bool:
        """Whether a value may change from one turn of a loop to the next."""
        body = self.flow.loops[header].body
        for atom in value.atoms:
            if isinstance(atom, (Parameter, Base)):
                continue
            if isinstance(atom, Special):
                if atom.depends & LOADED:
                    return True
                continue
            pc = atom.header if isinstance(atom, Loop) else getattr(atom, "pc", None)
            block = self.flow.block_of[pc] if pc is not None else None
            if block is None or block in body:
                return True
        return False

    def _resolved(self, value: Polynomial) -> Polynomial:
        """The value with every solved recurrence put in, outer loops' included."""
        for _ in range(64):
            if not self.solutions:
                break
            new = value.substitute(self.solutions.get, build)
            if new is value:
                break
            value = new
        return value

    def of(self, pc: int, address: Address) -> Polynomial | None:
        """What an address operand evaluates to, in bytes."""
        base = address.base
        if isinstance(base, Immediate):
            return Polynomial(base.bits + address.offset)
        if isinstance(base, Register):
            number = self.ssa.uses[pc].get(base.name)
            value = None if number is None else self.state(number)
            if value is None:
                return None
            out = self._resolved(value) + address.offset
            return None if symbolic_transfer.too_large(out) else out
        symbol = self.scope.symbol(base.name)
        return None if symbol is None else Polynomial.of(symbol) + base.offset + address.offset


def base_name(symbol: Symbol) -> str:
    """A short name of what a pointer points into."""
    return symbol.name if isinstance(symbol, Base) else symbol.text
