"""A kernel as the machine runs it: basic blocks in the order that reconverges, and liveness.

The machine always runs the earliest waiting block. Blocks are therefore ordered topologically, a
loop's blocks standing together before whatever follows the loop: in structured code lanes that
diverged meet at the immediate post-dominator, in other code earlier (Diamos's thread frontiers).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Function, Instruction, Module, Operand, Symbol
from perflint.sim.computation import CARRY, PURE, inlineable
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.slice import Part, Slice, sliced

EXIT = 1 << 30  #: the program counter of lanes that are done

Ending = Literal[
    "fall", "branch", "exit", "barrier", "warp-barrier", "cluster-barrier", "indirect", "trap"
]
#: Endings at which lanes wait for others.
WAITS = ("barrier", "warp-barrier", "cluster-barrier")


@dataclass(eq=False)
class BasicBlock:
    """Instructions [first, last) of the kernel, and how the block ends.

    `taken` and `other` are block numbers or EXIT. A `branch` goes to `taken` where its guard
    holds. Its last instruction belongs to the block where that is a branch or barrier of its own.
    """

    first: int
    last: int
    ending: Ending
    taken: int = EXIT
    other: int = EXIT
    guard: Operand | None = None  #: the register of a conditional ending
    negated: bool = False
    targets: tuple[int, ...] = ()  #: of an indirect branch
    inputs: tuple[int, ...] = ()  #: register slots read before they are written
    outputs: tuple[int, ...] = ()  #: register slots written and live afterwards
    live: tuple[int, ...] = ()  #: register slots live at the start
    header: bool = False  #: a jump from this block or a later one leads here
    stores: bool = False  #: something in it changes memory that others may look at
    count: int = 0  #: instructions executed per lane
    reduction: tuple[int, str] | None = None  #: slot and operation of a `bar.red`
    function: Callable[..., Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel's blocks in running order; block 0 is the entry."""

    kernel: Function
    blocks: tuple[BasicBlock, ...]
    slots: dict[str, int]  #: register name -> slot; `carry` is the condition code register
    types: tuple[str, ...]  #: PTX type of each slot
    floats: dict[str, str]  #: registers that some instruction reads as f32 or f64, and which
    spaces: Mapping[str, str]  #: of the variables that instructions may name
    slice: Slice | None = None  #: what of it is carried out; None: everything

    def part(self, position: int) -> Part:
        """How much of an instruction is carried out."""
        return Part.WHOLE if self.slice is None else self.slice.parts[position]


def build(kernel: Function, module: Module | None = None, *, slice_only: bool = False) -> Program:
    """Cut a kernel into blocks, order them, and find what each reads and leaves behind.

    The module's variables are those that the kernel does not declare itself. With `slice_only` only
    what decides addresses and branches is carried out (`perflint.sim.slice`).
    """
    raw, edges = _cut(kernel)
    order = ordered(edges)
    number = {old: new for new, old in enumerate(order)}
    number[EXIT] = EXIT
    blocks = []
    for old in order:
        block = raw[old]
        block.taken = number.get(block.taken, EXIT)
        block.other = number.get(block.other, EXIT)
        block.targets = tuple(number[t] for t in block.targets)
        blocks.append(block)
    for index, block in enumerate(blocks):
        for target in successors(block):
            if target <= index:
                blocks[target].header = True
    slots = {name: slot for slot, name in enumerate(kernel.registers)}
    slots[CARRY] = len(slots)
    types = (*kernel.registers.values(), "pred")
    variables = (*(module.variables.values() if module is not None else ()), *kernel.variables)
    spaces = {v.name: v.space for v in variables}
    slice_ = sliced(kernel, spaces) if slice_only else None
    for block in blocks:
        block.stores = any(
            (slice_ is None or slice_.parts[at] is Part.WHOLE)
            and changes_memory(kernel.instructions[at], but=("local", "param"))
            for at in range(block.first, block.last)
        )
    _liveness(kernel, blocks, slots, slice_)
    return Program(kernel, tuple(blocks), slots, types, _floats(kernel), spaces, slice_)


#: Instructions that may change memory whatever their table row says of accesses.
_MOVES = ("mbarrier", "cp", "call", "wgmma", "tcgen05")


def changes_memory(instruction: Instruction, but: Collection[str] = ()) -> bool:
    """Whether an instruction may change memory, but for that of some spaces."""
    return instruction.opcode in _MOVES or any(
        access.kind != "load" and access.space not in but for access in table.accesses(instruction)
    )


