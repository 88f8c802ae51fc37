"""Which ways of branches lead to an instruction, and how near each of them is.

An instruction stands behind the branches that it is control-dependent on, these behind others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from perflint.grammar.dominance import EXIT, post_dominance
from perflint.sim import program as programs
from perflint.sim.program import Program

#: Which nodes follow, by way: those that jump, and those that do not.
Ways = Sequence[Mapping[bool, int]]
#: By position of a branch, or guarded instruction, and way (whether it is taken, or carried out):
#: how many branches lie between it and where it leads to.
Routes = Mapping[tuple[int, bool], int]


def ways_of(program: Program) -> list[dict[bool, int]]:
    """Where each block leads: by way of its branch, all under False where it has none."""
    out = []
    for block in program.blocks:
        if block.ending == "branch":
            out.append({True: block.taken, False: block.other})
        else:
            followers = programs.successors(block) or (EXIT,)
            out.append({bool(way): target for way, target in enumerate(followers[:2])})
    return [{way: EXIT if t == programs.EXIT else t for way, t in each.items()} for each in out]


def dependences(ways: Ways) -> Iterator[tuple[int, int, bool]]:
    """Control dependence: (branch, dependent, way). Ferrante, Ottenstein and Warren (1987)."""
    above, _ = post_dominance([tuple(each.values()) for each in ways], frozenset())
    for node, each in enumerate(ways):
        if len(set(each.values())) < 2:
            continue
        for way, target in sorted(each.items()):
            runner = target
            while runner not in (above[node], EXIT):
                yield node, runner, way
                runner = above[runner]


def routes_to(program: Program, position: int) -> Routes:
    """The ways that lead to an instruction, by its position."""
    behind: dict[int, list[tuple[int, bool]]] = {}
    for branch, dependent, way in dependences(ways_of(program)):
        if program.blocks[branch].ending == "branch":
            behind.setdefault(dependent, []).append((branch, way))
    found: dict[tuple[int, bool], int] = {}
    near = [n for n, b in enumerate(program.blocks) if b.first <= position < b.last]
    seen, distance = set(near), 0
    while near:
        further = []
        for node in near:
            for branch, way in behind.get(node, ()):
                block = program.blocks[branch]
                found.setdefault((max(block.first, block.last - 1), way), distance)
                if branch not in seen:
                    seen.add(branch)
                    further.append(branch)
        near, distance = further, distance + 1
    return found
