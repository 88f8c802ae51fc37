"""What the integers in an array are for: indices into another, offsets of rows, or flags.

That decides what a run may take for them where nobody tells: indices lie within what they index,
offsets of rows (`for (j = a[i]; j < a[i + 1]; j++)`) ascend, and flags are 0 or 1. What walks
along an array to a mark, an empty slot or the end of a list, meets one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from perflint.analysis.model import AccessSite, Branch, DataRole, Into, LoopFacts, Pointer
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.sites import RawAccess
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import LANES, Loop, Op, Opaque, Parameter, Symbol
from perflint.grammar import table
from perflint.grammar.model import Function, Immediate, Instruction, Register

#: What hands a value on, so that it is 0 where the value is.
_KEEPS_ZERO = frozenset({"mov", "cvt"})
#: Moves that a value is followed through before giving up.
_REACH = 64
LINE = 128  #: bytes; what is stepped over by less is no row


def data_roles(
    kernel: Function,
    ssa: StaticSingleAssignment,
    accesses: Sequence[RawAccess],
    sites: Sequence[AccessSite],
    branches: Sequence[Branch],
    loops: Sequence[LoopFacts],
) -> tuple[DataRole, ...]:
    """The roles of the arrays that pointer parameters point to, by pointer.

    An array of which nothing is plain has no role.
    """
    loads = {raw.pc: raw for raw in accesses if _loads_integers(kernel, raw)}
    steering = {leaf for end in set(_ends(sites)) for leaf in _leaves(end, loads)}
    offsets = set(_offsets(steering, loads))
    into: dict[Pointer, dict[tuple[Pointer, Polynomial], dict[Polynomial, None]]] = {}
    indices: set[int] = set()
    for raw in accesses:
        target = _pointer(raw)
        if raw.address is None or target is None:
            continue
        for leaf in sorted(_leaves(raw.address, loads), key=lambda each: each.text):
            scale = raw.address.coefficient_of(leaf)
            source = _pointer(loads[leaf.pc])
            if scale.terms and not scale.depends & LANES and source not in (None, target):
                assert source is not None
                pitches = into.setdefault(source, {}).setdefault((target, scale), {})
                pitches.update(dict.fromkeys(_pitches(raw.address, leaf)))
                indices.add(leaf.pc)
    turned = {_pointer(loads[leaf.pc]) for leaf in steering}
    flags = set(_flags(kernel, ssa, loads.values()))
    marks = dict(_marks(ssa, branches, loops, loads))
    found: list[DataRole] = []
    for pointer in sorted({p for raw in loads.values() if (p := _pointer(raw)) is not None}):
        indexed = tuple(Into(*key, tuple(rows)) for key, rows in into.get(pointer, {}).items())
        if pointer in offsets:
            lanes = _lanes(pointer, sites, loads)
            found.append(DataRole("offsets", pointer, indexed, steers=True, lanes=lanes))
        elif indexed:
            others = any(_pointer(raw) == pointer for pc, raw in loads.items() if pc not in indices)
            steers, end = pointer in turned, marks.get(pointer)
            others = others or end is not None
            found.append(DataRole("index", pointer, indexed, steers, others, end))
        elif pointer in marks:
            found.append(DataRole("walked", pointer, steers=True, others=True, end=marks[pointer]))
        elif pointer in flags:
            found.append(DataRole("flag", pointer, steers=pointer in turned))
    return tuple(found)


def _pitches(address: Polynomial, leaf: Opaque) -> Iterator[Polynomial]:
    """What indices of rows in an address are multiplied by: parameters, or whole lines."""
    for monomial, factor in address.terms.items():
        fixed = tuple(s for s in monomial if isinstance(s, Parameter))
        counts = any(isinstance(s, Loop) for s in monomial)  # unrolled, it steps by some elements
        if len(fixed) == len(monomial) or leaf in monomial:
            continue
        if not fixed and (counts or abs(factor) < LINE):
            continue
        pitch = Polynomial(factor)
        for symbol in fixed:
            pitch = pitch * Polynomial.of(symbol)
        yield pitch


def _pointer(raw: RawAccess) -> Pointer | None:
    return (raw.base.index, raw.base.offset) if isinstance(raw.base, Parameter) else None


def _loads_integers(kernel: Function, raw: RawAccess) -> bool:
    """Whether an access loads one integer through a pointer that was passed."""
    instruction = kernel.instructions[raw.pc]
    named = table.types(instruction)
    return (
        raw.access.kind == "load"
        and isinstance(raw.base, Parameter)
        and bool(named)
        and named[-1][0] in "usb"
        and table.vector(instruction) == 1
    )


def _leaves(formula: Polynomial, loads: Mapping[int, RawAccess]) -> set[Opaque]:
    """The values in a formula that some of the loads gave."""
    return {
        atom
        for atom in formula.atoms
        if isinstance(atom, Opaque) and atom.is_loaded and atom.pc in loads
    }


def _ends(sites: Sequence[AccessSite]) -> Iterator[Polynomial]:
    """The formulas on which the loops around accesses end."""
    for loop in (loop for site in sites for loop in site.loops):
        yield from (end for end in (loop.last, loop.stays) if end is not None)


def _offsets(steering: Iterable[Opaque], loads: Mapping[int, RawAccess]) -> Iterator[Pointer]:
    """Arrays of which two neighbours decide about loops: `a[i]`, `a[i + 1]`.

    What is nearer than the step of the index are two fields of a structure: no neighbours.
    """
    by_pointer: dict[Pointer, list[Polynomial]] = {}
    for leaf in steering:
        raw = loads[leaf.pc]
        pointer = _pointer(raw)
        if pointer is not None and raw.address is not None:
            by_pointer.setdefault(pointer, []).append(raw.address)
    for pointer, addresses in by_pointer.items():
        varying = (f for m, f in addresses[0].terms.items() if any(s.depends & LANES for s in m))
        step = math.gcd(*varying)
        distances = (each.beyond(addresses[0]) for each in addresses[1:])
        if any(distance and distance % max(1, step) == 0 for distance in distances):
            yield pointer


def _lanes(pointer: Pointer, sites: Iterable[AccessSite], loads: Mapping[int, RawAccess]) -> int:
    """How many lanes walk along a row side by side: each goes on by as many elements a turn.

    `for (j = a[row] + lane; j < a[row + 1]; j += 8)`: who gives a row 8 lanes has rows for them.
    """
    found = set()
    for site, address in ((site, site.address) for site in sites if site.address is not None):
        for leaf in _leaves(address, loads):
            scale = address.coefficient_of(leaf).constant
            if scale and _pointer(loads[leaf.pc]) == pointer:
                found.add(_side_by_side(address, abs(scale)) // len(site.pcs))
    return max(1, min(found, default=1))


def _side_by_side(address: Polynomial, element: int) -> int:
    """By how many elements of so many bytes lanes side by side go on each turn; 0: by none."""
    terms = [(m[0], abs(f)) for m, f in address.terms.items() if len(m) == 1]
    lane = any(s.depends & LANES and f == element for s, f in terms if not _is_loaded(s))
    return min((f // element for s, f in terms if isinstance(s, Loop)), default=0) if lane else 0


def _is_loaded(symbol: Symbol) -> bool:
    return isinstance(symbol, Opaque) and symbol.is_loaded


def _marks(
    ssa: StaticSingleAssignment,
    branches: Sequence[Branch],
    loops: Sequence[LoopFacts],
    loads: Mapping[int, RawAccess],
) -> Iterator[tuple[Pointer, int]]:
    """Arrays with an element that ends a loop, where nothing but data ends it: and that element.

    `while ((k = keys[p]) != EMPTY)`, `for (j = head; j >= 0; j = next[j])`.
    """
    endless = [set(each.pcs) for each in loops if each.last is None]
    ways = [branch for branch in branches if branch.leaves_loop]
    for branch in ways:
        inner = min((pcs for pcs in endless if branch.pc in pcs), key=len, default=set())
        if not all(each.data_dependent for each in ways if each.pc in inner):
            continue
        if (way := _leaving(branch, inner)) is None:
            continue
        for test, holds in _tests(branch.condition, way):
            value, mark = test.arguments[0].symbol, test.arguments[1].constant
            end = None if mark is None else _ending(test.name, mark, holds)
            if isinstance(value, Opaque) and end is not None:
                found = {_pointer(loads[pc]) if pc is not None and pc in loads else None
                         for pc in _sources(value, inner, ssa)}  # fmt: skip
                yield from ((each, end) for each in found if each is not None and len(found) == 1)


def _sources(value: Opaque, inner: Set[int], ssa: StaticSingleAssignment) -> Set[int | None]:
    """Where a value that a loop asks for comes from, of which it makes another in each turn."""
    if value.is_loaded:
        return {value.pc} & inner
    uses = (ssa.uses[pc] for pc in inner)
    pending = [each[value.register] for each in uses if value.register in each]
    seen, found = set(pending), set[int | None]()
    while pending:
        definition = ssa.definitions[pending.pop()]
        if definition.phi:
            fresh = set(definition.inputs) - seen
            seen |= fresh
            pending += fresh
        else:
            found.add(definition.pc)
    return found if found & inner else set()


def _leaving(branch: Branch, inner: Set[int]) -> bool | None:
    """Whether the way that is taken leaves a loop, and not the one that is not; None if neither."""
    if branch.pc + 1 in inner:
        return True
    return False if inner else None


def _tests(condition: Polynomial | None, holds: bool) -> Iterator[tuple[Op, bool]]:
    """Comparisons that make a condition hold, or not hold, each alone; whether they hold then."""
    symbol = condition.symbol if condition is not None else None
    if isinstance(symbol, Op) and symbol.name.startswith("not.") and len(symbol.arguments) == 1:
        yield from _tests(symbol.arguments[0], not holds)
    elif isinstance(symbol, Op) and symbol.name == ("or.pred" if holds else "and.pred"):
        for each in symbol.arguments:
            yield from _tests(each, holds)
    elif isinstance(symbol, Op) and symbol.name.startswith("setp.") and len(symbol.arguments) == 2:
        yield symbol, holds


def _ending(comparison: str, mark: int, holds: bool) -> int | None:
    """An element for which a comparison comes out so; None where most that is tried has that."""
    _, how, *_ = comparison.split(".")
    if how in ("eq", "ne"):
        return mark if holds is (how == "eq") else None
    below = how in ("lt", "le") if holds else how in ("gt", "ge")
    first = 0 if how in ("lt", "ge") else -1
    return -1 if below and mark == first else None


def _flags(
    kernel: Function, ssa: StaticSingleAssignment, loads: Iterable[RawAccess]
) -> Iterator[Pointer]:
    """Arrays all of whose loaded values are only compared with 0."""
    users: dict[int, list[int]] = {}
    for pc, uses in enumerate(ssa.uses):
        for definition in uses.values():
            users.setdefault(definition, []).append(pc)
    for each in ssa.definitions:
        if each.phi:
            for source in each.inputs:
                users.setdefault(source, []).append(-1)  # it meets others: no flag
    verdicts: dict[Pointer, bool] = {}
    for raw in loads:
        pointer = _pointer(raw)
        if pointer is not None:
            tested = all(
                _is_tested(kernel, ssa, users, definition)
                for definition in ssa.defined[raw.pc].values()
            )
            verdicts[pointer] = verdicts.get(pointer, True) and tested
    yield from (pointer for pointer, holds in verdicts.items() if holds)


def _is_tested(
    kernel: Function,
    ssa: StaticSingleAssignment,
    users: Mapping[int, Sequence[int]],
    definition: int,
) -> bool:
    """Whether something is done with a value, and nothing but to compare it with 0."""
    pending, seen = [definition], {definition}
    tests = 0
    while pending:
        if len(seen) > _REACH:
            return False
        for pc in users.get(pending.pop(), ()):
            if pc < 0:
                return False
            instruction = kernel.instructions[pc]
            if _compares_with_zero(instruction):
                tests += 1
            elif instruction.opcode in _KEEPS_ZERO or _is_masked(instruction):
                fresh = {d for d in ssa.defined[pc].values() if d not in seen}
                seen |= fresh
                pending += fresh
            else:
                return False
    return tests > 0


def _compares_with_zero(instruction: Instruction) -> bool:
    equal = instruction.opcode == "setp" and {"eq", "ne"} & set(instruction.modifiers)
    return bool(equal) and _immediate(instruction) == 0 and len(instruction.operands) == 3


def _is_masked(instruction: Instruction) -> bool:
    """`x & 255`, by which compilers read a byte, and `x & 1`."""
    return instruction.opcode == "and" and _immediate(instruction) in (1, 0xFF, 0xFFFF)


def _immediate(instruction: Instruction) -> int | None:
    last = instruction.operands[-1]
    others = instruction.operands[1:-1]
    registers = all(isinstance(each, Register) for each in others)
    return last.bits if isinstance(last, Immediate) and registers else None
