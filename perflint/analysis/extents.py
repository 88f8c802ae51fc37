"""Which scalar parameters are the size of something, so that they are not 1 where it matters.

`if (y < h)` and `for (k = 0; k < n; k++)` say that h and n count things. `a[x * h + y]` says that h
is the pitch of rows that y runs along: were it 1, rows would overlap. A bare stride, as in
`a[i * stride]`, says no such thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import BLOCK, LANES, Loop, Op, Parameter, Symbol
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction
from perflint.grammar.model import Symbol as Name

#: What compilers make of a bound before they compare it: `n - 1`, `n & 3`, `n >> 2`, a copy.
_KEEPS_EXTENT = frozenset(
    {"mov", "cvt", "add", "sub", "neg", "and", "shr", "div", "rem", "min", "max"}
)


def extents(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[int]:
    """Indices of the parameters that an integer comparison's operand is made of."""
    compared = [
        definition
        for instruction in kernel.instructions
        if instruction.opcode == "setp" and table.types(instruction)[-1][0] in "sub"
        for definition in ssa.uses[instruction.index].values()
    ]
    return made_of(kernel, ssa, compared, _KEEPS_EXTENT)


def made_of(
    kernel: Function,
    ssa: StaticSingleAssignment,
    definitions: Iterable[int],
    through: frozenset[str],
) -> frozenset[int]:
    """The scalar parameters that definitions come from, through some instructions."""
    pending = list(definitions)
    found: set[int] = set()
    seen = set(pending)
    while pending:
        definition = ssa.definitions[pending.pop()]
        if not definition.phi:
            if definition.pc is None:
                continue
            instruction = kernel.instructions[definition.pc]
            if (index := parameter_read(kernel, instruction)) is not None:
                found.add(index)
            if instruction.opcode not in through:
                continue
        fresh = set(definition.inputs) - seen
        seen |= fresh
        pending += fresh
    return frozenset(found)


def parameter_read(kernel: Function, instruction: Instruction) -> int | None:
    """The scalar parameter that an `ld.param` reads."""
    if instruction.opcode != "ld" or "param" not in instruction.modifiers:
        return None
    address = instruction.operands[1]
    if not isinstance(address, Address) or not isinstance(address.base, Name):
        return None
    index = kernel.parameter_index.get(address.base.name)
    return index if index is not None and not kernel.parameters[index].dimensions else None


_OPPOSITE = {
    "lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq",
    "lo": "hs", "hs": "lo", "hi": "ls", "ls": "hi",
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """What a predicate says of two numbers where it holds."""

    test: str  #: `lt`, `hs`, as setp has them
    type: str  #: `s32`
    left: Polynomial
    right: Polynomial

    @property
    def below_zero(self) -> Polynomial | None:
        """What is below, or equal to, 0 where an integer comparison holds."""
        if self.test in ("lt", "le", "ne"):  # a loop that counts up to `!=` its end
            return self.left - self.right
        return self.right - self.left if self.test in ("gt", "ge") else None


def comparisons(predicate: object, holds: bool = True) -> tuple[Comparison, ...]:
    """The comparisons that all hold where a predicate does, or, unless `holds`, does not."""
    parts = (_compared(part, holds) for part, holds in conjuncts(predicate, holds))
    return tuple(each for each in parts if each is not None)


def decided_by(predicate: object) -> tuple[Comparison, ...]:
    """The comparisons that a predicate, or the opposite of it, is the conjunction of.

    Nothing where something else than comparisons has a say.
    """
    for holds in (True, False):
        parts = [_compared(*each) for each in conjuncts(predicate, holds)]
        found = tuple(each for each in parts if each is not None)
        if len(found) == len(parts):
            return found
    return ()


def conjuncts(predicate: object, holds: bool = True) -> Iterator[tuple[object, bool]]:
    """What all holds where a predicate does, or, unless `holds`, does not: parts, and whether they
    hold or their opposites.

    By De Morgan's laws: where `x >= w || y >= h` does not hold, `x < w` and `y < h` do.
    """
    while isinstance(predicate, Op) and predicate.name == "not.pred":
        holds = not holds
        predicate = predicate.arguments[0].symbol
    if isinstance(predicate, Op) and predicate.name == ("and.pred" if holds else "or.pred"):
        for each in predicate.arguments:
            yield from conjuncts(each.symbol, holds)
    else:
        yield predicate, holds


def _compared(predicate: object, holds: bool) -> Comparison | None:
    """The comparison that a part of a condition is, or its opposite; None if it is none."""
    if not isinstance(predicate, Op) or not predicate.name.startswith("setp."):
        return None
    test, type_ = predicate.name.split(".")[1:3]
    left, right = predicate.arguments[:2]
    return Comparison(test if holds else _OPPOSITE.get(test, ""), type_, left, right)


def counting_parameter(last: Polynomial | None) -> tuple[int, int] | None:
    """The parameter that counts a loop's turns, and how many of them are one: it may be unrolled.

    `last` is the loop's counter in the last turn, if that is known.
    """
    if last is None:
        return None
    whole = last.symbol
    if isinstance(whole, Op) and whole.name.startswith("max"):  # its turns are one at least
        last = whole.arguments[0]
    apart = last.symbol
    turns = 1
    if isinstance(apart, Op) and apart.name.startswith("div") and len(apart.arguments) == 2:
        last, turns = apart.arguments[0], apart.arguments[1].constant or 0
    plain = [m[0] for m, factor in last.terms.items() if len(m) == 1 and factor == 1]
    numbers = [each for each in plain if isinstance(each, Parameter) and not each.offset]
    return (numbers[0].index, turns) if len(numbers) == 1 and turns > 0 else None


def pitches(sites: Iterable[AccessSite]) -> frozenset[tuple[int, int]]:
    """The parameters that separate rows along which another index runs: (index, byte offset).

    Where each index has a factor of its own (`y * stride_y + x * stride_x`, as tensors have them),
    any of these may be 1. A choice between values that are made of such factors is no index.
    """
    found: set[tuple[int, int]] = set()
    for site in sites:
        if site.address is None:
            continue
        varying = [m for m in site.address.terms if any(map(_varies, m))]
        outer = {_parameters(m) for m in varying}
        inner = {_parameters(m) | _chosen(m) for m in varying}
        found.update(*(factors - each for factors in outer for each in inner if each <= factors))
    return frozenset(found)


def _parameters(monomial: Iterable[Symbol]) -> frozenset[tuple[int, int]]:
    return frozenset((s.index, s.offset) for s in monomial if isinstance(s, Parameter))


def _chosen(monomial: Iterable[Symbol]) -> set[tuple[int, int]]:
    """The parameters in values between which a condition chooses."""
    choices = (s for s in monomial if isinstance(s, Op) and s.name == "selp")
    return {p for s in choices for value in s.arguments[:2] for p in _parameters(value.atoms)}


def varies(index: Polynomial) -> bool:
    """Whether it is not the same in each thread and each turn."""
    return any(map(_varies, index.symbols))


def _varies(symbol: Symbol) -> bool:
    return isinstance(symbol, Loop) or bool(symbol.depends & (LANES | BLOCK))
