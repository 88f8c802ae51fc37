"""What a GPU, and a thread's own arrays, ask of a launch, as conditions on the roots that its
numbers are computed of.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from perflint.analysis.extents import counting_parameter
from perflint.analysis.model import KernelFacts
from perflint.base.launch_option import MAX_BLOCK, MAX_GRID, MAX_SHARED
from perflint.frontend.source.language.evaluation import whole
from perflint.frontend.source.language.model import Expression, SourceParameter
from perflint.frontend.source.language.terms import Applied, Requirement, Term
from perflint.grammar.model import Address, Function, Immediate, Operand, Register, Symbol


def within_limits(
    grid: Sequence[Expression], block: Sequence[Expression], shared: Term | None, facts: KernelFacts
) -> Iterator[Requirement]:
    """That shared memory, and blocks and threads along each axis, are as many as there may be."""
    yield from _at_most(shared, MAX_SHARED, "bytes of dynamic shared memory")
    if shared is not None and shared.roots and uses_dynamic(facts):
        some = Applied(">=", (shared, whole(1)), weight=shared.weight + 2)
        yield Requirement("the dynamic shared memory that the kernel uses", True, some, 0)
    for axis, blocks, most in zip("xyz", grid, MAX_GRID, strict=True):
        if axis != "x":  # that many along x are too much work besides
            yield from _at_most(blocks.term, most, f"blocks along {axis}")
    for axis, threads, most in zip("xyz", block, MAX_BLOCK, strict=True):
        yield from _at_most(threads.term, most, f"threads along {axis}")


def as_specialised(
    parameters: Sequence[SourceParameter], terms: Sequence[Term | None]
) -> Iterator[Requirement]:
    """That integers are what a specialising compiler took them for: multiples of 16, or none."""
    for parameter, term in zip(parameters, terms, strict=True):
        for number, holds in ((parameter.divisor, True), (parameter.no_multiple, False)):
            if number > 1 and term is not None and term.roots:
                rest = Applied("%", (term, whole(number)), weight=term.weight + 2)
                divides = Applied("==", (rest, whole(0)), weight=term.weight + 4)
                text = f"a {parameter.name} that Triton took for a multiple of {number}"
                yield Requirement(text, holds, divides, 0)


def within_own_arrays(facts: KernelFacts, terms: Sequence[Term | None]) -> Iterator[Requirement]:
    """That loops which walk through a thread's own array turn no further than that reaches.

    `terms` are the kernel's arguments.
    """
    sizes = {v.name: v.size for v in facts.kernel.variables if v.space == "local"}
    starts = {name: sorted(_starts(facts.kernel, name) | {0, size}) for name, size in sizes.items()}
    found: dict[int, int] = {}
    for site in facts.sites:
        if site.address is None or site.array.name not in starts:
            continue
        size = _extent(starts[site.array.name], site.address.number)
        for around in site.loops:
            step = site.address.terms.get((around.counter,), 0)
            counted = counting_parameter(around.last) if step > 0 else None
            if counted is not None:
                index, turns = counted
                found[index] = min(size * turns // step, found.get(index, size * turns))
    for index, most in found.items():
        yield from _at_most(terms[index], most, "turns through an array of a thread's own")


def _starts(kernel: Function, name: str) -> set[int]:
    """Where the arrays begin that a local variable of PTX holds, in bytes.

    A thread's arrays are one variable there. Of each the address is made once, as a sum of the
    variable's and a constant; what lies within it, its fifth element, say, is counted from there.
    """
    bases, starts = set[Operand](), set[int]()
    for each in kernel.instructions:
        match each.opcode, each.operands:
            case "mov", (Register() as to, Symbol(name=named)) if named == name:
                bases.add(to)
            case "cvta", (Register() as to, Register() as base) if base in bases:
                bases.add(to)
            case "add", (_, Register() as base, Immediate(bits=start)) if base in bases:
                starts.add(start)
    return starts


def _extent(starts: Sequence[int], offset: int) -> int:
    """Bytes of the array at an offset; `starts` ascend, and the last is the end of all."""
    after = min(max(bisect_right(starts, offset), 1), len(starts) - 1)
    return starts[after] - starts[after - 1]


def _at_most(term: Term | None, most: int, what: str) -> Iterator[Requirement]:
    if term is not None and term.roots:
        holds = Applied("<=", (term, whole(most)), weight=term.weight + 2)
        yield Requirement(f"at most {most:,} {what}", True, holds, 0)


def uses_dynamic(facts: KernelFacts) -> bool:
    """Whether a kernel uses dynamic shared memory."""
    unsized = {
        v.name for v in facts.module.variables.values() if v.space == "shared" and v.size == 0
    }
    named = {
        operand.name
        for instruction in facts.kernel.instructions
        for operand in (o.base if isinstance(o, Address) else o for o in instruction.operands)
        if isinstance(operand, Symbol)
    }
    return bool(unsized & named)
