"""Worlds: values for the roots of a launch that fit together.

See docs/architecture.md, "Launches and worlds".

Nothing is invented argument by argument. Grid, block, arguments and allocations are formulas of
the host code; what they hang on and reading cannot tell are *roots*. A world gives each root one
value, and all else is computed. Values are distinct for distinct roots, for equal ones hide strides
and make quotients 1; no powers of two, for these make divisions cheap and strides conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from perflint.base.patterns import pattern
from perflint.frontend.source.language.terms import Root
from perflint.lint.requirements import meeting
from perflint.lint.world_checks import (
    NOTHING,
    WRAPPED,
    below,
    degenerate,
    has_whole_warps,
    is_block,
    is_launch,
    is_starved,
    oversized,
    refused,
    unmet,
)
from perflint.lint.world_model import (
    ASSUMED,
    READ,
    SECTOR,
    Launching,
    Origin,
    Wish,
    World,
    root_of,
    with_value,
)

#: Multiples of the sectors of four-byte elements; three of the first multiply to less than 2^31.
LARGE = (1280, 1152, 1408, 896, 1536, 640, 1664, 768, 1792, 1920, 2176, 2304)
SMALL = (96, 160, 224, 288, 352, 416, 480, 544, 608, 672, 736, 800)
#: Between both: factors of what would be more elements than a tensor has.
MIDDLE = (320, 192, 448, 384, 288, 480, 416, 352, 224, 576, 640, 704)
#: Where several of these are multiplied beyond what an int holds.
TINY = (24, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200)
#: … and where these are what the larger world has already: the same, dealt out otherwise.
OTHERS = (56, 24, 72, 40, 104, 88, 136, 120, 168, 152, 200, 184)
LADDERS = (LARGE, SMALL, TINY, OTHERS)
#: What is computed of sizes and is less than this shows little: rows shorter than a warp.
ROWS = (32, 8)
#: Integers that fill arrays are below these: indices into what nothing sizes.
DATA = (1024, 64)
FLOATS = tuple(1.5 + 0.25 * k for k in range(12))
#: Of bytes: an element that pitches have room for, and what an A100 aligns rows to. Widths are
#: among the first large sizes; larger rows would overflow an int where volumes are indexed.
ELEMENT, PITCH_ALIGNMENT, WIDTHS = 4, 512, 4
#: How a window moves over an image, by the names that such sizes have, in both worlds: what is
#: moved by 1 as often as not, and by no more than a few.
WINDOWS = {
    r"(kernel|filter)_?(size|height|width|[hwxy])?|k_?size|(?-i:k[HW])": (3, 5),
    r"(stride|pad|padding|dilation)s?(_?[hwxy])?|(?-i:[dp][HW])": (1, 2),
}
#: What an image's side is multiplied or divided by.
FACTOR = pattern(
    r"((down|up|sub|over)_?)?(sampl(e|ing)_?)?(scale|factor|ratio)_?[xyzwh]?", re.IGNORECASE
)
FACTORS = (1, 2)
#: Values of a pixel, beside the names of an image's sides; layers of a network have more.
CHANNELS = pattern(r"\w*channels|n(um)?_?channel|channel_?(count|num)", re.IGNORECASE)
PER_PIXEL = (3, 4)
_SIDE = pattern(r"width|height|rows|cols|^[wh]$", re.IGNORECASE)
_LAYER = pattern(r"batch|group|kernel|filter|pad|dilation|hidden|head|feature|^n$", re.IGNORECASE)
#: What is a share of something, by the names of such floats: an overlap, a probability.
SHARE = pattern(
    r"\w*(iou|overlap|dropout)(_?thr\w*|_?p(rob\w*)?|_?rat(e|io))?|\w*prob(ability)?|top_?p",
    re.IGNORECASE,
)
SHARES = (0.5, 0.25)
#: Threads of a block, by the names that such numbers have, in both worlds.
_THREADS = pattern(
    r"(n|num|n_|num_|cta_?|cuda_?)?(threads?(_?(num|count|per_?(block|cta)))?|block_?(size|dim)|tpb)"
    r"(_?x)?",
    re.IGNORECASE,
)
THREADS = (256, 128)
#: … where names of images stand beside them: a stride may be a row's length elsewhere.
_IMAGE = pattern(r"(batch|channel|pad|kernel|ksize|dilation)|^(c|in_c)$", re.IGNORECASE)
#: Of a range of which nothing fixes either end, the lower one: small, and a multiple of a sector.
LOWER_BOUND = 32
#: How much larger one root is made where all that is computed of equal ones degenerates.
ENLARGED = 64
#: Roots that are made so until a GPU would accept the grid: one for each of its axes, and one more.
ENLARGEMENTS = 4
#: … and how many times another one it is made first, so that a quotient is whole, and a row's size.
COMMON = 96
#: … and what a divisor is made, where that does not help.
FEW = (4, 2)
ADDED_ROOTS = 6  #: roots of which worlds are added


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
    counts = [len(unmet(launching, world.values)) for world in (first, second)]
    launches = [is_launch(launching, world.values) for world in (first, second)]
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
            values = with_value(world.values, root, value)
            if is_possible(launching, world, values):
                name = f"{launching.roots[root].name} = {value:,}"
                yield replace(world, name=name, values=values)


def is_possible(launching: Launching, world: World, values: Sequence[int | float]) -> bool:
    """Whether the host code would launch with these values, and a GPU accept it.

    No computed number may become smaller than it shows something, if it was not so in the world.
    """
    if unmet(launching, values) or not is_launch(launching, values):
        return False
    return degenerate(launching, values) <= degenerate(launching, world.values)


def _is_size(launching: Launching, root: int, origin: Origin) -> bool:
    known = launching.roots[root]
    wish = launching.wishes.get(root, Wish())
    is_number = known.type.kind == "int" and known.type.size > 1 and not known.enumerators
    is_number = is_number and known.default is None
    return is_number and not (origin.known or wish.flag or wish.logarithm or wish.threads)


def _is_flag(launching: Launching, root: int, origin: Origin) -> bool:
    """Whether a root is invented, and 0 or 1."""
    known = launching.roots[root]
    is_one = known.type.size == 1 or launching.wishes.get(root, Wish()).flag
    return is_one and not (origin.known or known.enumerators or known.default is not None)


def _world(launching: Launching, ladder: tuple[int, ...], turn: int) -> World:
    """The world of a scale; of a smaller one where rows would be shorter than a warp, or no int.

    Also where the larger one does not meet what the host code asks.
    """
    launching = replace(launching, row=ROWS[turn])
    best: tuple[tuple[int, int], World] | None = None
    for sizes in LADDERS[LADDERS.index(ladder) :]:
        world = _plausible(launching, sizes, turn)
        poor = len(world.broken), degenerate(launching, world.values)
        if best is None or poor < best[0]:
            best = poor, world
        if not any(poor):
            break
    assert best is not None
    return best[1]


def _plausible(launching: Launching, ladder: tuple[int, ...], turn: int) -> World:
    """The world of a ladder, with smaller sizes for the factors of what would be too large."""
    smaller: frozenset[int] = frozenset()
    world = _of_ladder(launching, ladder, turn)
    for sizes in (*((MIDDLE,) if ladder is LARGE else ()), TINY, OTHERS):
        large = oversized(launching, world.values)
        if not large:
            break
        smaller |= large
        world = _of_ladder(launching, ladder, turn, dict.fromkeys(smaller, sizes))
    return world


def _of_ladder(
    launching: Launching,
    ladder: Sequence[int],
    turn: int,
    others: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> World:
    """The world of a ladder; `others` are those of single roots."""
    values: list[int | float] = []
    origins: list[Origin] = []
    sizes = floats = pitches = 0
    for index, root in enumerate(launching.roots):
        wish = launching.wishes.get(index, Wish())
        value, origin = _value(root, wish, others.get(index, ladder), turn, sizes, floats)
        invented = origin.kind == ASSUMED and root.default is None
        if invented and _is_pitch(root):
            value, pitches = _pitch(ladder, pitches), pitches + 1
        elif invented and (few := _window(launching, index) or _few(launching, index)):
            value = few[turn]
        elif invented and _is_size(launching, index, origin) and _THREADS.fullmatch(_plain(root)):
            value = THREADS[turn]
        elif invented and not wish.start and _is_share(launching, index):
            value = SHARES[turn]
        sizes += invented and root.type.kind == "int" and root.type.size > 1
        floats += invented and root.type.kind == "float"
        values.append(value)
        origins.append(origin)
    found = _with_rows(launching, tuple(values), origins, ladder)
    found = _with_block(launching, found, origins)
    found, why = meeting(launching, found, origins)
    for _ in range(ENLARGEMENTS):
        before, found = found, _spread(launching, found, origins)
        why |= {
            r: "as 0 launches nothing"
            for r, o in enumerate(origins)
            if o.known and found[r] != before[r]
        }
        if found == before or (is_launch(launching, found) and not below(launching, found)):
            break
    told = tuple(
        replace(o, kind=ASSUMED, why=why[r]) if r in why else o for r, o in enumerate(origins)
    )
    missed = (q.text if q.holds else f"not {q.text}" for q in unmet(launching, found))
    broken = (*missed, *refused(launching, found))
    return World(f"sizes near {ladder[0]:,}", DATA[turn], found, told, broken)


def _with_rows(
    launching: Launching,
    values: tuple[int | float, ...],
    origins: Sequence[Origin],
    ladder: Sequence[int],
) -> tuple[int | float, ...]:
    """With room for rows between the pitches that are invented: `a[y * lda + x]`, where `x < n`."""
    for root, term in launching.rows:
        length = launching.number(term, values)
        if not isinstance(length, int) or not values[root] < length < WRAPPED:
            continue
        if _is_size(launching, root, origins[root]):
            aligned = -(-length // SECTOR) * SECTOR
            longer = [size for size in sorted(ladder) if size > length and size not in values]
            values = with_value(values, root, longer[0] if longer else aligned)
    return values


def _window(launching: Launching, index: int) -> tuple[int, int] | None:
    """The values of a root that says how a window moves over an image; None for any other."""
    root = launching.roots[index]
    others = (_plain(each) for number, each in enumerate(launching.roots) if number != index)
    if root.type.kind != "int" or root.type.size < 2 or not any(map(_IMAGE.search, others)):
        return None
    name = _plain(root)
    return next((v for p, v in WINDOWS.items() if re.fullmatch(p, name, re.IGNORECASE)), None)


def _few(launching: Launching, index: int) -> tuple[int, int] | None:
    """The values of a root that says how many values a pixel has, or how images are scaled."""
    root = launching.roots[index]
    if root.type.kind != "int" or root.type.size < 2:
        return None
    names = _names(launching, index)
    if any(map(FACTOR.fullmatch, names)):
        return FACTORS
    others = set().union(*(_names(launching, r) for r in range(len(launching.roots)) if r != index))
    image = any(map(_SIDE.search, others)) and not any(map(_LAYER.search, others))
    return PER_PIXEL if image and any(map(CHANNELS.fullmatch, names)) else None


def _is_share(launching: Launching, index: int) -> bool:
    """Whether a root is a float between 0 and 1, as its name says."""
    is_float = launching.roots[index].type.kind == "float"
    return is_float and any(map(SHARE.fullmatch, _names(launching, index)))


def _names(launching: Launching, index: int) -> frozenset[str]:
    """What the host code and the kernel call a root."""
    return launching.called.get(index, frozenset()) | {_plain(launching.roots[index])}


def _plain(root: Root) -> str:
    """A root's name without what it is a member of."""
    return re.split(r"\.|->", root.name)[-1]


