"""Loops of which a test of counters tells how many turns are left.

Where besides nothing but counters is carried from turn to turn, every turn can be reached without
those before it: each adds to a counter what it always adds. That is mostly so in a program cut to
its slice, where sums, products and loaded data that decide nothing are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import cache, lru_cache, partial

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Address, Immediate, Instruction, Operand, Register
from perflint.sim.computation import CARRY
from perflint.sim.natural_loops import jumps_back, loop_of, predecessors
from perflint.sim.program import EXIT, WAITS, BasicBlock, Program, changes_memory, successors
from perflint.sim.slice import Part

#: Comparisons, and what holds where they do not.
_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "ne": "eq", "eq": "ne"}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
#: Accesses of one address each lane.
_ACCESSES = frozenset(("ld", "ldu", "st", "red", "atom"))
_BITS = {"16": 16, "32": 32, "64": 64}


@dataclass(frozen=True)
class Linear:
    """`constant` + a sum of registers, modulo 2^bits, as they are at the loop's first block."""

    bits: int
    constant: int = 0
    terms: Mapping[int, int] = field(default_factory=dict)  #: register slot -> how many times

    @property
    def register(self) -> int | None:
        """The slot of the register that this is, if it is one by itself."""
        slot = next(iter(self.terms), None)
        return slot if slot is not None and self == Linear(self.bits, 0, {slot: 1}) else None

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum with a multiple of another of the same width."""
        terms = dict(self.terms)
        for slot, count in other.terms.items():
            terms[slot] = terms.get(slot, 0) + times * count
        constant = (self.constant + times * other.constant) % (1 << self.bits)
        return Linear(self.bits, constant, {s: n for s, n in terms.items() if n})

    def scaled(self, times: int) -> Linear:
        """A multiple."""
        return Linear(self.bits).plus(self, times)


@dataclass(frozen=True)
class Extended:
    """A 64-bit form, and multiples of 32-bit ones that are extended by their sign or by zeros."""

    base: Linear
    parts: tuple[tuple[Linear, bool, int], ...] = ()  #: (form, signed, how many times)

    def plus(self, other: Extended) -> Extended:
        """The sum of two."""
        return Extended(self.base.plus(other.base), self.parts + other.parts)

    def scaled(self, times: int) -> Extended:
        """A multiple."""
        parts = (
            (form, signed, (count * times + (1 << 63)) % (1 << 64) - (1 << 63))
            for form, signed, count in self.parts
        )
        return Extended(self.base.scaled(times), tuple(parts))

    @property
    def terms(self) -> frozenset[int]:
        """The slots of the registers that it is made of."""
        return frozenset(self.base.terms).union(*(form.terms for form, _, _ in self.parts))


@dataclass(frozen=True)
class Toggle:
    """A register from which each turn goes to another value and back: `stage ^ 1`."""

    slot: int


@dataclass(frozen=True)
class Test:
    """What must hold for another turn: `left` compared with `right`."""

    comparison: str  #: `lt`, `le`, `gt`, `ge` or `ne`
    signed: bool
    left: Linear
    right: Linear


Form = Linear | Extended | Toggle | Test | None  #: what a register holds; None: anything else
Step = Linear | Extended  #: what a turn adds to a counter, of registers that no turn changes


@dataclass(frozen=True, eq=False)
class CountedLoop:
    """A loop that ends by a test of its counters."""

    header: int  #: the number of its first block
    entered_from: frozenset[int]  #: the blocks outside that lead to it
    test: Test
    steps: Mapping[int, Step]  #: by counter: what a turn adds to it
    behind: Mapping[int, Linear]  #: by register: what the turn before made of its counters
    #: whether turns can be passed over, two by two: nothing else of them is of any consequence
    passable: bool
    waits: bool  #: there are barriers in it
    pcs: frozenset[int]  #: its instructions
    issues: int = 0  #: instructions of a turn, where there is but one branch in it
    #: by access (pc): its address as the turn begins; None where turns differ in more than that
    shifts: Mapping[int, Extended] | None = None


@lru_cache(maxsize=64)
def counted_loops(program: Program) -> Mapping[int, CountedLoop]:
    """The loops that end by a test of counters, by the number of their first block."""
    found = (_counted(program, header) for header, b in enumerate(program.blocks) if b.header)
    return {loop.header: loop for loop in found if loop is not None}


def _counted(program: Program, header: int) -> CountedLoop | None:
    """The loop that begins with a block, if counters end it."""
    blocks, before = program.blocks, predecessors(program)
    latches = jumps_back(program, header)
    if len(latches) != 1:
        return None
    body = loop_of(program, header)
    if min(body) < header or any(set(before[number]) - body for number in body if number != header):
        return None  # entered in the middle
    edges = {number: successors(blocks[number]) for number in body}
    leaving = [
        number
        for number in sorted(body)
        if blocks[number].ending in ("exit", "trap", "indirect")
        or not set(edges[number]) <= body
        or (
            blocks[number].ending == "branch"
            and EXIT in (blocks[number].taken, blocks[number].other)
        )
    ]
    if len(leaving) != 1 or blocks[leaving[0]].ending != "branch":
        return None
    always = cache(partial(_is_always, header, latches[0], edges, body))
    if not always(leaving[0]):
        return None
    values = _values(program, sorted(body), always)
    last = blocks[leaving[0]]
    asked = values.tests.get(leaving[0])
    if not isinstance(asked, Test):
        return None
    stays = (last.taken in body) != last.negated
    test = asked if stays else replace(asked, comparison=_NEGATED[asked.comparison])
    live = blocks[header].live
    carried = _carried(values, live, program.types)
    known = carried.steps.keys() | (set(live) - values.written)
    if test.comparison == "eq" or not test.left.terms.keys() | test.right.terms.keys() <= known:
        return None
    passable = carried.all and all(_repeats(program, blocks[number]) for number in body)
    alike = (
        passable
        and not carried.data
        and all(blocks[n].ending == "fall" for n in body - {leaving[0]})
    )
    return CountedLoop(
        header=header,
        entered_from=frozenset(before[header]) - body,
        test=test,
        steps=carried.steps,
        behind=carried.behind,
        passable=passable,
        waits=any(blocks[n].ending in WAITS for n in body),
        issues=sum(blocks[n].count for n in body),
        shifts=_shifts(values, known) if alike else None,
        pcs=frozenset(
            program.kernel.instructions[at].index
            for n in body
            for at in range(blocks[n].first, blocks[n].last)
        ),
    )


def _shifts(values: _Values, known: Set[int]) -> Mapping[int, Extended] | None:
    """The addresses of a turn's accesses by what is known of its counters; None if one is not."""
    found = {
        pc: form
        for pc, form in values.addresses.items()
        if form is not None and form.terms <= known
    }
    return found if len(found) == len(values.addresses) else None


