"""The engine with textbook domains, and static single assignment against reaching definitions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis.cfg import control_flow
from perflint.analysis.fixpoint import BudgetExceededError, FiniteDomain, FlowGraph, solve
from perflint.analysis.ssa import static_single_assignment
from perflint.grammar.model import Function, Guard, Immediate, Instruction, Register, Symbol

Interval = tuple[float, float] | None


class Counting(FiniteDomain[Interval]):
    """Intervals of a counter that starts at 0 in node 0 and grows by one in node 2."""

    bottom: Interval = None

    def join(self, a: Interval, b: Interval) -> Interval:
        if a is None or b is None:
            return a or b
        return min(a[0], b[0]), max(a[1], b[1])

    def widen(self, node: int, old: Interval, new: Interval) -> Interval:
        if old is None or new is None:
            return new
        return old[0] if new[0] >= old[0] else float("-inf"), (
            old[1] if new[1] <= old[1] else float("inf")
        )

    def transfer(self, node: int, inputs: Sequence[Interval]) -> Interval:
        if node == 0:
            return (0, 0)
        out: Interval = None
        for state in inputs:
            out = self.join(out, state)
        if node == 2 and out is not None:
            return out[0] + 1, out[1] + 1
        return out


#: 0 → 1 (header) → 2 (adds one) → 1; 1 → 3.
LOOP = [(), (0, 2), (1,), (1,)]


def test_widening_ends_a_growing_chain() -> None:
    states = solve(FlowGraph.of(LOOP, frozenset({1})), Counting())
    assert states == [(0, 0), (0, float("inf")), (1, float("inf")), (0, float("inf"))]


def test_a_domain_without_widening_is_stopped() -> None:
    with pytest.raises(BudgetExceededError):
        solve(FlowGraph.of(LOOP), Counting())


class Reaching(FiniteDomain[frozenset[int]]):
    """Which nodes a node can be reached from: a union over inputs, itself included."""

    bottom: frozenset[int] = frozenset()

    def join(self, a: frozenset[int], b: frozenset[int]) -> frozenset[int]:
        return a | b

    def transfer(self, node: int, inputs: Sequence[frozenset[int]]) -> frozenset[int]:
        out = frozenset({node})
        for state in inputs:
            out = self.join(out, state)
        return out


@given(st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)),
    st.booleans())  # fmt: skip
def test_the_fixpoint_is_the_closure(inputs: list[list[int]], backward: bool) -> None:
    states = solve(FlowGraph.of(inputs), Reaching(), backward=backward)
    for node in range(len(inputs)):
        seen, pending = set(), [node]
        while pending:
            at = pending.pop()
            if at not in seen:
                seen.add(at)
                pending.extend(inputs[at])
        assert states[node] == seen


# --- static single assignment

REGISTERS = ("%r0", "%r1", "%r2")
statements = st.one_of(
    st.tuples(st.just("mov"), st.sampled_from(REGISTERS), st.booleans()),
    st.tuples(st.just("add"), st.sampled_from(REGISTERS), st.booleans()),
    st.tuples(st.just("bra"), st.integers(0, 11), st.booleans()),
)


def program(body: list[tuple[str, object, bool]]) -> Function:
    instructions: list[Instruction] = []
    for at, (opcode, what, guarded) in enumerate(body):
        guard = Guard(Register("%p0")) if guarded else None
        if opcode == "bra":
            target = min(int(str(what)), len(body))
            instructions.append(Instruction("bra", (), (Symbol(f"L{target}"),), at, at + 1, guard))
        else:
            register = Register(str(what))
            sources = (Immediate(1),) if opcode == "mov" else (register, Register("%r0"))
            instructions.append(
                Instruction(opcode, ("s32",), (register, *sources), at, at + 1, guard)
            )
    instructions.append(Instruction("ret", (), (), len(body), len(body) + 1))
    labels = {f"L{n}": n for n in range(len(body) + 1)}
    registers = {**dict.fromkeys(REGISTERS, "s32"), "%p0": "pred"}
    return Function("f", "entry", (), (), tuple(instructions), labels, registers, (), {}, {})


def naive_reaching(function: Function, pc: int, register: str) -> set[int | None]:
    """Definitions of a register that reach an instruction, walking backwards over single steps."""
    following: dict[int, list[int]] = {}
    for at, instruction in enumerate(function.instructions):
        after: list[int] = []
        if instruction.opcode == "bra":
            target = instruction.operands[0]
            assert isinstance(target, Symbol)
            after.append(function.labels[target.name])
        if instruction.opcode not in ("bra", "ret") or instruction.guard:
            after.append(at + 1)
        for successor in after:
            following.setdefault(successor, []).append(at)
    alive, pending = set(), [0]
    forward = {
        a: [s for s, sources in following.items() if a in sources]
        for a in range(len(function.instructions))
    }
    while pending:
        at = pending.pop()
        if at not in alive:
            alive.add(at)
            pending.extend(forward[at])
    out: set[int | None] = set()
    seen: set[int] = set()
    pending = [pc]
    while pending:
        at = pending.pop()
        if at == 0:
            out.add(None)
        for before in following.get(at, ()):
            if before not in alive:
                continue
            instruction = function.instructions[before]
            if instruction.opcode in ("mov", "add") and instruction.operands[0] == Register(
                register
            ):
                out.add(before)
                if instruction.guard is None:
                    continue
            if before not in seen:
                seen.add(before)
                pending.append(before)
    return out


@settings(max_examples=300)
@given(st.lists(statements, min_size=1, max_size=12))
def test_uses_see_the_definitions_that_reach_them(body: list[tuple[str, object, bool]]) -> None:
    function = program(body)
    flow = control_flow(function)
    ssa = static_single_assignment(function, flow)
    for block in flow.blocks:
        for pc in block.pcs:
            for register, number in ssa.uses[pc].items():
                found: set[int | None] = set()
                seen, pending = {number}, [number]
                while pending:
                    definition = ssa.definitions[pending.pop()]
                    if not definition.phi:
                        found.add(definition.pc)
                    guarded = (
                        definition.pc is not None and function.instructions[definition.pc].guard
                    )
                    old = ssa.uses[definition.pc][register] if guarded else None  # type: ignore[index]
                    for source in definition.inputs if definition.phi else (old,):
                        if source is not None and source not in seen:
                            seen.add(source)
                            pending.append(source)
                reaching = naive_reaching(function, pc, register)
                # A register with one definition in all is taken to be written before it is read.
                writers = {
                    d.pc for d in ssa.definitions if d.register == register and d.pc is not None
                }
                if len(writers) > 1:
                    assert found - {None} == reaching - {None}
                else:
                    assert found - {None} <= writers
