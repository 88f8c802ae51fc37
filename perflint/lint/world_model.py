"""What worlds are: roots with a value each, and the launch that they are looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from perflint.base.english import listed
from perflint.base.records import dataclass
from perflint.frontend.source.language.evaluation import evaluate
from perflint.frontend.source.language.terms import (
    UNWRAPPED,
    Applied,
    Requirement,
    Root,
    Term,
    Unknown,
)

READ, COMPUTED, ASSUMED = "read", "computed", "assumed"
DEFAULT = "by default"
SECTOR = 32  #: bytes; rows of as many elements, of whatever size, begin with a sector


@dataclass(frozen=True)
class Wish:
    """What a root is used as, as the kernel shows it."""

    flag: bool = False  #: only compared with 0 and 1
    start: bool = False  #: a range begins there
    logarithm: bool = False  #: something is shifted by it
    mask: bool = False  #: a power of two is asked for
    extent: int | None = None  #: threads along the axis that it bounds
    threads: bool = False  #: the block is computed of it


@dataclass(frozen=True)
class Origin:
    """Where a value comes from."""

    kind: str = READ  #: `read`, `computed` or `assumed`
    of: tuple[str, ...] = ()  #: the roots that it is computed of
    why: str = ""  #: what says so: `the default at line 12`, `bounded by n <= 64`

    @property
    def known(self) -> bool:
        """Whether nothing of it is invented."""
        return self.kind == READ

    @property
    def text(self) -> str:
        """As launches show it behind a value; "" for what was simply read."""
        if self.kind != COMPUTED:
            return ASSUMED if self.kind == ASSUMED else DEFAULT if self.why else ""
        shown = self.of[:2] if len(self.of) < 4 else self.of[:1]
        rest = len(self.of) - len(shown)
        others = f"{rest} other{'s' if rest > 1 else ''}" if rest else ""
        return f"from {listed((*shown, *([others] if others else [])))}"


@dataclass(frozen=True)
class World:
    """One value for each root of a launch."""

    name: str
    scale: int  #: integers that fill arrays are below it, where nothing bounds them
    values: tuple[int | float, ...]
    origins: tuple[Origin, ...]  #: of each root
    broken: tuple[str, ...] = ()  #: conditions of the host code that no values tried would meet

    def origin(self, term: Term | None, roots: Sequence[Root]) -> Origin:
        """Where the value of a formula comes from."""
        if term is None:
            return Origin()
        if (bare := root_of(term)) is not None:
            return self.origins[bare]
        used = sorted(term.roots)
        names = tuple(dict.fromkeys(roots[r].name for r in used))
        known = all(self.origins[r].known for r in used)
        why = next((o.why for r in used if (o := self.origins[r]).kind == ASSUMED and o.why), "")
        return Origin(READ if known else COMPUTED, names, "" if known else why)


def root_of(term: Term | None) -> int | None:
    """The root that a formula is, but for conversions; None if it is computed."""
    while isinstance(term, Applied) and term.operator in ("convert", UNWRAPPED):
        term = term.arguments[0]
    return term.root if isinstance(term, Unknown) else None


@dataclass(frozen=True)
class Launching:
    """What a world is looked for: roots, what they must meet, and what is computed of them."""

    roots: tuple[Root, ...]
    wishes: Mapping[int, Wish]
    requirements: tuple[Requirement, ...]
    extents: tuple[Term, ...]  #: of the grid, those that hang on roots
    block: tuple[Term, ...]  #: of the block, likewise
    threads: int  #: of the block's extents that are read, multiplied
    computed: tuple[Term, ...]  #: integer arguments that are computed of roots
    most_threads: int = 1024
    #: computed sizes along axes whose blocks do not hang on them, each with a block's threads
    bounds: tuple[tuple[Term, int], ...] = ()
    allocated: tuple[Term, ...] = ()  #: bytes behind pointers that are computed of roots
    axes: int = 3  #: how many the kernel's threads are told apart along
    row: int = 2  #: what is computed and less than it shows little
    differences: tuple[
        Term, ...
    ] = ()  #: what subtracting computes of floats, and in structs: widths, steps
    #: roots that are the pitch of rows, each with the elements of a row that the kernel goes along
    rows: tuple[tuple[int, Term], ...] = ()
    #: what the kernel calls roots that are arguments of it
    called: Mapping[int, frozenset[str]] = field(default_factory=dict)

    #: numbers of formulas, by these and what their own roots are: most roots stay as they are
    #: while one is moved, and one formula is asked for by several conditions
    _known: dict[tuple[int, tuple[int | float, ...]], tuple[Term, int | float | None]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def number(self, term: Term, values: Sequence[int | float]) -> int | float | None:
        """A formula's number where the roots have these values; None where C has none."""
        key = id(term), tuple([values[root] for root in term.roots])
        if key not in self._known:  # the formula stands beside its number, so that it lives on
            self._known[key] = term, evaluate(term, self.roots, values)
        return self._known[key][1]


def with_value(
    values: tuple[int | float, ...], root: int, value: int | float
) -> tuple[int | float, ...]:
    return (*values[:root], value, *values[root + 1 :])