def _is_always(
    header: int, latch: int, edges: Mapping[int, Sequence[int]], body: frozenset[int], block: int
) -> bool:
    """Whether each turn runs a block once: all ways to the jump back lead over it."""

    def reaches(starts: Iterable[int], goal: int, without: int) -> bool:
        seen = {header, without}
        pending = list(starts)
        while pending:
            at = pending.pop()
            if at in body and at not in seen:
                if at == goal:
                    return True
                seen.add(at)
                pending.extend(edges[at])
        return False

    if block == header:
        return True
    if block != latch and reaches(edges[header], latch, block):
        return False
    return not reaches(edges[block], block, -1)


def _repeats(program: Program, block: BasicBlock) -> bool:
    """Whether a block leaves nothing behind but registers: no byte that anybody asks for."""
    for at in range(block.first, block.last):
        i = program.kernel.instructions[at]
        if i.call is not None and program.part(at) is not Part.NOTHING:
            return False
        if i.opcode in ("bar", "barrier") and at != block.last - 1:
            return False  # `bar.arrive` counts
        if program.part(at) is Part.WHOLE and changes_memory(i):
            return False
    return block.reduction is None


@dataclass
class _Values:
    """What a turn leaves in the registers that it writes, and what the jumps in it ask."""

    after: dict[int, Form]
    tests: dict[int, Form]
    addresses: dict[int, Extended | None]  #: of memory, by instruction (pc)

    @property
    def written(self) -> set[int]:
        return set(self.after)


