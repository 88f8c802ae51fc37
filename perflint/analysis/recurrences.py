"""Whether the turns of a loop could be shared out among threads, and their results put together.

They can where a turn hands the next one nothing but what is counted, added up or kept as the best
so far: sums, extremes, places of these. They cannot where it is multiplied, looked up or compared
on the way, as in `y = a[i] - b * y`, a state machine, or a sweep over what the last turn stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from itertools import product

from perflint.analysis.cfg import ControlFlow, control_flow
from perflint.analysis.model import AccessSite, KernelFacts, LoopFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.ssa import Definition, StaticSingleAssignment, static_single_assignment
from perflint.analysis.symbols import Loop
from perflint.base.records import dataclass
from perflint.grammar.model import Function, Register

#: What hands a value on as it is.
_COPIES = frozenset({"mov", "cvt"})
#: What puts a value and another one together, in whatever order the others come.
_JOINS = frozenset({"add", "min", "max", "and", "or", "xor"})
#: … a value that is the last operand: a product is added to it.
_PRODUCTS = frozenset({"fma", "mad"})
#: Comparisons that tell which of two is better.
_BETTER = frozenset({"lt", "le", "gt", "ge", "ltu", "leu", "gtu", "geu", "lo", "ls", "hi", "hs"})
_SUMS = frozenset({"add", "sub"})
#: Copies of a loop's body that unrolling makes at most.
MOST_COPIES = 16


@dataclass(frozen=True, eq=False)
class _Body:
    """A loop's blocks, with what reads each definition in them."""

    kernel: Function
    ssa: StaticSingleAssignment
    header: int
    blocks: frozenset[int]
    inner: frozenset[int]  #: the first blocks of loops inside
    readers: Mapping[int, tuple[Definition, ...]]

    def handed_on(self) -> Iterable[Definition]:
        """The values that the next turn gets from one."""
        return (d for d in self.ssa.definitions if d.phi and d.block == self.header)


def turns_are_parts(facts: KernelFacts, loop: LoopFacts) -> bool:
    """Whether the turns of a loop of a kernel could be shared out among threads."""
    if not _keeps_apart(facts.sites, loop):
        return False
    flow = control_flow(facts.kernel)
    header = flow.block_of[loop.header]
    if header is None or header not in flow.loops:
        return False
    body = _body(facts.kernel, flow, header)
    return all(_is_counted(body, each) or _is_combined(body, each) for each in body.handed_on())


def _body(kernel: Function, flow: ControlFlow, header: int) -> _Body:
    ssa = static_single_assignment(kernel, flow)
    blocks = flow.loops[header].body
    readers: dict[int, list[Definition]] = defaultdict(list)
    for definition in ssa.definitions:
        if definition.block in blocks:
            for source in set(definition.inputs):
                readers[source].append(definition)
    inner = frozenset(each for each in flow.loops if each in blocks and each != header)
    return _Body(kernel, ssa, header, blocks, inner, {d: tuple(r) for d, r in readers.items()})


def _keeps_apart(sites: Iterable[AccessSite], loop: LoopFacts) -> bool:
    """Whether no turn loads what another one stores, as far as the arrays tell.

    An array of a thread's own that only data have stored to holds what was best so far.
    """
    pcs = frozenset(loop.pcs)
    here = [site for site in sites if not pcs.isdisjoint(site.pcs)]
    loaded = [site for site in here if site.kind == "load"]
    for store in (site for site in here if site.kind == "store"):
        if store.array.kind == "unknown":
            return False
        if store.space == "local" and store.data_dependent:
            continue
        for load in (each for each in loaded if each.identity == store.identity):
            every = product(_addresses(store, pcs), _addresses(load, pcs))
            if any(_may_meet(mine, other, loop.header) for mine, other in every):
                return False
    return True


def _addresses(site: AccessSite, pcs: Set[int]) -> list[Polynomial | None]:
    """Those that a site has in a loop."""
    return [at for pc, at in zip(site.pcs, site.addresses, strict=True) if pc in pcs]