def _is_pitch(root: Root) -> bool:
    """Whether a root is what CUDA calls the pitch: the bytes, or elements, from row to row."""
    is_size = root.type.kind == "int" and root.type.size > 2 and not root.enumerators
    return is_size and re.search("pitch", root.name, re.IGNORECASE) is not None


def _pitch(ladder: Sequence[int], number: int) -> int:
    """A pitch in which rows of sizes of a ladder have room, aligned as `cudaMallocPitch` does."""
    room = ELEMENT * max(ladder[:WIDTHS] if ladder is LARGE else ladder)
    return (-(-room // PITCH_ALIGNMENT) + number) * PITCH_ALIGNMENT


def _value(
    root: Root, wish: Wish, ladder: Sequence[int], turn: int, sizes: int, floats: int
) -> tuple[int | float, Origin]:
    """A root's first value, and where it comes from."""
    if root.default is not None and root.why:
        return root.default, Origin(ASSUMED, (), root.why)
    if root.default is not None:
        where = f"the default at line {root.place.line}" if root.place else "the default"
        return root.default, Origin(READ, (), "" if root.told else where)
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
    """Values under which the block is one that a GPU accepts, where there are such.

    One that is computed of what is invented has whole warps, if any values make it so: nobody
    picks 20 threads.
    """
    open_ = sorted({r for term in launching.block for r in term.roots if not origins[r].known})
    plain = all(launching.roots[r].default is None for r in open_) and all(
        root_of(term) is not None for term in launching.block if term.roots & set(open_)
    )
    if not open_:
        return values
    tries = [values] if not plain and is_block(launching, values) else []
    broken = len(unmet(launching, values)) if tries else 0
    axes = min(3, len(open_), launching.axes) if plain else min(3, len(open_))
    for block in (b + (1,) * (len(open_) - axes) for b in _BLOCKS[axes]):
        tried = values
        for root, extent in zip(open_, block, strict=False):
            tried = with_value(tried, root, extent)
        if is_block(launching, tried) and len(unmet(launching, tried)) <= broken:
            tries.append(tried)
    whole = [] if plain else [each for each in tries if has_whole_warps(launching, each)]
    return next(iter((*whole, *tries, values)))


# --- what degenerates -----------------------------------------------------------------------------


def _spread(
    launching: Launching, values: tuple[int | float, ...], origins: Sequence[Origin]
) -> tuple[int | float, ...]:
    """With one root made large where quotients and differences of like ones degenerate."""
    worst = degenerate(launching, values)
    if not worst:
        return values
    broken = len(unmet(launching, values))
    best, found = worst, values
    sizes = [r for r, origin in enumerate(origins) if _is_size(launching, r, origin)]
    launches = is_launch(launching, values)
    lengths = _lengths(launching, origins) if not launches else _ratios(launching, values, origins)
    flags = (
        [] if launches else [r for r in range(len(values)) if _is_flag(launching, r, origins[r])]
    )
    moves = [(r, 1 - values[r]) for r in flags]
    apart = _apart(launching, origins)
    moves += [(r, values[r] * by) for r in apart for by in (ENLARGED, 1 / ENLARGED)]
    moves += [(r, v) for r in (*sizes, *lengths) for v in _enlarged(launching, values, r, sizes)]
    if is_starved(launching, values):
        moves += [(r, few) for r in sizes for few in FEW if values[r] > few]
    last = [(r, (values[r] or LOWER_BOUND) * ENLARGED**2) for r in sizes]
    for moved in (moves, last):
        if moved is last and best < NOTHING:
            break
        for root, value in moved:
            tried = with_value(values, root, value)
            if len(unmet(launching, tried)) <= broken:
                poor = degenerate(launching, tried)
                if poor < best:
                    best, found = poor, tried
    return found


def _enlarged(
    launching: Launching, values: tuple[int | float, ...], root: int, sizes: Sequence[int]
) -> Iterator[int | float]:
    """What a root is made where numbers degenerate: a multiple of others, or of itself."""
    for other in _beside(launching, root):
        if other in sizes:
            yield values[other] * COMMON
    yield (values[root] or LOWER_BOUND) * ENLARGED


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


def _ratios(
    launching: Launching, values: Sequence[int | float], origins: Sequence[Origin]
) -> list[int]:
    """The floats that alone decide a computed size, `1 + round(length / step)`, where it is small.

    Two invented ones are alike, and make an extent that no image or grid has.
    """
    small = [
        term.roots
        for term in launching.computed
        if (n := launching.number(term, values)) is not None and n < launching.row
    ]
    apart = [
        roots
        for roots in small
        if all(launching.roots[r].type.kind == "float" and not origins[r].known for r in roots)
    ]
    return sorted(frozenset().union(*apart))


def _apart(launching: Launching, origins: Sequence[Origin]) -> list[int]:
    """The floats that widths are the difference of."""
    used = frozenset().union(*(term.roots for term in launching.differences))
    floats = (r for r in sorted(used) if launching.roots[r].type.kind == "float")
    return [r for r in floats if not origins[r].known]


def _beside(launching: Launching, root: int) -> list[int]:
    """The roots that something is computed of together with one: its divisors, perhaps."""
    terms = (term for term in launching.computed if root in term.roots)
    return sorted({other for term in terms for other in term.roots} - {root})