def _values(program: Program, body: Sequence[int], always: Callable[[int], bool]) -> _Values:
    slots, types = program.slots, program.types
    now: dict[int, Form] = {}
    tests: dict[int, Form] = {}
    addresses: dict[int, Extended | None] = {}

    def held(operand: Operand, bits: int) -> Form:
        if isinstance(operand, Immediate) and operand.kind == "int":
            return Linear(bits, operand.bits % (1 << bits))
        if isinstance(operand, Register) and operand.name in slots:
            slot = slots[operand.name]
            own = _BITS.get(types[slot][1:])
            return now[slot] if slot in now else Linear(own, 0, {slot: 1}) if own else None
        return None

    for number in body:
        block = program.blocks[number]
        for at in range(block.first, block.last):
            i = program.kernel.instructions[at]
            if i.index >= 0 and any(access.space != "param" for access in table.accesses(i)):
                addresses[i.index] = _address(i, held)
            if program.part(at) is not Part.WHOLE:
                continue
            made = _made(i, held) if always(number) else None
            for name in table.writes(i):
                if name in slots:
                    slot = slots[name]
                    fits = not isinstance(made, Linear) or _BITS.get(types[slot][1:]) == made.bits
                    now[slot] = made if fits else None
            if "writes" in table.carry(i):
                now[slots[CARRY]] = None
        if block.ending == "branch" and isinstance(block.guard, Register):
            tests[number] = now.get(slots[block.guard.name])
    return _Values(now, tests, addresses)


def _address(i: Instruction, held: Callable[[Operand, int], Form]) -> Extended | None:
    """Where an access leads, as far as counters are concerned."""
    found = [operand for operand in i.operands if isinstance(operand, Address)]
    if i.opcode not in _ACCESSES or len(found) != 1:
        return None
    base = found[0].base
    return _extended(held(base, 64)) if isinstance(base, Register) else Extended(Linear(64))


def _extended(form: Form) -> Extended | None:
    """A form of 64 bits as one that may have parts of 32."""
    if isinstance(form, Linear) and form.bits == 64:
        return Extended(form)
    return form if isinstance(form, Extended) else None


def _widened(form: Form, signed: bool) -> Extended | None:
    """A form of 32 bits as one of 64."""
    if isinstance(form, Linear) and form.bits == 32:
        return Extended(Linear(64), ((form, signed, 1),))
    return None


def _made(i: Instruction, held: Callable[[Operand, int], Form]) -> Form:
    """What an instruction writes, as far as counters are concerned."""
    if i.guard is not None:
        return None
    kind = i.modifiers[-1] if i.modifiers else ""
    bits = _BITS.get(kind[1:]) if kind[:1] in ("s", "u", "b") else None
    if bits is None:
        return None
    operands = i.operands
    match i.opcode:
        case "mov" if len(operands) == 2 and isinstance(operands[0], Register):
            form = held(operands[1], bits)
            return form if not isinstance(form, Test) else None
        case "add" | "sub" if len(i.modifiers) == 1:
            return _sum(held(operands[1], bits), held(operands[2], bits), bits, i.opcode == "sub")
        case "cvt" if i.modifiers in (("s64", "s32"), ("u64", "u32")):
            return _widened(held(operands[1], 32), kind[0] == "s")
        case "mul" | "shl" | "mad":
            return _product(i, held, kind, bits)
        case "xor":
            left, right = held(operands[1], bits), held(operands[2], bits)
            slot = left.register if isinstance(left, Linear) else None
            if slot is not None and isinstance(right, Linear) and not right.terms:
                return Toggle(slot)
        case "setp" if len(i.modifiers) == 2 and len(operands) == 3:
            return _test(i.modifiers[0], kind, held(operands[1], bits), held(operands[2], bits))
    return None


