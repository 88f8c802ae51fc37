"""The symbolic trace: beside a concrete run, the condition of each branch as an expression.

The run tells what every instruction computed; what of it depends on scalar arguments or on the
host's array elements is followed as expressions of all threads at once (`expressions`). Where an
operation has no expression, or an address is itself symbolic, the run's value is taken, under the
premise that what it was made of stays: such conditions are counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import gcd

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Element,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    SpecialRegister,
    Symbol,
    Vector,
)
from perflint.sim import warpwide
from perflint.sim.lanes import Lanes
from perflint.sim.meaning import meanings_of
from perflint.sim.trace import (
    BarrierBatch,
    BranchBatch,
    MemoryBatch,
    ResultBatch,
    Setting,
    Tracing,
)
from perflint.sim.values import DTYPE, constant
from perflint.stress.guided import transfer
from perflint.stress.guided.expressions import Expressions, Node, TooDeepError
from perflint.stress.guided.registers import Registers, bits_of
from perflint.stress.guided.shadow_memory import INITIAL, PLAIN, ShadowMemory
from perflint.stress.guided.transfer import InexpressibleError

_SHARED = -1  #: the region of all blocks' shared memory
_FARTHEST = 1 << 26  #: bytes of a region that are followed


@dataclass(frozen=True, eq=False)
class Condition:
    """Some threads at a branch whose predicate is symbolic."""

    position: int  #: of the branch, or of the guarded instruction
    slots: np.ndarray  #: (m,) the threads
    turn: np.ndarray  #: (m,) how many branches each came to before
    node: Node  #: the predicate
    holds: np.ndarray  #: (m,) bool, what it was


@dataclass(frozen=True)
class Inputs:
    """What of a launch is input: sorts of arrays' elements by name, of scalars by PTX name."""

    arrays: Mapping[str, str]
    scalars: Mapping[str, str]


@dataclass(eq=False)
class Followed:
    """What a run's symbolic trace found."""

    threads: int  #: slots: 32 a warp, those of partial warps that are no threads included
    conditions: list[Condition] = field(default_factory=list)
    #: values that were taken as the run had them, by reason: instructions carried out
    concretised: Counter[str] = field(default_factory=Counter)
    #: by position of a branch, or guarded instruction, and way: the threads that went it, (n,) bool
    edges: dict[tuple[int, bool], np.ndarray] = field(default_factory=dict)
    #: by position of a memory instruction: the threads that came to it, (n,) bool
    reached: dict[int, np.ndarray] = field(default_factory=dict)
    addressing: set[str] = field(default_factory=set)  #: arrays whose elements addresses hang on
    #: by array: elements of a record, the common step of the threads' indices; 0 where they agree
    period: dict[str, int] = field(default_factory=dict)