def _floats(kernel: Function) -> dict[str, str]:
    """Registers that arithmetic reads as floats: an untyped load of one loads a float."""
    out: dict[str, str] = {}
    for instruction in kernel.instructions:
        types = table.types(instruction)
        if types and types[-1] in ("f32", "f64") and table.cost(instruction) in PURE:
            for name in table.reads(instruction):
                out.setdefault(name, types[-1])
    return out


def successors(block: BasicBlock) -> tuple[int, ...]:
    """The numbers of the blocks that may follow."""
    if block.ending == "indirect":
        return block.targets
    if block.ending == "branch":
        return tuple(t for t in (block.taken, block.other) if t != EXIT)
    goes_on = block.ending in ("fall", *WAITS) and block.other != EXIT
    return (block.other,) if goes_on else ()


def _cut(kernel: Function) -> tuple[list[BasicBlock], list[tuple[int, ...]]]:
    instructions = kernel.instructions
    end = len(instructions)
    starts = {0, *kernel.labels.values()}
    for at, each in enumerate(instructions):
        ends = table.control(each) not in (None, "call") or _waits(each) is not None
        if ends or _guarded_apart(each):
            starts.add(at + 1)
        if _guarded_apart(each):
            starts.add(at)
    cuts = sorted(s for s in starts if s < end) or [0]
    blocks: list[BasicBlock] = []
    entry_of: dict[int, int] = {}
    for begin, stop in zip(cuts, [*cuts[1:], end], strict=True):
        entry_of[begin] = len(blocks)
        if begin < end and _guarded_apart(instructions[begin]):
            guard = instructions[begin].guard
            assert guard is not None
            blocks.append(
                BasicBlock(begin, begin, "branch", guard=guard.register, negated=guard.negated)
            )
        blocks.append(BasicBlock(begin, stop, "fall"))
    for index, block in enumerate(blocks):
        following = entry_of.get(block.last, EXIT)
        if block.ending == "branch":  # the test before a guarded instruction
            block.taken, block.other = index + 1, entry_of.get(block.first + 1, EXIT)
        else:
            _end(kernel, block, following, entry_of)
    return blocks, [successors(block) for block in blocks]


def _waits(instruction: Instruction) -> Ending | None:
    """How a block ends where lanes may have to wait for others of their warp or cluster (PTX ISA
    9.7.13.2, 9.7.13.3); None elsewhere."""
    if instruction.opcode not in ("bar", "barrier"):
        return None
    if instruction.modifiers[:2] == ("cluster", "wait"):
        return "cluster-barrier"
    return "warp-barrier" if instruction.modifiers[:1] == ("warp",) else None


def _guarded_apart(instruction: Instruction) -> bool:
    """Whether a guarded instruction gets a block of its own, with a branch around it."""
    if instruction.guard is None or inlineable(instruction):
        return False
    return table.control(instruction) not in ("branch", "return", "exit")


def _end(kernel: Function, block: BasicBlock, following: int, entry_of: dict[int, int]) -> None:
    """Set the ending and the targets of a block from its last instruction."""
    block.other = following
    block.count = block.last - block.first
    if block.first == block.last:
        return
    final = kernel.instructions[block.last - 1]
    control = table.control(final)
    if control in ("branch", "return", "exit"):
        if control == "branch":
            block.taken = entry_of.get(_position(kernel, final, final.operands[0]), EXIT)
        if final.guard is None:
            block.other = block.taken
            block.ending = "fall" if block.taken != EXIT else "exit"
        else:
            block.ending = "branch"
            block.guard, block.negated = final.guard.register, final.guard.negated
    elif control == "indirect-branch":
        label = final.operands[-1]
        names = kernel.branch_targets.get(label.name, ()) if isinstance(label, Symbol) else ()
        if not names:
            raise _unsupported(final)
        positions = [_position(kernel, final, Symbol(name)) for name in names]
        block.targets = tuple(entry_of.get(position, EXIT) for position in positions)
        block.ending = "indirect"
    elif control == "trap":
        block.ending = "trap"
    elif control == "barrier":
        block.ending = "barrier"
    elif waits := _waits(final):
        block.ending = waits
    elif following == EXIT:
        block.ending = "exit"


def _position(kernel: Function, jump: Instruction, label: Operand) -> int:
    """Where a jump leads. Raises UnsupportedInstructionError where there is no such label."""
    if not isinstance(label, Symbol) or label.name not in kernel.labels:
        raise _unsupported(jump)
    return kernel.labels[label.name]


def _unsupported(instruction: Instruction) -> UnsupportedInstructionError:
    location = instruction.location
    line = location.chain()[-1].line if location is not None else None
    return UnsupportedInstructionError(instruction.name, line, instruction.line)


# --- order ----------------------------------------------------------------------------------------


