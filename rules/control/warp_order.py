"""Which loads from shared memory may find a store of their warp that nothing orders before them."""

from __future__ import annotations

from collections import deque

from perflint.analysis.cfg import control_flow
from perflint.analysis.model import AccessSite, KernelFacts
from perflint.grammar.model import Instruction

#: What orders the lanes of a warp, or is taken to: calls may do so in what they call.
_ORDERS = frozenset({"bar", "barrier", "call", "fence", "mbarrier", "membar"})

#: Blocks times stores beyond which nothing is said: real kernels have a hundredth of it.
_MOST = 1_000_000

Pair = tuple[int, int]  #: a load and a store before it (pcs)


def unordered_pairs(facts: KernelFacts) -> frozenset[Pair]:
    """Loads and stores of shared memory with a path between them on which no lane waits.

    A load from where its own lane alone stored is none.
    """
    stores, loads = _sites(facts, "store", "st"), _sites(facts, "load", "ld")
    if not stores or not loads:
        return frozenset()
    flow = control_flow(facts.kernel)
    if len(flow.blocks) * len(stores) > _MOST:
        return frozenset()
    instructions = facts.kernel.instructions
    before: list[frozenset[int]] = [frozenset()] * len(flow.blocks)
    behind = list(before)
    pending = deque(range(len(flow.blocks)))
    while pending:
        number = pending.popleft()
        block = flow.blocks[number]
        before[number] = frozenset().union(*(behind[p] for p in flow.predecessors[number]))
        out = _behind(instructions, block.pcs, before[number], stores)
        if out != behind[number]:
            behind[number] = out
            pending.extend(s for s in flow.successors[number] if s not in pending)
    found: set[Pair] = set()
    for block in flow.blocks:
        reaching = before[block.number]
        for pc in block.pcs:
            if pc in loads:
                found |= {(pc, s) for s in reaching if stores[s] != loads[pc] or stores[s] is None}
            reaching = _behind(instructions, range(pc, pc + 1), reaching, stores)
    return frozenset(found)


def _sites(facts: KernelFacts, kind: str, opcode: str) -> dict[int, object]:
    """The plain loads or stores of shared memory, by pc: the address, if each lane has its own."""
    instructions = facts.kernel.instructions
    return {
        pc: address if _differs(facts, site) else None
        for site in facts.sites
        if site.kind == kind and site.space in ("shared", "generic")
        for pc, address in zip(site.pcs, site.addresses, strict=True)
        if instructions[pc].opcode == opcode
    }


def _differs(facts: KernelFacts, site: AccessSite) -> bool:
    """Whether neighbours along each axis that the kernel knows of have different addresses."""
    strides = [site.strides.get(axis) for axis in "xyz" if f"%tid.{axis}" in facts.reads]
    return all(each is not None and each.constant != 0 for each in strides)


def _behind(
    instructions: tuple[Instruction, ...],
    pcs: range,
    before: frozenset[int],
    stores: dict[int, object],
) -> frozenset[int]:
    """The stores that nothing orders any more behind some instructions."""
    out = set(before)
    for pc in pcs:
        each = instructions[pc]
        if each.opcode in _ORDERS or "sync" in each.modifiers:
            out.clear()
        elif pc in stores:
            out.add(pc)
    return frozenset(out)
