"""The symbolic trace: beside a concrete run, the condition of each branch as an expression.

The run tells what every instruction computed; what of it depends on scalar arguments or on the
host's array elements is followed as expressions of all threads at once (`expressions`). Where an
operation has no expression, or an address is itself symbolic, the run's value is taken, under the
premise that what it was made of stays: such conditions are counted by reason.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Instruction
from perflint.sim.lanes import Lanes
from perflint.sim.trace import BarrierBatch, BranchBatch, MemoryBatch, ResultBatch, Setting, Tracing
from perflint.symbolic.accesses import Accesses
from perflint.symbolic.computing import computed
from perflint.symbolic.expressions import Expressions, Node, TooDeepError
from perflint.symbolic.followed import Condition, Followed, Inputs
from perflint.symbolic.operands import Operands
from perflint.symbolic.other_lanes import JOINING, everybody, ordered, shuffled, voted
from perflint.symbolic.registers import bits_of
from perflint.symbolic.transfer import InexpressibleError


class SymbolicTrace(Tracing):
    """Follows a launch; `followed` and `expressions` hold what was found."""

    def __init__(self, inputs: Inputs, most_conditions: int = 2048, prefix: int = 24) -> None:
        """At most so many conditions, of each thread the first `prefix`."""
        self._inputs, self._most, self._prefix = inputs, most_conditions, prefix

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._instructions = setting.instructions
        threads = len(setting.blocks) * setting.warps * 32
        self.followed = Followed(threads)
        self._operands = Operands(setting, self.followed)
        self._registers = self._operands.registers
        self._accesses = Accesses(self._operands, self._inputs)
        self._turn = np.zeros(threads, np.int32)
        self._asked = np.zeros(threads, np.int32)  #: conditions of each thread

    @property
    def expressions(self) -> Expressions:
        return self._operands.expressions

    @property
    def _full(self) -> bool:
        """Whether there are as many conditions as are wanted."""
        return len(self.followed.conditions) >= self._most

    # --- events ----------------------------------------------------------------------------------

    def results(self, batch: ResultBatch) -> None:
        instruction = self._instructions[batch.position]
        if batch.guard is not None:
            assert instruction.guard is not None
            self._branch(batch.position, instruction, batch.lanes, batch.guard)
            return
        if self._full:
            return  # nobody would ask for what is made of it
        slots = batch.lanes.slots
        nodes = self._computed(instruction, batch, slots)
        for number, name in enumerate(table.writes(instruction)):
            value = batch.lanes.array(batch.values[number])
            node = nodes[number] if number < len(nodes) else None
            self._registers.write(name, value, slots, node)

    def branch(self, batch: BranchBatch) -> None:
        instruction = self._instructions[batch.position]
        if instruction.guard is None:
            self._turn[batch.lanes.slots] += 1
            self._operands.note(instruction, "an indirect jump")
            return
        self._branch(batch.position, instruction, batch.lanes, batch.way)

    def barrier(self, batch: BarrierBatch) -> None:
        """`bar.red` leaves a result that is not told."""
        at = self._setting.position.get(batch.pc)
        if at is None:
            return
        for name in table.writes(self._instructions[at]):
            self._operands.note(self._instructions[at], "a vote of the block")
            self._registers.forget(name)

    def memory(self, batch: MemoryBatch) -> None:
        position = self._setting.position.get(batch.pc)
        if position is not None:
            self._accesses.request(position, batch, stores=not self._full)

    # --- conditions ------------------------------------------------------------------------------

    def _branch(self, position: int, i: Instruction, lanes: Lanes, way: object) -> None:
        slots, guard = lanes.slots, i.guard
        assert guard is not None
        followed = self.followed
        taken = np.asarray(lanes.array(way)).astype(bool)
        for side in (True, False):
            going = slots[taken == side]
            if len(going):
                edge = followed.edges.setdefault((position, side), np.zeros(followed.threads, bool))
                edge[going] = True
        turn = self._turn[slots]
        self._turn[slots] += 1
        if not self._registers.symbolic(guard.register.name):
            return
        early = self._asked[slots] < self._prefix
        if self._full or not early.any():
            followed.concretised["behind the first conditions"] += 1
            return
        slots, turn, taken = slots[early], turn[early], taken[early]
        self._asked[slots] += 1
        try:
            node = self._registers.node(guard.register.name, slots)
        except TooDeepError:
            followed.concretised["a long expression"] += 1
            return
        if node is None:
            return
        holds = taken ^ guard.negated
        followed.conditions.append(Condition(position, slots, turn, node, holds))

    # --- values ----------------------------------------------------------------------------------

    def _computed(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        """The expressions of what an instruction writes; [] where nothing is symbolic."""
        at, other = self._operands, _OTHER_LANES.get(instruction.opcode)
        is_load = instruction.opcode in ("ld", "ldu")
        if other is None and not is_load and not at.is_symbolic(instruction):
            return []
        try:
            if is_load:
                return self._accesses.load(instruction, batch, slots)
            if other is not None:
                return other(at, instruction, batch, slots)
            return computed(at, instruction, slots)
        except InexpressibleError as error:
            return self._concretised(instruction, batch, slots, str(error))
        except TooDeepError:
            return self._concretised(instruction, batch, slots, "a long expression", keep=False)

    def _concretised(
        self,
        instruction: Instruction,
        batch: ResultBatch,
        slots: np.ndarray,
        reason: str,
        keep: bool = True,
    ) -> list[Node | None]:
        """The values that the run has, as long as the operands have theirs."""
        premises, numbers = [], []
        joins = instruction.opcode in JOINING
        for name in dict.fromkeys(table.reads(instruction)):
            try:
                node = self._registers.node(name, slots)
            except TooDeepError:
                continue
            if node is not None and node.op != "const":
                held = self._registers.numbers(name)
                assert held is not None
                whose = everybody(len(held), slots) if joins else (None,)
                for source in whose:
                    try:
                        premise = node if source is None else self.expressions.gather(node, source)
                    except TooDeepError:  # as deep as can be, and now another lane's
                        continue
                    premises.append(premise)
                    bits = bits_of(held, node.sort)
                    numbers.append(bits.copy() if source is None else bits[source])
        if not premises:
            return []
        self.followed.concretised[reason] += 1
        if not keep:
            return []
        out: list[Node | None] = []
        for name, value in zip(table.writes(instruction), batch.values, strict=True):
            known = self._operands.as_run(batch.lanes, value, self._operands.held(name))
            try:
                out.append(self.expressions.under(known, premises, numbers, reason))
            except TooDeepError:
                out.append(None)
        return out


_OTHER_LANES: dict[
    str, Callable[[Operands, Instruction, ResultBatch, np.ndarray], list[Node | None]]
] = {"shfl": shuffled, "vote": voted, "atom": ordered}
