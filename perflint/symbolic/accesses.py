"""What loads read and stores leave: the host's elements, the kernel's expressions, its arguments.

Global, constant, shared and local memory are followed. A generic address is where the run met it.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Address, Instruction, Register, Symbol, Vector
from perflint.sim.trace import MemoryBatch, ResultBatch
from perflint.sim.unique_values import unique_values
from perflint.symbolic import transfer
from perflint.symbolic.expressions import Node, TooDeepError
from perflint.symbolic.followed import Inputs
from perflint.symbolic.operands import Operands
from perflint.symbolic.registers import bits_of
from perflint.symbolic.shadow_memory import INITIAL, PLAIN, ShadowMemory
from perflint.symbolic.transfer import InexpressibleError

#: The regions of all blocks' shared memory and of all threads' local memory, which begin empty.
_SHARED, _LOCAL = -1, -2
_FARTHEST = 1 << 26  #: bytes of a region that are followed
_SPACES = ("global", "shared", "local", "const")
LOADED_ADDRESS = "a loaded address"


class Accesses:
    """The memory of a run, beside it."""

    def __init__(self, at: Operands, inputs: Inputs) -> None:
        self._at, self._inputs = at, inputs
        self._memory = ShadowMemory()
        self._names = {a.region: a.name for a in at.setting.allocations}
        #: the addresses of the load at hand: by pc, region and offset of each thread
        self._loading: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def request(self, position: int, batch: MemoryBatch, stores: bool) -> None:
        """Requests before they are carried out; what is stored is kept where `stores`."""
        if batch.space not in _SPACES:
            return
        followed, warps = self._at.followed, self._at.setting.warps
        slot = (batch.block.astype(np.int64) * warps + batch.warp)[:, None] * 32
        slots = (slot + np.arange(32))[batch.mask]
        reached = followed.reached.setdefault(position, np.zeros(followed.threads, bool))
        reached[slots] = True
        region, offset = self._places(batch, slots)
        if batch.kind == "load":
            regions, offsets = self._loading.setdefault(batch.pc, self._nowhere())
            regions[slots], offsets[slots] = region, offset
        elif stores:
            self._store(self._at.setting.instructions[position], batch, slots, region, offset)

    # --- places ----------------------------------------------------------------------------------

    def _nowhere(self) -> tuple[np.ndarray, np.ndarray]:
        threads = self._at.followed.threads
        return np.full(threads, -(1 << 30), np.int64), np.zeros(threads, np.int64)

    def _places(self, batch: MemoryBatch, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        region, offset = batch.region[batch.mask].astype(np.int64), batch.offset[batch.mask]
        setting = self._at.setting
        if batch.space == "shared":
            block = slots // (32 * setting.warps)
            return np.full(len(slots), _SHARED), offset + block * setting.shared_bytes
        if batch.space == "local":
            return np.full(len(slots), _LOCAL), offset + slots * setting.local_bytes
        return region, offset

    # --- stores ----------------------------------------------------------------------------------

    def _store(
        self,
        instruction: Instruction,
        batch: MemoryBatch,
        slots: np.ndarray,
        region: np.ndarray,
        offset: np.ndarray,
    ) -> None:
        nodes = self._stored(instruction, slots) if batch.kind == "store" else []
        if batch.kind == "atomic" or instruction.opcode != "st":
            what = "an atomic" if batch.kind == "atomic" else instruction.opcode
            self._at.note(instruction, what)
        size = batch.size // max(1, len(nodes))
        for k, node in enumerate(nodes or [None]):
            for number in unique_values(region).tolist():
                mine = (region == number) & (offset < _FARTHEST)
                self._memory.store(number, offset[mine] + k * size, size, slots[mine], node)

    def _stored(self, instruction: Instruction, slots: np.ndarray) -> list[Node | None]:
        """What a store writes, by vector element, under the premise of its address."""
        if instruction.opcode != "st":
            return []
        value = instruction.operands[1]
        parts = value.elements if isinstance(value, Vector) else (value,)
        ptx_type = table.types(instruction)[-1]
        return [self._part(instruction, part, ptx_type, slots) for part in parts]

    def _part(
        self, instruction: Instruction, part: object, ptx_type: str, slots: np.ndarray
    ) -> Node | None:
        at = self._at
        if not isinstance(part, Register) or not at.registers.symbolic(part.name):
            return None
        try:
            node = at.registers.node(part.name, slots)
            if node is not None and not transfer.is_real(node):
                node = transfer.coerced(at.expressions, node, ptx_type)
            return None if node is None else self._addressed(instruction, node, slots)
        except (InexpressibleError, TooDeepError) as error:
            at.followed.concretised[str(error) or "a long expression"] += 1
            return None

    def _addressed(self, instruction: Instruction, node: Node, slots: np.ndarray) -> Node:
        """A value under the premise that the address stays where it is."""
        address, registers = table.access(instruction), self._at.registers
        base = address.address.base if address is not None else None
        if not isinstance(base, Register) or not registers.symbolic(base.name):
            return node
        where = registers.node(base.name, slots)
        if where is None:
            return node
        numbers = registers.numbers(base.name)
        assert numbers is not None
        self._at.followed.concretised[LOADED_ADDRESS] += 1
        self._at.followed.addressing |= where.arrays
        return self._at.expressions.under(
            node, [where], [bits_of(numbers, where.sort).copy()], LOADED_ADDRESS
        )

    # --- loads -----------------------------------------------------------------------------------

    def load(
        self, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
    ) -> list[Node | None]:
        """The expressions of what a load writes. Raises InexpressibleError and TooDeepError."""
        address = next((o for o in instruction.operands if isinstance(o, Address)), None)
        if table.space(instruction) == "param" and address is not None:
            return self._parameter(instruction, address)
        found = self._loading.pop(instruction.index, None)
        access = table.access(instruction)
        names = table.writes(instruction)
        if found is None or access is None or not names:
            return []
        region, offset = found
        kind = table.types(instruction)[-1]
        targets = instruction.operands[0]
        parts = targets.elements if isinstance(targets, Vector) else (targets,)
        size = access.size // len(parts)
        read: dict[str, Node | None] = {}
        for k, part in enumerate(parts):
            if not isinstance(part, Register):
                continue
            value = batch.values[names.index(part.name)]
            node = self._loaded(batch, region, offset + k * size, size, value)
            if node is not None:
                node = self._at.extended(node, part.name, kind)
                node = self._addressed(instruction, node, slots)
            read[part.name] = node
        return [read.get(name) for name in names]

    def _loaded(
        self, batch: ResultBatch, region: np.ndarray, offset: np.ndarray, size: int, value: object
    ) -> Node | None:
        """What the threads read from memory; None where nothing of it is symbolic."""
        at, slots, e = self._at, batch.lanes.slots, self._at.expressions
        choice = np.zeros(at.followed.threads, np.int16)
        ways: dict[tuple[int, int], Node | None] = {}
        for number in unique_values(region[slots]).tolist():
            mine = slots[region[slots] == number]
            cells = self._memory.load(number, offset[mine], size)
            whats = np.where((cells.what == INITIAL) & (number < 0), PLAIN, cells.what)
            for what in unique_values(whats).tolist():
                these = mine[whats == what]
                choice[these] = len(ways)
                if what == INITIAL:
                    ways[number, what] = self._initial(number, offset, size, these)
                elif what > PLAIN:
                    giver = np.zeros(at.followed.threads, np.int64)
                    giver[these] = cells.giver[whats == what]
                    ways[number, what] = e.gather(self._memory.node(what), giver)
                else:
                    ways[number, what] = None
        found = [node for node in ways.values() if node is not None]
        if not found:
            return None
        sort = found[0].sort
        if any(node.sort != sort for node in found):
            raise InexpressibleError("the bits of a float")
        if len(ways) == 1:
            return found[0]
        numbers = np.array(batch.lanes.array(value))
        plain = at.as_run(batch.lanes, _narrow(numbers, sort), sort)
        return e.pick(choice, [node or plain for node in ways.values()])

    def _initial(
        self, region: int, offset: np.ndarray, size: int, slots: np.ndarray
    ) -> Node | None:
        """The host's elements in an array, an index for each thread."""
        name, followed = self._names.get(region, ""), self._at.followed
        sort = self._inputs.arrays.get(name)
        if sort is None:
            return None
        whole = transfer.width(sort) // 8
        parts = unique_values(offset[slots] % whole)
        part = int(parts[0])  # the bytes of it before those that are read
        if len(parts) > 1 or part + size > whole or (size < whole and sort[0] == "f"):
            followed.concretised["part of an element"] += 1
            return None
        index = np.zeros(followed.threads, np.int64)
        index[slots] = offset[slots] // whole
        step = int(np.gcd.reduce(np.diff(unique_values(index[slots])), initial=0))
        followed.period[name] = gcd(followed.period.get(name, 0), step)
        e = self._at.expressions
        node = e.element(name, index, sort)
        if size == whole:
            return node
        shifted = e.op("shr_u", sort, node, e.const(8 * part, sort)) if part else node
        return e.op("cut", f"b{8 * size}", shifted)

    def _parameter(self, instruction: Instruction, address: Address) -> list[Node | None]:
        base = address.base
        sort = self._inputs.scalars.get(base.name) if isinstance(base, Symbol) else None
        names = table.writes(instruction)
        if sort is None or len(names) != 1:
            return []
        assert isinstance(base, Symbol)
        kind = table.types(instruction)[-1]
        size = transfer.width(transfer.sort_of(kind))
        if address.offset or base.offset or size != transfer.width(sort):
            return []
        node = self._at.expressions.scalar(base.name, sort)
        return [self._at.extended(node, names[0], kind)]


def _narrow(numbers: np.ndarray, sort: str) -> np.ndarray:
    """A register's content as the element that was loaded into it."""
    if sort[0] == "f" or numbers.dtype.itemsize * 8 <= transfer.width(sort):
        return numbers
    return numbers.view(f"u{numbers.dtype.itemsize}").astype(f"u{transfer.width(sort) // 8}")
