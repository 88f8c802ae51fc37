"""What a kernel uses its scalar parameters as: bounds, ends of ranges, flags, masks.

Where nothing tells a parameter's value, a kernel is tried with one that fits its role: the end of
a range is not also its beginning, a direction is 0 or 1, `i & (n - 1)` wants a power of two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from perflint.analysis.extents import (
    Comparison,
    comparisons,
    counting_parameter,
    made_of,
    parameter_read,
    varies,
)
from perflint.analysis.model import AccessSite, ParameterRoles
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import Parameter, Special
from perflint.grammar import table
from perflint.grammar.model import Function, Immediate, Instruction, Register

_KEEPS_COUNT = frozenset({"mov", "cvt", "add", "sub", "neg"})
#: What compilers put between a flag and its test.
_KEEPS_FLAG = frozenset({"mov", "cvt"})
_AXES = {f"%{name}.{axis}": axis for name in ("tid", "ctaid") for axis in "xyz"}


def parameter_roles(
    kernel: Function, ssa: StaticSingleAssignment, sites: Iterable[AccessSite]
) -> ParameterRoles:
    """The roles of a kernel's scalar parameters."""
    holding = list(_holding(sites))
    flags = _flags(kernel, ssa)
    return ParameterRoles(
        starts=(_range_starts(holding) | _float_starts(kernel, ssa)) - flags,
        shift_counts=_last_operands(kernel, ssa, ("shl", "shr")),
        flags=flags,
        masks=_masks(kernel, ssa),
        bounds=_bounds(holding),
        rows=frozenset(row for site in sites for row in _rows(site)),
    )


def _holding(sites: Iterable[AccessSite]) -> Iterator[Comparison]:
    """The comparisons that hold where accesses are made."""
    seen = set()
    for site in sites:
        stays = (loop.stays for loop in site.loops if loop.stays is not None)
        for predicate in (*site.guards, *stays):
            if predicate not in seen:
                seen.add(predicate)
                yield from comparisons(predicate.symbol)


def _range_starts(holding: Iterable[Comparison]) -> frozenset[int]:
    """Parameters that bound indices from below and never from above.

    `for (i = lo; i < hi; i++)` has no turn where lo and hi are equal; `lo` is one of these.
    """
    below: set[int] = set()
    above: set[int] = set()
    for found in holding:
        difference = found.below_zero
        for monomial, factor in difference.terms.items() if difference is not None else ():
            if len(monomial) == 1 and isinstance(monomial[0], Parameter):
                (below if factor > 0 else above).add(monomial[0].index)
    return frozenset(below - above)


def _bounds(holding: Iterable[Comparison]) -> dict[int, str]:
    """Parameters that bound a thread's index along one axis: `blockIdx.x * … + threadIdx.x < n`.

    It is the axis of the block where a transposing kernel adds the thread's place along another.
    """
    found: dict[int, set[str]] = defaultdict(set)
    for each in holding:
        difference = each.below_zero
        if difference is None:
            continue
        axes = _axes(difference)
        ends = [
            monomial[0].index
            for monomial, factor in difference.terms.items()
            if len(monomial) == 1 and isinstance(monomial[0], Parameter) and factor == -1
        ]
        if len(ends) == 1 and axes:
            found[ends[0]] |= axes
    return {index: min(axes) for index, axes in found.items() if len(axes) == 1}


def _rows(site: AccessSite) -> Iterator[tuple[int, int]]:
    """The pitches of the rows that an access goes along, each with what bounds the index there.

    Rows are apart: of `a[y * lda + x]`, where `x < n`, lda is n at least.
    """
    if site.address is None or not site.may_be_global:
        return
    indices = list(_bounded_indices(site))
    factors = {s for m in site.address.terms if len(m) > 1 for s in m if isinstance(s, Parameter)}
    for pitch in factors:
        across, along = site.address.split(lambda monomial: pitch in monomial)  # noqa: B023
        if pitch.offset or not varies(across) or not varies(along):
            continue
        for length, index in indices:
            if length != pitch.index and not varies(along - index * site.size):
                yield pitch.index, length


def _bounded_indices(site: AccessSite) -> Iterator[tuple[int, Polynomial]]:
    """Parameters that bound an index from above where an access is made, each with the index."""
    for around in site.loops:
        counted = counting_parameter(around.last)
        if counted is not None:
            yield counted[0], Polynomial.of(around.counter) * counted[1]
    for predicate in site.guards:
        for found in comparisons(predicate.symbol):
            below = found.below_zero
            for monomial, factor in below.terms.items() if below is not None else ():
                end = monomial[0] if len(monomial) == 1 and factor == -1 else None
                if below is not None and isinstance(end, Parameter) and not end.offset:
                    yield end.index, below + Polynomial.of(end)


