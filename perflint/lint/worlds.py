"""Worlds: values for the roots of a launch that fit together.

See docs/architecture.md, "Launches and worlds".

Nothing is invented argument by argument. Grid, block, arguments and allocations are formulas of
the host code; what they hang on and reading cannot tell are *roots*. A world gives each root one
value, and all else is computed. Values are distinct for distinct roots, for equal ones hide strides
and make quotients 1; no powers of two, for these make divisions cheap and strides conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod

from perflint.frontend.source.evaluation import evaluate
from perflint.frontend.source.terms import Applied, Requirement, Root, Term, Unknown, numbers_in

#: Multiples of the sectors of four-byte elements; three of the first multiply to less than 2^31.
LARGE = (1280, 1152, 1408, 896, 1536, 640, 1664, 768, 1792, 1920, 2176, 2304)
SMALL = (96, 160, 224, 288, 352, 416, 480, 544, 608, 672, 736, 800)
#: Where several of these are multiplied beyond what an int holds.
TINY = (24, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200)
#: … and where these are what the larger world has already: the same, dealt out otherwise.
OTHERS = (56, 24, 72, 40, 104, 88, 136, 120, 168, 152, 200, 184)
LADDERS = (LARGE, SMALL, TINY, OTHERS)
#: Threads of a launch beyond which its sizes are taken to be factors of a much smaller product.
MOST_THREADS = 1 << 27
#: What is computed of sizes and is less than this shows little: rows shorter than a warp.
ROWS = (32, 8)
#: Integers that fill arrays are below these: indices into what nothing sizes.
DATA = (1024, 64)
FLOATS = tuple(1.5 + 0.25 * k for k in range(12))
#: Of a range of which nothing fixes either end, the lower one: small, and a multiple of a sector.
LOWER_BOUND = 32
#: How much larger one root is made where all that is computed of equal ones degenerates.
ENLARGED = 64
#: Roots that are made so until a GPU would accept the grid: one for each of its axes, and one more.
ENLARGEMENTS = 4
#: … and how many times another one it is made first, so that a quotient is whole, and a row's size.
COMMON = 96
#: Values that are tried for one launch's conditions, and evaluations of these at most.
CANDIDATES, EVALUATIONS = 48, 2_000
SECTOR = 32  #: bytes; rows of as many elements, of whatever size, begin with a sector
ADDED_ROOTS = 6  #: roots of which worlds are added

READ, COMPUTED, ASSUMED = "read", "computed", "assumed"
DEFAULT = "by default"


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
        return f"from {' and '.join((*shown, *([others] if others else [])))}"


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
    while isinstance(term, Applied) and term.operator == "convert":
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
    row: int = 2  #: what is computed and less than it shows little

    def number(self, term: Term, values: Sequence[int | float]) -> int | float | None:
        return evaluate(term, self.roots, values)


def worlds(launching: Launching) -> tuple[World, ...]:
    """The worlds that a launch is tried in, the primary one first.

    Where nothing is open they differ only in the integers that fill arrays.
    """
    first = _world(launching, LARGE, 0)
    if all(origin.known for origin in first.origins):
        return tuple(replace(first, name=f"integers {most}", scale=most) for most in DATA)
    second = _world(launching, SMALL, 1)
    ladder = SMALL
    while second.values == first.values and ladder is not OTHERS:
        ladder = LADDERS[LADDERS.index(ladder) + 1]
        second = _world(launching, ladder, 1)
    if _is_better(launching, first, second):
        return first, replace(first, name=f"integers {DATA[1]}", scale=DATA[1])
    return first, second


def _is_better(launching: Launching, first: World, second: World) -> bool:
    """Whether only the first of two worlds is one in which the host code launches the kernel."""
    counts = [len(_broken(launching, world.values)) for world in (first, second)]
    launches = [_is_launch(launching, world.values) for world in (first, second)]
    return (
        launches[0] >= launches[1]
        and counts[0] <= counts[1]
        and (launches[0] > launches[1] or counts[0] < counts[1])
    )


def added(launching: Launching, world: World) -> Iterator[World]:
    """Further worlds for what a world does not reach: one root small, at 2, and large."""
    free = [r for r, origin in enumerate(world.origins) if _is_size(launching, r, origin)]
    for root in free[:ADDED_ROOTS]:
        for value in (SECTOR, 2, world.values[root] * ENLARGED):
            values = _with(world.values, root, value)
            if is_possible(launching, world, values):
                name = f"{launching.roots[root].name} = {value:,}"
                yield replace(world, name=name, values=values)


def is_possible(launching: Launching, world: World, values: Sequence[int | float]) -> bool:
    """Whether the host code would launch with these values, and a GPU accept it.

    No computed number may become smaller than it shows something, if it was not so in the world.
    """
    if _broken(launching, values) or not _is_launch(launching, values):
        return False
    return _degenerate(launching, values) <= _degenerate(launching, world.values)


def _is_size(launching: Launching, root: int, origin: Origin) -> bool:
    known = launching.roots[root]
    wish = launching.wishes.get(root, Wish())
    is_number = known.type.kind == "int" and known.type.size > 1 and not known.enumerators
    is_number = is_number and known.default is None
    return is_number and not (origin.known or wish.flag or wish.logarithm or wish.threads)


def _world(launching: Launching, ladder: tuple[int, ...], turn: int) -> World:
    """The world of a scale; of a smaller one where rows would be shorter than a warp, or no int."""
    launching = replace(launching, row=ROWS[turn])
    best: tuple[int, World] | None = None
    for sizes in LADDERS[LADDERS.index(ladder) :]:
        world = _of_ladder(launching, sizes, turn)
        poor = _degenerate(launching, world.values)
        if best is None or poor < best[0]:
            best = poor, world
        if not poor:
            break
    assert best is not None
    return best[1]


def _of_ladder(launching: Launching, ladder: Sequence[int], turn: int) -> World:
    values: list[int | float] = []
    origins: list[Origin] = []
    sizes = floats = 0
    for index, root in enumerate(launching.roots):
        wish = launching.wishes.get(index, Wish())
        value, origin = _value(root, wish, ladder, turn, sizes, floats)
        invented = origin.kind == ASSUMED and root.default is None
        sizes += invented and root.type.kind == "int" and root.type.size > 1
        floats += invented and root.type.kind == "float"
        values.append(value)
        origins.append(origin)
    found = _with_block(launching, tuple(values), origins)
    found, why = _meeting(launching, found, origins)
    for _ in range(ENLARGEMENTS):
        before, found = found, _spread(launching, found, origins)
        why |= {
            r: "as 0 launches nothing"
            for r, o in enumerate(origins)
            if o.known and found[r] != before[r]
        }
        if found == before or _is_launch(launching, found):
            break
    told = tuple(
        replace(o, kind=ASSUMED, why=why[r]) if r in why else o for r, o in enumerate(origins)
    )
    broken = tuple(q.text for q in _broken(launching, found))
    return World(f"sizes near {ladder[0]:,}", DATA[turn], found, told, broken)


def _value(
    root: Root, wish: Wish, ladder: Sequence[int], turn: int, sizes: int, floats: int
) -> tuple[int | float, Origin]:
    """A root's first value, and where it comes from."""
    if root.default is not None and root.why:
        return root.default, Origin(ASSUMED, (), root.why)
    if root.default is not None:
        where = f"the default at line {root.place.line}" if root.place else "the default"
        return root.default, Origin(READ, (), where)
    assumed = Origin(ASSUMED)
    if root.enumerators:
        return root.enumerators[min(turn, len(root.enumerators) - 1)], assumed
    if root.type.kind == "float":
        if wish.start:
            return 0.0, assumed
        return FLOATS[floats % len(FLOATS)], assumed
    if wish.flag or root.type.size == 1:
        return 1 - turn, assumed
    size = ladder[sizes % len(ladder)]
    if wish.extent is not None:
        return wish.extent * (3 if turn else 1), assumed
    if wish.logarithm:
        return size.bit_length() - 1, assumed
    if wish.start:
        return min(LOWER_BOUND, size // 4), assumed
    if wish.mask:
        return 1 << (size.bit_length() - 1), assumed
    return min(size, 1024) if root.type.size == 2 else size, assumed


def _with(
    values: tuple[int | float, ...], root: int, value: int | float
) -> tuple[int | float, ...]:
    return (*values[:root], value, *values[root + 1 :])


# --- the block ------------------------------------------------------------------------------------

#: What blocks are in real code, the likeliest first, by how many extents are open.
_BLOCKS = {
    1: ((256,), (128,), (512,), (64,), (32,), (16,), (8,), (1024,)),
    2: ((32, 8), (16, 16), (32, 4), (8, 8)),
    3: ((8, 8, 4), (32, 4, 2), (4, 4, 4)),
}


def _with_block(
    launching: Launching, values: tuple[int | float, ...], origins: Sequence[Origin]
) -> tuple[int | float, ...]:
    """Values under which the block is one that a GPU accepts, where there are such."""
    open_ = sorted({r for term in launching.block for r in term.roots if not origins[r].known})
    if not open_ or _is_block(launching, values):
        return values
    for block in _BLOCKS[min(3, len(open_))]:
        tried = values
        for root, extent in zip(open_, block, strict=False):
            tried = _with(tried, root, extent)
        if _is_block(launching, tried) and not _broken(launching, tried):
            return tried
    return values


def _is_block(launching: Launching, values: Sequence[int | float]) -> bool:
    threads: int | float = launching.threads
    for term in launching.block:
        extent = launching.number(term, values)
        if extent is None or extent < 1:
            return False
        threads *= extent
    return threads <= launching.most_threads


def _is_launch(launching: Launching, values: Sequence[int | float]) -> bool:
    """Whether a GPU accepts the grid and the block."""
    return _is_block(launching, values) and all(_accepted(launching, values))


def _accepted(launching: Launching, values: Sequence[int | float]) -> list[bool]:
    """Of each extent of the grid that hangs on roots, whether a GPU accepts it."""
    extents = (launching.number(term, values) for term in launching.extents)
    return [e is not None and 1 <= e < 1 << 31 for e in extents]


# --- what the host code asks for ------------------------------------------------------------------


def _broken(launching: Launching, values: Sequence[int | float]) -> list[Requirement]:
    """The conditions that are not met. Those that have no value are no conditions."""
    truths = ((q, launching.number(q.term, values)) for q in launching.requirements)
    return [q for q, truth in truths if truth is not None and bool(truth) != q.holds]


def _meeting(
    launching: Launching, values: tuple[int | float, ...], origins: Sequence[Origin]
) -> tuple[tuple[int | float, ...], dict[int, str]]:
    """Values that meet as many conditions as can be had, and by which condition one was changed.

    The source's own defaults stay as they are, unless nothing else meets a condition: the first
    turn of a loop is not the one in which `k % 2` is 1. Roots are moved one by one, and several at
    once where that does not help: of `min(a, b) > 512` both.
    """
    why: dict[int, str] = {}
    left = EVALUATIONS
    for _ in range(len(launching.requirements)):
        broken = _broken(launching, values)
        best: tuple[int, int, tuple[int | float, ...], tuple[int, ...], str] | None = None
        for moves in (_one_by_one(False), _at_once, _one_by_one(True)):
            if best is not None:
                break
            for requirement, roots, tried in moves(launching, broken, values):
                left -= 1
                truth = launching.number(requirement.term, tried)
                if left < 0 or truth is None or bool(truth) != requirement.holds:
                    continue
                count = len(_broken(launching, tried))
                poor = _degenerate(launching, tried)
                if count < len(broken) and (best is None or (count, poor) < best[:2]):
                    text = requirement.text if requirement.holds else f"not {requirement.text}"
                    best = count, poor, tried, roots, text
        if best is None:
            break
        values = best[2]
        why.update(dict.fromkeys(best[3], f"as {best[4]} asks"))
    return values, why


#: What is tried to meet a condition: the condition, the roots that are moved, and all values.
_Moved = tuple[Requirement, tuple[int, ...], tuple[int | float, ...]]
_Moves = Callable[[Launching, Sequence[Requirement], tuple[int | float, ...]], Iterator[_Moved]]


def _one_by_one(given: bool) -> _Moves:
    """Each root of a broken condition for itself: those with a default, or those without."""

    def moves(
        launching: Launching, broken: Sequence[Requirement], values: tuple[int | float, ...]
    ) -> Iterator[_Moved]:
        for requirement, root in _movable(launching, broken, given):
            terms = [q.term for q in launching.requirements if root in q.term.roots]
            for candidate in _candidates([requirement.term, *terms], root, values):
                yield requirement, (root,), _with(values, root, candidate)

    return moves


def _at_once(
    launching: Launching, broken: Sequence[Requirement], values: tuple[int | float, ...]
) -> Iterator[_Moved]:
    """All roots of a broken condition made larger, by or up to the numbers written in it."""
    for requirement in broken:
        roots = tuple(
            root
            for each, root in _movable(launching, [requirement], False)
            if isinstance(values[root], int)
        )
        if len(roots) < 2:
            continue
        for number in sorted({n for n in numbers_in(requirement.term) if 1 < n < 1 << 20}):
            for enlarged in (_rounded_up, int.__mul__):
                tried = values
                for root in roots:
                    tried = _with(tried, root, enlarged(int(values[root]), number))
                yield requirement, roots, tried


def _rounded_up(value: int, number: int) -> int:
    """The least multiple of a number that is not below a value."""
    return -(-value // number) * number


def _movable(
    launching: Launching, broken: Sequence[Requirement], given: bool
) -> Iterator[tuple[Requirement, int]]:
    """The broken conditions, each with its roots: those with a default of the source's, or without.

    What the GPU answers is no default.
    """
    for requirement in broken:
        for root in sorted(requirement.term.roots):
            known = launching.roots[root]
            if (known.default is not None) is given and not known.why:
                yield requirement, root


#: What a float is tried as beside each number that it is compared with: factors and steps.
_AROUND = ((1, 0), (1, 0.5), (1, -0.5), (0.5, 0))


def _candidates(
    terms: Sequence[Term], root: int, values: Sequence[int | float]
) -> Iterator[int | float]:
    """Values of a root that might turn conditions over, those near its own first.

    The first of `terms` is the one that does not hold; what the others ask may bound it, too.
    """
    own = values[root]
    written = {n for term in terms for n in numbers_in(term) if 0 <= n < 1 << 31}
    others = {v for r in terms[0].roots if r != root and (v := values[r]) > 0}
    if isinstance(own, float):
        numbers = sorted(written | others)
        floats = (float(n * factor + step) for n in numbers for factor, step in _AROUND)
        yield from islice(floats, CANDIDATES)
        return
    around: dict[int, None] = {}
    for number in sorted(written | {int(o) for o in others}):
        near = number // SECTOR * SECTOR
        around.update(dict.fromkeys((number, number + 1, number - 1, near, near + SECTOR)))
        if number > 1:
            around.update(dict.fromkeys((own // number * number, -(-own // number) * number)))
            around.update(dict.fromkeys((own * number, number * 2)))
    power = 1 << (own.bit_length() - 1) if own > 0 else 1
    around.update(dict.fromkeys((power, 32 * power, own // 4, own * 4, 2, 1, 0)))
    ordered = sorted((n for n in around if n != own and n >= 0), key=lambda n: _distance(n, own))
    yield from islice(ordered, CANDIDATES)


def _distance(number: int, own: int) -> tuple[bool, bool, int, int]:
    """What is tried later: 0, then sizes that would misalign rows, which is CU105's matter."""
    odd = number > 2 * SECTOR and number % SECTOR != 0
    return number == 0, odd, abs(number - own), number


# --- what degenerates -----------------------------------------------------------------------------


def _degenerate(launching: Launching, values: Sequence[int | float]) -> int:
    """How many computed numbers are too small to show anything; no launch at all weighs most."""
    numbers = [launching.number(term, values) for term in launching.computed]
    poor = sum(4 if n is None or n < 2 else 1 if n < launching.row else 0 for n in numbers)
    if not _is_launch(launching, values):
        return poor + 100 * max(1, sum(not e for e in _accepted(launching, values)))
    sizes = ((launching.number(term, values), threads) for term, threads in launching.bounds)
    poor += sum(n is not None and 0 <= n < threads for n, threads in sizes)
    return poor + (_threads(launching, values) > MOST_THREADS)


def _threads(launching: Launching, values: Sequence[int | float]) -> float:
    """The threads of a launch, as far as its extents hang on roots."""
    extents = (launching.number(t, values) for t in (*launching.extents, *launching.block))
    return launching.threads * prod(e for e in extents if e is not None)


def _spread(
    launching: Launching, values: tuple[int | float, ...], origins: Sequence[Origin]
) -> tuple[int | float, ...]:
    """With one root made large where quotients and differences of like ones degenerate."""
    worst = _degenerate(launching, values)
    if not worst:
        return values
    broken = len(_broken(launching, values))
    best, found = worst, values
    sizes = [r for r, origin in enumerate(origins) if _is_size(launching, r, origin)]
    lengths = [] if _is_launch(launching, values) else _lengths(launching, origins)
    for root in (*sizes, *lengths):
        multiples = [values[other] * COMMON for other in _beside(launching, root) if other in sizes]
        for value in (*multiples, (values[root] or LOWER_BOUND) * ENLARGED):
            tried = _with(values, root, value)
            if len(_broken(launching, tried)) <= broken:
                poor = _degenerate(launching, tried)
                if poor < best:
                    best, found = poor, tried
    return found


def _lengths(launching: Launching, origins: Sequence[Origin]) -> list[int]:
    """What a grid may be computed of, too: floats (`(hi.x - lo.x) / h` cells), sizes set to 0."""
    used = frozenset().union(*(term.roots for term in launching.extents))
    return [
        r
        for r, origin in enumerate(origins)
        if r in used
        and (
            launching.roots[r].default == 0
            if origin.known
            else launching.roots[r].type.kind == "float"
        )
    ]


def _beside(launching: Launching, root: int) -> list[int]:
    """The roots that something is computed of together with one: its divisors, perhaps."""
    terms = (term for term in launching.computed if root in term.roots)
    return sorted({other for term in terms for other in term.roots} - {root})