def _may_meet(stored: Polynomial | None, loaded: Polynomial | None, header: int) -> bool:
    """Whether an element that is stored may be one that another turn of a loop loads."""
    if stored is None or loaded is None:
        return True
    counters = [s for s in stored.symbols if isinstance(s, Loop) and s.header == header]
    if len(counters) != 1:
        return True
    step = stored.coefficient_of(counters[0])
    apart = loaded - stored
    if not step.terms or loaded.coefficient_of(counters[0]) != step:
        return True
    if not apart.terms:
        return False
    # a part of a step away: copies that unrolling made
    parts = ((n, d) for d in range(2, MOST_COPIES + 1) for n in range(1 - d, d))
    return not any(apart * d == step * n for n, d in parts)


def _is_counted(body: _Body, first: Definition) -> bool:
    """Whether a value grows by as much in each turn: any turn's is known without the others."""
    pending, seen = [n for n in first.inputs if _is_inside(body, n)], set[int]()
    while pending:
        definition = body.ssa.definitions[pending.pop()]
        if definition.number in seen or definition.number == first.number:
            continue
        seen.add(definition.number)
        if definition.phi:
            if definition.block not in body.inner:
                return False
        elif definition.pc is None or not _steps(body, definition):
            return False
        pending += [n for n in definition.inputs if _is_inside(body, n)]
    return True


def _steps(body: _Body, definition: Definition) -> bool:
    """Whether a definition is another one, with what stays the same through the loop added."""
    assert definition.pc is not None
    instruction = body.kernel.instructions[definition.pc]
    inside = [n for n in definition.inputs if _is_inside(body, n)]
    moves = instruction.opcode in _SUMS or instruction.opcode in _COPIES
    return instruction.guard is None and moves and len(inside) == 1


def _is_inside(body: _Body, number: int) -> bool:
    definition = body.ssa.definitions[number]
    return definition.block in body.blocks and (definition.phi or definition.pc is not None)


def _is_combined(body: _Body, first: Definition) -> bool:
    """Whether a value is a sum, an extreme or the like of what the turns have had."""
    clean, other = {first.number}, set[int]()
    pending, added, compared = [first.number], False, False
    while pending:
        number = pending.pop()
        for reader in body.readers.get(number, ()):
            if reader.phi and reader.block == body.header:
                if number in other or reader.number != first.number:
                    return False
                continue
            how = "joins" if reader.phi else _use(body, reader, number)
            if how == "compares":
                compared = True
                if number in other:
                    return False
                continue
            if how == "steers":
                return False
            added = added or how == "adds"
            into = clean if number in clean and how in ("joins", "adds") else other
            if reader.number not in into:
                into.add(reader.number)
                pending.append(reader.number)
    return not (added and compared)


def _use(body: _Body, reader: Definition, number: int) -> str:
    """How an instruction uses a value that it reads."""
    assert reader.pc is not None
    instruction = body.kernel.instructions[reader.pc]
    mine = [name for name, each in body.ssa.uses[reader.pc].items() if each == number]
    if instruction.guard is not None and instruction.guard.register.name in mine:
        return "steers"
    at = [
        place
        for place, operand in enumerate(instruction.operands)
        if place and isinstance(operand, Register) and operand.name in mine
    ]
    last = len(instruction.operands) - 1
    match instruction.opcode:
        case "setp":
            better = not _BETTER.isdisjoint(instruction.modifiers)
            return "compares" if better else "steers"
        case "selp" if last not in at:
            return "joins"
        case opcode if opcode in _COPIES:
            return "joins"
        case opcode if opcode in _JOINS and len(at) == 1:
            return "adds" if opcode in _SUMS else "joins"
        case opcode if opcode in _PRODUCTS and at == [last]:
            return "adds"
        case "sub" if at == [1]:
            return "adds"
        case _:
            return "other"
