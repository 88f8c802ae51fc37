"""Control flow: basic blocks, dominators, post-dominators, natural loops, control dependence.

Blocks are numbered in reverse post-order from the entry, so that block 0 is the entry and an edge
to a lower or equal number is a retreating one. Code that no path reaches has no block. An edge that
is only taken to `trap` (a failed assertion) is left out of the post-dominance relation: nobody
wants to hear that all a kernel does after `assert(x)` depends on `x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from perflint.base.records import dataclass
from perflint.grammar.dominance import EXIT, dominators, post_dominance, reverse_post_order
from perflint.grammar.model import Function, Instruction, Symbol

#: Instructions after which the next one does not run, unless they are guarded.
_LEAVING = ("ret", "exit", "trap", "brx", "bra")


#: How many loops a block may stand in on average. In 552 real kernels it was at most 1.5; what is
#: so far beyond that was made to take for ever.
_MAX_NESTING = 32


@dataclass(frozen=True)
class Block:
    """A basic block: the instructions `start` up to, not including, `end`."""

    number: int
    start: int
    end: int

    @property
    def pcs(self) -> range:
        return range(self.start, self.end)


@dataclass(frozen=True)
class Loop:
    """A natural loop, or a cycle with several entries (then `header` is its first block)."""

    header: int
    latches: frozenset[int]  #: blocks of the loop with an edge to the header
    body: frozenset[int]  #: all its blocks, the header and those of inner loops included
    exits: tuple[int, ...]  #: its blocks with an edge out of it, ascending
    parent: int | None  #: the header of the loop around it
    depth: int  #: 1 for an outermost loop
    reducible: bool = True


@dataclass(frozen=True, eq=False)
class ControlFlow:
    """A function's control-flow graph and what follows from its shape."""

    blocks: tuple[Block, ...]
    block_of: tuple[int | None, ...]  #: by instruction index; None: unreachable
    immediate_dominator: tuple[int, ...]  #: by block; the entry's is itself
    immediate_post_dominator: tuple[int, ...]  #: by block; EXIT for the last
    loops: dict[int, Loop]  #: by header
    innermost: tuple[int | None, ...]  #: by block: the header of the innermost loop around it
    controllers: tuple[frozenset[int], ...]  #: by block: the branching blocks it depends on
    predecessors: tuple[tuple[int, ...], ...]
    successors: tuple[tuple[int, ...], ...]

    @cached_property
    def _dominated(self) -> list[tuple[int, int]]:
        """By block: when a walk over the dominator tree enters it, and the last entry below it."""
        children: list[list[int]] = [[] for _ in self.blocks]
        for block in range(1, len(self.blocks)):
            children[self.immediate_dominator[block]].append(block)
        entered = [0] * len(self.blocks)
        order: list[int] = []
        pending = [0]
        while pending:
            block = pending.pop()
            entered[block] = len(order)
            order.append(block)
            pending.extend(children[block])
        last = list(entered)
        for block in reversed(order[1:]):
            parent = self.immediate_dominator[block]
            last[parent] = max(last[parent], last[block])
        return list(zip(entered, last, strict=True))

    def dominates(self, a: int, b: int) -> bool:
        """Whether every path from the entry to `b` passes `a`."""
        entered, last = self._dominated[a]
        return entered <= self._dominated[b][0] <= last

    def loops_around(self, block: int) -> Iterable[Loop]:
        """The loops that contain `block`, innermost first."""
        header = self.innermost[block]
        while header is not None:
            loop = self.loops[header]
            yield loop
            header = loop.parent

    def depth(self, block: int) -> int:
        header = self.innermost[block]
        return 0 if header is None else self.loops[header].depth


def control_flow(function: Function) -> ControlFlow:
    """The control-flow graph of a function with at least one instruction.

    Raises ValueError if it has none, or if a branch's label is not the function's.
    """
    if not function.instructions:
        raise ValueError(f"{function.name} has no instructions")
    starts, edges, leaving, traps = _raw_blocks(function)
    order = reverse_post_order(edges, 0)
    number = {raw: n for n, raw in enumerate(order)}
    ends = [*starts[1:], len(function.instructions)]
    blocks = tuple(Block(n, starts[raw], ends[raw]) for n, raw in enumerate(order))
    successors = tuple(tuple(number[s] for s in edges[raw]) for raw in order)
    block_of: list[int | None] = [None] * len(function.instructions)
    predecessors: list[list[int]] = [[] for _ in blocks]
    for block in blocks:
        block_of[block.start : block.end] = [block.number] * (block.end - block.start)
        for successor in successors[block.number]:
            predecessors[successor].append(block.number)
    idom = dominators(successors, 0)
    loops = _loops(successors, predecessors, idom)
    ipdom, controllers = post_dominance(
        [
            (*targets, EXIT) if raw in leaving else targets
            for raw, targets in zip(order, successors, strict=True)
        ],
        frozenset(number[t] for t in traps if t in number),
    )
    return ControlFlow(
        blocks=blocks,
        block_of=tuple(block_of),
        immediate_dominator=tuple(idom[b] for b in range(len(blocks))),
        immediate_post_dominator=ipdom,
        loops=loops,
        innermost=_innermost(len(blocks), loops),
        controllers=controllers,
        predecessors=tuple(tuple(p) for p in predecessors),
        successors=successors,
    )