def _sum(left: Form, right: Form, bits: int, minus: bool = False) -> Form:
    if isinstance(left, Linear) and isinstance(right, Linear):
        same = left.bits == right.bits == bits
        return left.plus(right, -1 if minus else 1) if same else None
    one, other = _extended(left), _extended(right)
    if bits != 64 or one is None or other is None:
        return None
    return one.plus(other.scaled(-1) if minus else other)


def _product(i: Instruction, held: Callable[[Operand, int], Form], kind: str, bits: int) -> Form:
    """What a multiplication by a number comes to, or a shift by one."""
    number = i.operands[2]
    if not isinstance(number, Immediate) or number.kind != "int":
        return None
    form = held(i.operands[1], bits)
    if i.opcode == "shl":
        by = number.bits % (1 << 32)  # an unsigned 32-bit value; -1 shifts all out (PTX ISA, shl)
        times = 1 << by if by < bits else 0
    else:
        half = 1 << bits - 1
        lowest = -half if kind[0] == "s" else 0
        times = (number.bits - lowest) % (2 * half) + lowest
    if "wide" in i.modifiers and bits == 32 and isinstance(form, Linear) and form.bits == 32:
        form = _widened(form, kind[0] == "s")
    elif i.modifiers[:-1] != (() if i.opcode == "shl" else ("lo",)):
        return None
    if not isinstance(form, Linear | Extended) or (isinstance(form, Linear) and form.bits != bits):
        return None
    product = form.scaled(times)
    if i.opcode != "mad":
        return product
    bits = 64 if isinstance(product, Extended) else bits
    return _sum(product, held(i.operands[3], bits), bits)


def _test(comparison: str, kind: str, left: Form, right: Form) -> Test | None:
    if not isinstance(left, Linear) or not isinstance(right, Linear) or left.bits != right.bits:
        return None
    signed = kind[0] == "s"
    if comparison in _UNSIGNED:
        comparison, signed = _UNSIGNED[comparison], False
    if comparison not in _NEGATED or left.bits != int(kind[1:]):
        return None
    return Test(comparison, signed, left, right)


def _without(form: Form, slot: int) -> Step | None:
    """What a form adds to a register; None where it is no sum with just that register."""
    if isinstance(form, Extended):
        base = _without(form.base, slot)
        return Extended(base, form.parts) if isinstance(base, Linear) else None
    if not isinstance(form, Linear) or form.terms.get(slot) != 1:
        return None
    return form.plus(Linear(form.bits, 0, {slot: 1}), -1)


@dataclass(frozen=True)
class _Carried:
    """What a turn does to the registers that the next one reads."""

    steps: dict[int, Step]
    behind: dict[int, Linear]
    all: bool  #: whether that is all it does to them
    data: bool  #: but for floats, which it changes as well


def _carried(values: _Values, live: Sequence[int], types: Sequence[str]) -> _Carried:
    fixed = {slot for slot in live if slot not in values.after}
    steps: dict[int, Step] = {}
    later: dict[int, Linear] = {}
    others, data = 0, False
    for slot in live:
        form = values.after.get(slot)
        if slot in fixed or form == Toggle(slot):
            continue
        if types[slot][0] == "f":
            data = True
            continue  # data, and so invented: as good after fewer turns
        step = _without(form, slot)
        if step is not None and fixed.issuperset(step.terms):
            steps[slot] = step
        elif isinstance(form, Linear):
            later[slot] = form
        else:
            others += 1
    known = fixed | steps.keys()
    behind = {slot: form for slot, form in later.items() if form.terms.keys() <= known}
    return _Carried(steps, behind, not others and len(behind) == len(later), data)