def ordered(edges: Sequence[tuple[int, ...]]) -> list[int]:
    """The nodes reachable from 0, topologically, each loop's nodes standing together.

    Loops are strongly connected components: their entry comes first, and the rest is ordered the
    same way without the edges back to it (Bourdoncle's weak topological order).
    """
    reachable = _reach(edges)
    out: list[int] = []
    # Work items: a set of nodes with its entry, or a finished node.
    work: list[tuple[set[int], int | None]] = [(reachable, None)]
    while work:
        nodes, entry = work.pop()
        if entry is not None:
            out.append(entry)
            nodes = nodes - {entry}
        if not nodes:
            continue
        pending: list[tuple[set[int], int | None]] = []
        for component in _components(edges, nodes):
            if len(component) == 1:
                pending.append((set(component), component[0]))
            else:
                pending.append((set(component), _entry(edges, component, reachable)))
        work.extend(reversed(pending))
    return out


def _reach(edges: Sequence[tuple[int, ...]]) -> set[int]:
    seen, stack = {0}, [0]
    while stack:
        for target in edges[stack.pop()]:
            if target != EXIT and target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def _entry(edges: Sequence[tuple[int, ...]], component: list[int], reachable: set[int]) -> int:
    """The node through which a loop is entered; of several the first in the text."""
    inside = set(component)
    entered = {t for node in reachable - inside for t in edges[node] if t in inside}
    return min(entered or ({0} & inside) or inside)


def _components(edges: Sequence[tuple[int, ...]], nodes: set[int]) -> list[list[int]]:
    """Strongly connected components of a subgraph in topological order, ties in text order."""
    found = _tarjan(edges, nodes)
    of = {node: index for index, component in enumerate(found) for node in component}
    incoming = [0] * len(found)
    outgoing: list[set[int]] = [set() for _ in found]
    for node in nodes:
        for target in edges[node]:
            if target in of and of[target] != of[node] and of[target] not in outgoing[of[node]]:
                outgoing[of[node]].add(of[target])
                incoming[of[target]] += 1
    ready = [(min(found[i]), i) for i in range(len(found)) if not incoming[i]]
    heapq.heapify(ready)
    out = []
    while ready:
        _, index = heapq.heappop(ready)
        out.append(found[index])
        for target in outgoing[index]:
            incoming[target] -= 1
            if not incoming[target]:
                heapq.heappush(ready, (min(found[target]), target))
    return out


def _tarjan(edges: Sequence[tuple[int, ...]], nodes: set[int]) -> list[list[int]]:
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    out: list[list[int]] = []
    for root in sorted(nodes):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in nodes:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    out.append(component)
    return out


# --- liveness -------------------------------------------------------------------------------------


def _liveness(
    kernel: Function, blocks: list[BasicBlock], slots: dict[str, int], slice_: Slice | None
) -> None:
    """Backward data flow over bit sets of register slots."""
    reads, writes = [], []
    for block in blocks:
        read = written = 0
        for at in range(block.first, block.last):
            used, made = slots_of(kernel.instructions[at], slots)
            if slice_ is not None:
                used = _bits(slice_.reads[at], slots)
                made = made if slice_.parts[at] is Part.WHOLE else 0
            read |= used & ~written
            written |= made
        if block.guard is not None:
            read |= (1 << slots[block.guard.name]) & ~written  # type: ignore[union-attr]
        reads.append(read)
        writes.append(written)
    live = [0] * len(blocks)
    after = [0] * len(blocks)
    changed = True
    while changed:
        changed = False
        for index in range(len(blocks) - 1, -1, -1):
            out = 0
            for target in successors(blocks[index]):
                out |= live[target]
            after[index] = out
            now = reads[index] | (out & ~writes[index])
            if now != live[index]:
                live[index], changed = now, True
    for index, block in enumerate(blocks):
        block.inputs = _members(reads[index])
        block.outputs = _members(writes[index] & after[index])
        block.live = _members(live[index])


def slots_of(instruction: Instruction, slots: dict[str, int]) -> tuple[int, int]:
    """The register slots an instruction reads and writes, as bit sets."""
    used, made = _bits(table.reads(instruction), slots), _bits(table.writes(instruction), slots)
    if instruction.guard is not None and inlineable(instruction):
        used |= made  # lanes that the guard leaves out keep what they had
    carry = table.carry(instruction)
    if "reads" in carry:
        used |= 1 << slots[CARRY]
    if "writes" in carry:
        made |= 1 << slots[CARRY]
    return used, made


def _bits(names: Iterable[str], slots: Mapping[str, int]) -> int:
    out = 0
    for name in names:
        if name in slots:
            out |= 1 << slots[name]
    return out


def _members(bits: int) -> tuple[int, ...]:
    out = []
    while bits:
        lowest = bits & -bits
        out.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(out)