class SymbolicTrace(Tracing):
    """Follows a launch; `followed` and `expressions` hold what was found."""

    def __init__(self, inputs: Inputs, most_conditions: int = 2048, prefix: int = 24) -> None:
        """At most so many conditions, of each thread the first `prefix`."""
        self._inputs, self._most, self._prefix = inputs, most_conditions, prefix

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._instructions = setting.instructions
        threads = len(setting.blocks) * setting.warps * 32
        self.expressions = Expressions()
        self.followed = Followed(threads)
        self._registers = Registers(self.expressions, threads)
        self._memory = ShadowMemory()
        self._turn = np.zeros(threads, np.int32)
        self._asked = np.zeros(threads, np.int32)  #: conditions of each thread
        self._names = {a.region: a.name for a in setting.allocations}
        #: the addresses of the load at hand: by pc, region and offset of each thread
        self._at: dict[int, tuple[np.ndarray, np.ndarray]] = {}

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
        names = table.writes(instruction)
        if self._full:
            return  # nobody would ask for what is made of it
        slots = batch.lanes.slots
        nodes = self._computed(instruction, batch, slots)
        for number, name in enumerate(names):
            value = batch.lanes.array(batch.values[number])
            node = nodes[number] if number < len(nodes) else None
            self._registers.write(name, value, slots, node)

    def branch(self, batch: BranchBatch) -> None:
        instruction = self._instructions[batch.position]
        if instruction.guard is None:
            self._turn[batch.lanes.slots] += 1
            if any(self._registers.symbolic(n) for n in table.reads(instruction)):
                self.followed.concretised["an indirect jump"] += 1
            return
        self._branch(batch.position, instruction, batch.lanes, batch.way)

    def barrier(self, batch: BarrierBatch) -> None:
        """`bar.red` leaves a result that is not told."""
        at = self._setting.position.get(batch.pc)
        for name in table.writes(self._instructions[at]) if at is not None else ():
            if any(self._registers.symbolic(n) for n in table.reads(self._instructions[at or 0])):
                self.followed.concretised["a vote of the block"] += 1
            self._registers.forget(name)

    def memory(self, batch: MemoryBatch) -> None:
        position = self._setting.position.get(batch.pc)
        if position is None or batch.space not in ("global", "shared", "const"):
            return
        slot = (batch.block.astype(np.int64) * self._setting.warps + batch.warp)[:, None] * 32
        slots = (slot + np.arange(32))[batch.mask]
        reached = self.followed.reached.setdefault(position, np.zeros(self.followed.threads, bool))
        reached[slots] = True
        region, offset = self._places(batch, slots)
        if batch.kind == "load":
            regions, offsets = self._at.setdefault(batch.pc, self._nowhere())
            regions[slots], offsets[slots] = region, offset
            return
        if self._full:
            return
        instruction = self._instructions[position]
        node = self._stored(instruction, slots) if batch.kind == "store" else []
        width = max(1, len(node))
        if batch.kind == "atomic" or instruction.opcode != "st":
            self._note(instruction, "an atomic" if batch.kind == "atomic" else instruction.opcode)
        size = batch.size // width
        for k in range(width):
            each = node[k] if node else None
            for number in np.unique(region).tolist():
                mine = (region == number) & (offset < _FARTHEST)
                self._memory.store(number, offset[mine] + k * size, size, slots[mine], each)

    # --- places ----------------------------------------------------------------------------------

    def _nowhere(self) -> tuple[np.ndarray, np.ndarray]:
        threads = self.followed.threads
        return np.full(threads, -(1 << 30), np.int64), np.zeros(threads, np.int64)

    def _places(self, batch: MemoryBatch, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        region, offset = batch.region[batch.mask].astype(np.int64), batch.offset[batch.mask]
        if batch.space == "shared":
            block = slots // (32 * self._setting.warps)
            return np.full(len(slots), _SHARED), offset + block * self._setting.shared_bytes
        return region, offset

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
        special = _SPECIAL.get(instruction.opcode)
        symbolic = any(self._registers.symbolic(n) for n in table.reads(instruction))
        if special is None and not symbolic:
            return []
        try:
            if special is not None:
                return special(self, instruction, batch, slots)
            return self._pure(instruction, batch, slots)
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
        for name in dict.fromkeys(table.reads(instruction)):
            try:
                node = self._registers.node(name, slots)
            except TooDeepError:
                continue
            if node is not None and node.op != "const":
                held = self._registers.numbers(name)
                assert held is not None
                premises.append(node)
                numbers.append(bits_of(held, node.sort).copy())
        if not premises:
            return []
        self.followed.concretised[reason] += 1
        if not keep:
            return []
        out: list[Node | None] = []
        for name, value in zip(table.writes(instruction), batch.values, strict=True):
            sort = _held(self._setting.program.kernel.registers.get(name, "b32"))
            known = self.expressions.const(self._everyone(batch.lanes, value, sort), sort)
            try:
                out.append(self.expressions.under(known, premises, numbers, reason))
            except TooDeepError:
                out.append(None)
        return out

    def _everyone(self, lanes: Lanes, value: object, sort: str) -> np.ndarray:
        """A value of some threads as one of all, (n,)."""
        numbers = bits_of(np.array(lanes.array(value)), sort)
        whole = np.zeros(self.followed.threads, numbers.dtype)
        whole[lanes.slots] = numbers
        return whole

    def _pure(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        first, *sources = instruction.operands
        if instruction.opcode in transfer.MOVES and instruction.opcode != "selp":
            return self._moved(instruction, slots)
        if instruction.opcode == "lop3":
            sources = [*sources[:3], *sources[4:]]
        found = meanings_of(instruction)
        if not found:
            raise InexpressibleError(instruction.opcode)
        types = found[0].sources[: len(sources)]
        if instruction.opcode == "selp":
            raw = [self._raw(s, slots, t) for s, t in zip(sources, types, strict=True)]
            args = _alike(self.expressions, raw, types)
        else:
            args = [self._typed(s, slots, t) for s, t in zip(sources, types, strict=True)]
        node = transfer.result(self.expressions, instruction, types, args)
        node = self._in_register(node, first, instruction, found[0].results[0])
        node = self._guarded(instruction, first, node, slots)
        if isinstance(first, Pair) and len(table.writes(instruction)) == 2:
            if instruction.opcode != "setp" or len(args) > 2:
                raise InexpressibleError(f"{instruction.opcode} of two results")
            return [node, transfer.negated(self.expressions, node)]
        return [node]

    def _guarded(self, i: Instruction, target: Operand, node: Node, slots: np.ndarray) -> Node:
        """What a guarded instruction that is carried out by all leaves in its register."""
        if i.guard is None or not isinstance(target, Register):
            return node
        e = self.expressions
        old = self._raw(target, slots, node.sort if node.sort != "p" else "pred")
        guard = self._typed(i.guard.register, slots, "pred")
        if i.guard.negated:
            guard = transfer.negated(e, guard)
        if old.sort != node.sort:
            raise InexpressibleError("the bits of a float")
        return e.op("ite", node.sort, guard, node, old)

    def _in_register(self, node: Node, target: Operand, i: Instruction, ptx_type: str) -> Node:
        """A result as its register holds it: extended where that is wider."""
        name = (
            target.first.name
            if isinstance(target, Pair) and isinstance(target.first, Register)
            else (target.name if isinstance(target, Register) else "")
        )
        held = _held(self._setting.program.kernel.registers.get(name, ptx_type))
        if (
            node.sort[0] == "b"
            and held[0] == "b"
            and transfer.width(held) != transfer.width(node.sort)
        ):
            return transfer.coerced(self.expressions, node, held, signed=ptx_type[0] == "s")
        return node

    def _moved(self, instruction: Instruction, slots: np.ndarray) -> list[Node | None]:
        target, source = instruction.operands
        if isinstance(target, Vector) or isinstance(source, Vector):
            if isinstance(target, Vector) and isinstance(source, Vector):
                raise InexpressibleError("a vector")
            return self._parts(target, source, slots)
        return [self._raw(source, slots, table.types(instruction)[-1])]

    def _parts(self, target: Operand, source: Operand, slots: np.ndarray) -> list[Node | None]:
        """`mov.b64 {a, b}, c` and `mov.b64 c, {a, b}`."""
        e = self.expressions
        if isinstance(target, Vector):
            parts = [t for t in target.elements if isinstance(t, Register)]
            if len(parts) != len(target.elements):
                raise InexpressibleError("a vector")
            whole = self._raw(source, slots, "b64")
            if whole.sort[0] != "b":
                raise InexpressibleError("the bits of a float")
            piece = transfer.width(whole.sort) // len(parts)
            out: list[Node | None] = []
            for k in range(len(parts)):
                amount = e.const(k * piece, whole.sort)
                out.append(e.op("cut", f"b{piece}", e.op("shr_u", whole.sort, whole, amount)))
            return out
        assert isinstance(source, Vector)
        bits = 64 // len(source.elements)
        pieces = [self._typed(s, slots, f"b{bits}") for s in source.elements]
        sort = f"b{bits * len(pieces)}"
        total = e.op("zext", sort, pieces[0])
        for k, each in enumerate(pieces[1:], 1):
            high = e.op("shl", sort, e.op("zext", sort, each), e.const(k * bits, sort))
            total = e.op("or", sort, total, high)
        return [total]

    # --- operands --------------------------------------------------------------------------------

    def _typed(self, operand: Operand, slots: np.ndarray, ptx_type: str) -> Node:
        node = self._raw(operand, slots, ptx_type)
        return transfer.coerced(self.expressions, node, ptx_type)

    def _raw(self, operand: Operand, slots: np.ndarray, ptx_type: str) -> Node:
        """An operand as it is held; plain numbers as the type wants them."""
        sort = ptx_type if ptx_type == "p" else transfer.sort_of(ptx_type)
        e = self.expressions
        match operand:
            case Register(name):
                node = self._registers.node(name, slots)
                if node is not None:
                    return node
                numbers = self._registers.numbers(name)
                if numbers is None:
                    raise InexpressibleError("a value that is not told")
                return e.const(_shared_by_all(bits_of(numbers, sort), slots), sort)
            case Not(register):
                return transfer.negated(e, self._raw(register, slots, "pred"))
            case Immediate(bits, kind):
                value = constant(bits, kind, DTYPE[ptx_type if sort != "p" else "pred"])
                return e.const(bits_of(np.array(value), sort).reshape(-1)[0], sort)
            case SpecialRegister("WARP_SZ"):
                return e.const(32, sort)
        if isinstance(operand, Symbol):
            raise InexpressibleError("an address")
        part = isinstance(operand, Element)
        raise InexpressibleError("part of a register" if part else "a special register")

    def _note(self, instruction: Instruction, reason: str) -> None:
        if any(self._registers.symbolic(n) for n in table.reads(instruction)):
            self.followed.concretised[reason] += 1

    # --- memory ----------------------------------------------------------------------------------

    def _stored(self, instruction: Instruction, slots: np.ndarray) -> list[Node | None]:
        """What a store writes, by vector element, under the premise of its address."""
        if instruction.opcode != "st":
            return []
        value = instruction.operands[1]
        parts = value.elements if isinstance(value, Vector) else (value,)
        ptx_type = table.types(instruction)[-1]
        out: list[Node | None] = []
        for part in parts:
            node: Node | None = None
            if isinstance(part, Register) and self._registers.symbolic(part.name):
                try:
                    node = self._registers.node(part.name, slots)
                    if node is not None and not transfer.is_real(node):
                        node = transfer.coerced(self.expressions, node, ptx_type)
                    if node is not None:
                        node = self._addressed(instruction, node, slots)
                except (InexpressibleError, TooDeepError) as error:
                    self.followed.concretised[str(error) or "a long expression"] += 1
                    node = None
            out.append(node)
        return out

    def _addressed(self, instruction: Instruction, node: Node, slots: np.ndarray) -> Node:
        """A value under the premise that the address stays where it is."""
        address = table.access(instruction)
        base = address.address.base if address is not None else None
        if not isinstance(base, Register) or not self._registers.symbolic(base.name):
            return node
        where = self._registers.node(base.name, slots)
        if where is None:
            return node
        held = self._registers.numbers(base.name)
        assert held is not None
        self.followed.concretised["a loaded address"] += 1
        self.followed.addressing |= where.arrays
        return self.expressions.under(
            node, [where], [bits_of(held, where.sort).copy()], "a loaded address"
        )

    def load(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        address = next((o for o in instruction.operands if isinstance(o, Address)), None)
        if table.space(instruction) == "param" and address is not None:
            return self._parameter(instruction, address)
        at = self._at.pop(instruction.index, None)
        if at is None:
            return []
        region, offset = at
        kind = table.types(instruction)[-1]
        access = table.access(instruction)
        names = table.writes(instruction)
        if access is None or not names:
            return []
        targets = instruction.operands[0]
        parts = targets.elements if isinstance(targets, Vector) else (targets,)
        size = access.size // len(parts)
        found: dict[str, Node | None] = {}
        for k, part in enumerate(parts):
            if not isinstance(part, Register):
                continue
            value = batch.values[names.index(part.name)]
            node = self._loaded(batch, region, offset + k * size, size, value)
            if node is not None:
                node = self._extended(node, kind, part.name)
                node = self._addressed(instruction, node, slots)
            found[part.name] = node
        return [found.get(name) for name in names]

    def _extended(self, node: Node, kind: str, name: str) -> Node:
        held = _held(self._setting.program.kernel.registers.get(name, kind))
        if node.sort[0] != "b" or held[0] != "b":
            return node
        return transfer.coerced(self.expressions, node, held, signed=kind[0] == "s")

    def _loaded(
        self, batch: ResultBatch, region: np.ndarray, offset: np.ndarray, size: int, value: object
    ) -> Node | None:
        """What the threads read from memory; None where nothing of it is symbolic."""
        slots, e = batch.lanes.slots, self.expressions
        choice = np.zeros(self.followed.threads, np.int16)
        ways: dict[tuple[int, int], Node | None] = {}
        order: list[tuple[int, int]] = []
        sort = f"b{8 * size}"
        for number in np.unique(region[slots]).tolist():
            mine = slots[region[slots] == number]
            cells = self._memory.load(number, offset[mine], size)
            whats = np.where((cells.what == INITIAL) & (number < 0), PLAIN, cells.what)
            for what in np.unique(whats).tolist():
                these = mine[whats == what]
                key = (number, what)
                order.append(key)
                choice[these] = len(order) - 1
                if what == INITIAL:
                    ways[key] = self._initial(number, offset, size, these)
                elif what > PLAIN:
                    giver = np.zeros(self.followed.threads, np.int64)
                    giver[these] = cells.giver[whats == what]
                    ways[key] = e.gather(self._memory.node(what), giver)
                else:
                    ways[key] = None
        found = [node for node in ways.values() if node is not None]
        if not found:
            return None
        sort = found[0].sort
        if any(node.sort != sort for node in found):
            raise InexpressibleError("the bits of a float")
        if len(order) == 1:
            return found[0]
        numbers = np.array(batch.lanes.array(value))
        plain = e.const(self._everyone(batch.lanes, _narrow(numbers, sort), sort), sort)
        return e.pick(choice, [ways[key] or plain for key in order])

    def _initial(
        self, region: int, offset: np.ndarray, size: int, slots: np.ndarray
    ) -> Node | None:
        """The host's elements in an array, an index for each thread."""
        name = self._names.get(region, "")
        sort = self._inputs.arrays.get(name)
        if sort is None:
            return None
        if transfer.width(sort) != 8 * size or (offset[slots] % size).any():
            self.followed.concretised["part of an element"] += 1
            return None
        index = np.zeros(self.followed.threads, np.int64)
        index[slots] = offset[slots] // size
        step = int(np.gcd.reduce(np.diff(np.unique(index[slots])), initial=0))
        self.followed.period[name] = gcd(self.followed.period.get(name, 0), step)
        return self.expressions.element(name, index, sort)

    def _parameter(self, instruction: Instruction, address: Address) -> list[Node | None]:
        base = address.base
        sort = self._inputs.scalars.get(base.name) if isinstance(base, Symbol) else None
        if sort is None or len(table.writes(instruction)) != 1:
            return []
        assert isinstance(base, Symbol)
        size = transfer.width(transfer.sort_of(table.types(instruction)[-1]))
        if address.offset or base.offset or size != transfer.width(sort):
            return []
        kind = table.types(instruction)[-1]
        node = self.expressions.scalar(base.name, sort)
        return [self._extended(node, kind, table.writes(instruction)[0])]

    # --- other lanes -----------------------------------------------------------------------------

    def shuffle(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        """`shfl`: the source thread of each thread is what the shuffle makes of their numbers."""
        operands = instruction.operands
        node = None
        if isinstance(operands[1], Register) and self._registers.symbolic(operands[1].name):
            node = self._registers.node(operands[1].name, slots)
        if node is None:
            return []
        lanes = batch.lanes
        mode = next(m for m in instruction.modifiers if m in ("up", "down", "bfly", "idx"))
        words = [self._plain(o, lanes) for o in operands[2:]]
        members = words[2] if len(words) > 2 else np.uint32(0xFFFFFFFF)
        source, _ = warpwide.shuffle(lanes, mode, lanes.slots, words[0], words[1], members)
        whole = np.arange(self.followed.threads)
        whole[lanes.slots] = source
        found: list[Node | None] = [self.expressions.gather(node, whole)]
        return [*found, None][: len(table.writes(instruction))]

    def _plain(self, operand: Operand, lanes: Lanes) -> np.ndarray:
        if isinstance(operand, Immediate):
            return np.array(operand.bits & 0xFFFFFFFF, np.uint32)
        if isinstance(operand, Register) and not self._registers.symbolic(operand.name):
            numbers = self._registers.numbers(operand.name)
            if numbers is not None:
                return bits_of(numbers[lanes.slots], "b32")
        raise InexpressibleError("a shuffle from a symbolic lane")

    def ordered(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        """An atomic's result hangs on the order of the threads: it is what the run has."""
        if not table.writes(instruction):
            return []
        sort = _held(self._setting.program.kernel.registers[table.writes(instruction)[0]])
        known = self.expressions.const(self._everyone(batch.lanes, batch.values[0], sort), sort)
        return [self.expressions.under(known, (), (), "an atomic's result")]


_SPECIAL: dict[
    str, Callable[[SymbolicTrace, Instruction, ResultBatch, np.ndarray], list[Node | None]]
] = {
    "ld": SymbolicTrace.load,
    "ldu": SymbolicTrace.load,
    "shfl": SymbolicTrace.shuffle,
    "atom": SymbolicTrace.ordered,
}


def _held(declared: str) -> str:
    """The sort of what a register holds."""
    return transfer.sort_of(declared) if declared != "pred" else "p"


def _alike(e: Expressions, raw: list[Node], types: tuple[str, ...]) -> list[Node]:
    """The operands of a selection: both as floats where one is."""
    real = next((n.sort for n in raw[:2] if transfer.is_real(n)), None)
    out: list[Node] = []
    for node, ptx_type in zip(raw, types, strict=True):
        if real is not None and len(out) < 2 and node.op == "const" and node.sort != real:
            bits = np.asarray(node.data, f"u{transfer.width(node.sort) // 8}")
            out.append(e.const(_one(bits_of(bits, real)), real))
        elif real is not None and len(out) < 2:
            out.append(node)
        else:
            out.append(transfer.coerced(e, node, ptx_type))
    return out


def _one(numbers: np.ndarray) -> object:
    return numbers.reshape(-1)[0] if numbers.ndim == 0 else numbers


def _narrow(numbers: np.ndarray, sort: str) -> np.ndarray:
    """A register's content as the element that was loaded into it."""
    if sort[0] == "f" or numbers.dtype.itemsize * 8 <= transfer.width(sort):
        return numbers
    return numbers.view(f"u{numbers.dtype.itemsize}").astype(f"u{transfer.width(sort) // 8}")


def _shared_by_all(numbers: np.ndarray, slots: np.ndarray) -> object:
    """One number where all threads here have the same."""
    some = numbers[slots]
    return some[0] if len(some) and (some == some[0]).all() else numbers.copy()