def falls_through(instruction: Instruction) -> bool:
    """Whether the next instruction may run after this one."""
    return instruction.guard is not None or instruction.opcode not in _LEAVING


def _targets(function: Function, instruction: Instruction) -> tuple[str, ...]:
    if instruction.opcode == "bra":
        return tuple(o.name for o in instruction.operands if isinstance(o, Symbol))
    if instruction.opcode == "brx":
        names: list[str] = []
        for operand in instruction.operands:
            if isinstance(operand, Symbol):
                names.extend(function.branch_targets.get(operand.name, ()))
        return tuple(names)
    return ()


def _raw_blocks(
    function: Function,
) -> tuple[list[int], list[tuple[int, ...]], set[int], set[int]]:
    """Block starts in text order, edges, blocks that may leave, blocks that end in `trap`."""
    instructions, labels = function.instructions, function.labels
    count = len(instructions)
    leaders = {0}
    for pc, instruction in enumerate(instructions):
        if instruction.opcode in _LEAVING:
            leaders.add(pc + 1)
            for name in _targets(function, instruction):
                if name not in labels:
                    raise ValueError(f"{function.name}: branch to {name}, which is not its label")
                leaders.add(labels[name])
    leaders = {pc for pc in leaders if pc < count}
    starts = sorted(leaders)
    index = {pc: b for b, pc in enumerate(starts)}
    edges: list[tuple[int, ...]] = []
    leaving: set[int] = set()
    traps: set[int] = set()
    for b in range(len(starts)):
        end = starts[b + 1] if b + 1 < len(starts) else count
        last = instructions[end - 1]
        # A label may stand behind the last instruction: branching there leaves the function.
        after = [labels[name] for name in _targets(function, last)]
        if falls_through(last):
            after.insert(0, end)
        edges.append(tuple(dict.fromkeys(index[pc] for pc in after if pc < count)))
        if last.opcode in ("ret", "exit") or any(pc >= count for pc in after):
            leaving.add(b)
        if last.opcode == "trap" and last.guard is None:
            traps.add(b)
    return starts, edges, leaving, traps


def _loops(
    successors: Sequence[Sequence[int]],
    predecessors: Sequence[Sequence[int]],
    idom: dict[int, int],
) -> dict[int, Loop]:
    """Every target of a retreating edge, with the blocks that reach its latches without it."""

    def dominates(a: int, b: int) -> bool:
        while b > a:
            b = idom[b]
        return a == b

    latches: dict[int, set[int]] = {}
    for block, targets in enumerate(successors):
        for target in targets:
            if target <= block:
                latches.setdefault(target, set()).add(block)
    bodies: dict[int, frozenset[int]] = {}
    room = _MAX_NESTING * len(successors)
    for header, ends in latches.items():
        body = {header}
        stack = list(ends)
        while stack:
            block = stack.pop()
            # A block numbered below the header enters an irreducible cycle from outside.
            if block not in body and block > header:
                body.add(block)
                stack.extend(predecessors[block])
        bodies[header] = frozenset(body)
        room -= len(body)
        if room < 0:
            raise ValueError(
                f"loops are nested or tangled more than {_MAX_NESTING} deep on average"
            )
    parents: dict[int, int | None] = {}
    depths: dict[int, int] = {}
    for header in sorted(bodies):
        parent = parents[header] = _smallest_around(header, bodies)
        depths[header] = 1 if parent is None else 1 + depths[parent]
    return {
        header: Loop(
            header=header,
            latches=frozenset(latches[header]),
            body=body,
            exits=tuple(b for b in sorted(body) if any(s not in body for s in successors[b])),
            parent=parents[header],
            depth=depths[header],
            reducible=all(dominates(header, latch) for latch in latches[header]),
        )
        for header, body in sorted(bodies.items())
    }


def _smallest_around(header: int, bodies: dict[int, frozenset[int]]) -> int | None:
    around = [h for h, body in bodies.items() if h < header and header in body]
    return min(around, key=lambda h: (len(bodies[h]), -h), default=None)


def _innermost(count: int, loops: dict[int, Loop]) -> tuple[int | None, ...]:
    out: list[int | None] = [None] * count
    for loop in sorted(loops.values(), key=lambda loop: loop.depth):
        for block in loop.body:
            out[block] = loop.header
    return tuple(out)
