"""Branches with what runs on each way out, and the loops of a kernel."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.analysis.addresses import Addresses
from perflint.analysis.cfg import ControlFlow
from perflint.analysis.model import Branch, LoopFacts
from perflint.analysis.nests import last_turn
from perflint.analysis.symbols import LANES, LOADED
from perflint.analysis.uniformity import Dependence
from perflint.grammar.model import Function, Location


def branches(kernel: Function, addresses: Addresses, dependence: Dependence) -> tuple[Branch, ...]:
    """Every conditional or indexed jump, in the order of the text."""
    out, flow = [], addresses.flow
    for block in flow.blocks:
        if len(flow.successors[block.number]) < 2:
            continue
        pc = block.end - 1
        depends = dependence.of_branch(block.number)
        out.append(
            Branch(
                pc=pc,
                location=_location(kernel, block.pcs),
                uniform=not depends & LANES,
                data_dependent=bool(depends & LOADED),
                arms=_arms(flow, block.number),
                leaves_loop=any(block.number in loop.exits for loop in flow.loops.values()),
                condition=addresses.condition(block.number),
                outside=_outside(flow, block.number),
            )
        )
    return tuple(sorted(out, key=lambda b: b.pc))


def _location(kernel: Function, pcs: range) -> Location | None:
    """Where a jump stands in the source; the comparison before it, if it has no place itself."""
    for pc in reversed(pcs):
        location = kernel.instructions[pc].location
        if location is not None and location.line > 0:
            return location
    return None


def _arms(flow: ControlFlow, branch: int) -> tuple[tuple[int, ...], ...]:
    """By way out: the instructions that run on this way only, before the ways meet again."""
    meet = flow.immediate_post_dominator[branch]
    reached = [_until(flow, start, meet) for start in flow.successors[branch]]
    out = []
    for i, own in enumerate(reached):
        others = set().union(*(r for j, r in enumerate(reached) if j != i))
        pcs = (pc for b in sorted(own - others) for pc in flow.blocks[b].pcs)
        out.append(tuple(sorted(pcs)))
    return tuple(out)


def _outside(flow: ControlFlow, branch: int) -> tuple[int, ...]:
    """The instructions that only those run which leave a loop here, behind it."""
    meet = flow.immediate_post_dominator[branch]
    left = [loop.body for loop in flow.loops.values() if branch in loop.exits]
    ways = [s for s in flow.successors[branch] if any(s not in body for body in left)]
    blocks = set[int]().union(*(_until(flow, start, meet) for start in ways))
    return tuple(sorted(_pcs(flow, (b for b in blocks if all(b not in body for body in left)))))


def _until(flow: ControlFlow, start: int, end: int) -> set[int]:
    """The blocks that are reached from `start` without passing `end`."""
    seen: set[int] = set()
    pending = [start]
    while pending:
        block = pending.pop()
        if block != end and block not in seen:
            seen.add(block)
            pending.extend(flow.successors[block])
    return seen


def loops(kernel: Function, addresses: Addresses, dependence: Dependence) -> tuple[LoopFacts, ...]:
    """Every loop of a kernel, outer ones before those inside."""
    flow = addresses.flow
    return tuple(
        LoopFacts(
            header=flow.blocks[loop.header].start,
            location=_location(kernel, flow.blocks[loop.header].pcs),
            pcs=tuple(sorted(_pcs(flow, loop.body))),
            depth=loop.depth,
            last=last_turn(addresses, loop.header),
            uniform=not dependence.of_leaving(loop.header) & LANES,
            data_dependent=bool(dependence.of_leaving(loop.header) & LOADED),
            lanes=_lanes(dependence, _pcs(flow, loop.body)),
            entries=tuple(
                flow.blocks[block].end - 1
                for block in flow.predecessors[loop.header]
                if block not in loop.body
            ),
        )
        for loop in sorted(flow.loops.values(), key=lambda each: (each.depth, each.header))
    )


def _lanes(dependence: Dependence, pcs: Iterable[int]) -> int:
    """What is a thread's own in any value that some instructions read or make."""
    ssa, out = dependence.ssa, 0
    for pc in pcs:
        for definition in (*ssa.uses[pc].values(), *ssa.defined[pc].values()):
            out |= dependence.values[definition]
    return out & LANES


def _pcs(flow: ControlFlow, blocks: Iterable[int]) -> Iterable[int]:
    return (pc for block in blocks for pc in flow.blocks[block].pcs)