def _axes(difference: Polynomial) -> set[str]:
    """The axes of the blocks that an index counts, else those of its threads."""
    blocks, threads = set(), set()
    for monomial, factor in difference.terms.items():
        for each in (s for s in monomial if isinstance(s, Special) and s.text in _AXES):
            if factor == 1:
                threads.add(_AXES[each.text])
            if factor > 0 and each.text.startswith("%ctaid"):
                blocks.add(_AXES[each.text])
    return blocks if threads and len(blocks) == 1 else threads


def _float_starts(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[int]:
    """The first of two float parameters that one value is compared with from either side."""
    against: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for instruction in kernel.instructions:
        if instruction.opcode != "setp" or table.types(instruction)[-1] not in ("f32", "f64"):
            continue
        test = instruction.modifiers[0][:2]
        used = ssa.uses[instruction.index]
        registers = [o for o in instruction.operands[-2:] if isinstance(o, Register)]
        if len(registers) < 2 or test not in ("lt", "le", "gt", "ge"):
            continue
        one, other = (used.get(r.name) for r in registers)
        mirrored = {"l": "g", "g": "l"}[test[0]]
        for value, bound, side in ((one, other, test[0]), (other, one, mirrored)):
            if value is None or bound is None:
                continue
            definition = ssa.definitions[bound]
            if definition.pc is not None and not definition.phi:
                index = parameter_read(kernel, kernel.instructions[definition.pc])
                if index is not None:
                    against[value][side].add(index)
    ends = (set().union(*sides.values()) for sides in against.values() if len(sides) == 2)
    return frozenset(min(pair) for pair in ends if len(pair) == 2)


def _last_operands(
    kernel: Function, ssa: StaticSingleAssignment, opcodes: tuple[str, ...]
) -> frozenset[int]:
    """Parameters that the last operand of some integer instructions is made of."""
    counts = [
        ssa.uses[instruction.index][last.name]
        for instruction in kernel.instructions
        if instruction.opcode in opcodes
        and table.types(instruction)[-1][0] in "sub"
        and isinstance(last := instruction.operands[-1], Register)
        and last.name in ssa.uses[instruction.index]
    ]
    return made_of(kernel, ssa, counts, _KEEPS_COUNT)


def _masks(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[int]:
    """Parameters of which one less is a mask: `i & (n - 1)`."""
    less = [
        definition
        for instruction in kernel.instructions
        if instruction.opcode == "and" and "pred" not in instruction.modifiers
        for definition in ssa.uses[instruction.index].values()
        if (pc := ssa.definitions[definition].pc) is not None and _adds(kernel.instructions[pc], -1)
    ]
    return made_of(kernel, ssa, less, frozenset({"add", "sub", "cvt", "mov"}))


def _adds(instruction: Instruction, number: int) -> bool:
    last = instruction.operands[-1] if instruction.operands else None
    is_number = isinstance(last, Immediate) and last.kind == "int"
    return instruction.opcode == "add" and is_number and _signed(last) == number


def _signed(immediate: object) -> int | None:
    if not isinstance(immediate, Immediate) or immediate.kind != "int":
        return None
    return immediate.bits - (1 << 64) if immediate.bits >= 1 << 63 else immediate.bits


def _flags(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[int]:
    """Integer parameters that are only ever compared with 0 or 1, for being equal or not."""
    readers: dict[int, list[Instruction]] = defaultdict(list)
    for instruction in kernel.instructions:
        for definition in ssa.uses[instruction.index].values():
            readers[definition].append(instruction)
    phis = {i for d in ssa.definitions if d.phi for i in d.inputs}
    out, other = set(), set()
    for instruction in kernel.instructions:
        index = parameter_read(kernel, instruction)
        if index is None or table.types(instruction)[-1][0] not in "sub":
            continue
        pending = list(ssa.defined[instruction.index].values())
        tested = False
        while pending:
            definition = pending.pop()
            if definition in phis:
                other.add(index)
            for reader in readers[definition]:
                if reader.opcode in _KEEPS_FLAG or _is_low_bit(reader):
                    pending += ssa.defined[reader.index].values()
                elif _is_test(reader):
                    tested = True
                else:
                    other.add(index)
        if tested:
            out.add(index)
    return frozenset(out - other)


def _is_low_bit(instruction: Instruction) -> bool:
    last = instruction.operands[-1] if instruction.operands else None
    return instruction.opcode == "and" and _signed(last) == 1


def _is_test(instruction: Instruction) -> bool:
    if instruction.opcode != "setp" or instruction.modifiers[0] not in ("eq", "ne"):
        return False
    return any(_signed(operand) in (0, 1) for operand in instruction.operands[1:])
