"""Host values as formulas: what a launch's numbers are computed of where reading cannot tell all.

A *root* is a value that the source does not tell: a parameter of a function without a caller in
sight, an argument of the program, a call that cannot be read. What the host code computes of roots
is recorded operator by operator, so that it can be computed again for other values of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from perflint.base.records import dataclass

if TYPE_CHECKING:
    from perflint.base.span import Span
    from perflint.frontend.source.language.c_types import CType, Value

#: Operators in one formula. Launches of real programs need some dozens; what is beyond is unknown.
TERM_LIMIT = 400
#: The operator that gives a number on where C's is what counting comes to, and has no value where
#: something wrapped on the way: the bytes of an array are no difference below zero, made unsigned.
UNWRAPPED = "unwrapped"


@dataclass(frozen=True)
class Root:
    """A value that reading cannot tell."""

    name: str  #: as the source writes it: `n`, `p->width`, `atoi(argv[1])`
    type: CType
    sample: int | float  #: the value for which the formulas were recorded
    #: what the source itself gives it where nobody asks for another value
    default: int | float | None = None
    enumerators: tuple[int, ...] = ()  #: its values, where its type is an enumeration
    place: Span | None = None  #: where it is declared or read
    why: str = ""  #: what says the default, where that is not the source
    typed: bool = True  #: False where its type is not in sight either
    told: str = ""  #: how the program is run, where that says the default
    picked: bool = False  #: whether a loop goes through what it may be, as one that tunes does


@dataclass(frozen=True)
class Constant:
    """A number that is the same whatever the roots are."""

    value: Value
    weight: int = 1

    @property
    def roots(self) -> frozenset[int]:
        return frozenset()

    @property
    def turns(self) -> frozenset[object]:
        return frozenset()


@dataclass(frozen=True)
class Unknown:
    """A root, by its index among those of the launch."""

    root: int
    weight: int = 1

    @property
    def roots(self) -> frozenset[int]:
        return frozenset((self.root,))

    @property
    def turns(self) -> frozenset[object]:
        return frozenset()


@dataclass(frozen=True)
class Turn:
    """What a variable of a loop holds when a turn begins."""

    loop: object  #: what tells the loop from others
    index: int  #: of the variable, among those that the loop changes
    weight: int = 1

    @property
    def roots(self) -> frozenset[int]:
        return frozenset()

    @property
    def turns(self) -> frozenset[object]:
        return frozenset((self.loop,))


@dataclass(frozen=True)
class Applied:
    """An operator applied to formulas."""

    operator: str  #: `+`, `unary -`, `convert`, `call min`, as `evaluation` knows them
    arguments: tuple[Term, ...]
    type: CType | None = None  #: what `convert` converts to
    weight: int = 1

    @cached_property
    def roots(self) -> frozenset[int]:
        """The roots that it is computed of."""
        return frozenset().union(*(a.roots for a in self.arguments))

    @cached_property
    def turns(self) -> frozenset[object]:
        """The loops whose variables it is computed of."""
        return frozenset().union(*(a.turns for a in self.arguments))


@dataclass(frozen=True)
class Repeated:
    """A variable behind a loop: `while (x < n) x *= 2;`."""

    loop: object
    start: tuple[Term, ...]  #: what its variables hold before
    condition: Term
    step: tuple[Term, ...]  #: what a turn makes of them
    result: Term  #: of what they hold where the condition does not hold any more
    weight: int = 1

    @cached_property
    def inner(self) -> tuple[Term, ...]:
        """What is computed in each turn."""
        return (self.condition, *self.step, self.result)

    @cached_property
    def shape(self) -> int:
        """A hash of what a turn does, from whatever the loop starts."""
        return hash((self.loop, self.inner))

    @cached_property
    def roots(self) -> frozenset[int]:
        """The roots that it is computed of."""
        return frozenset().union(*(a.roots for a in (*self.start, *self.inner)))

    @cached_property
    def turns(self) -> frozenset[object]:
        """The loops around this one whose variables it is computed of."""
        own = frozenset().union(*(a.turns for a in self.inner)) - {self.loop}
        return own.union(*(a.turns for a in self.start))


Term = Constant | Unknown | Turn | Applied | Repeated


@dataclass(frozen=True)
class Requirement:
    """A condition of the host code that a launch's roots must meet."""

    text: str  #: as written
    holds: bool  #: whether it is true, or false, where the launch happens
    term: Term
    line: int


def numbers_in(term: Term) -> Iterator[int]:
    """The whole numbers that a formula is written with."""
    if isinstance(term, Constant) and isinstance(term.value.number, int):
        yield term.value.number
    if isinstance(term, Applied):
        for argument in term.arguments:
            yield from numbers_in(argument)
    if isinstance(term, Repeated):
        for part in (*term.start, term.condition):
            yield from numbers_in(part)


def turns_in(term: Term, loop: object) -> Iterator[int]:
    """The variables of a loop that a formula is computed of, by their numbers."""
    if isinstance(term, Turn) and term.loop == loop:
        yield term.index
    elif isinstance(term, Applied):
        for argument in term.arguments:
            yield from turns_in(argument, loop)
    elif isinstance(term, Repeated):
        for part in (*term.start, *(term.inner if term.loop != loop else ())):
            yield from turns_in(part, loop)
