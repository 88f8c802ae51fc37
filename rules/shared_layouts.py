"""Other layouts of an array in shared memory: what its requests would cost with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from perflint.analysis.coalescing_proof import warp_patterns
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.base.records import dataclass
from perflint.grammar.model import Variable
from perflint.rules.protocol import (
    Trial,
)
from perflint.sim import banks
from perflint.sim.launch import Dim3
from perflint.sim.tracers.requests import Requests, SharedRequests

Layout = Callable[[np.ndarray], np.ndarray]  #: byte offsets in the array to those in another layout

MOST_PADDING = 8  #: elements of padding that are tried
SMALLEST_ROW = 8  #: elements; a shorter stride is no row of a tile
WARP = 32


@dataclass(frozen=True)
class Tile:
    """An array in shared memory as rows."""

    name: str  #: of the PTX variable
    size: int  #: bytes; 0 if the launch decides
    pitch: int  #: bytes from row to row
    element: int  #: bytes
    together: int = 0  #: bytes that one access of the source moves, as vectors are

    @property
    def unit(self) -> int:
        """Elements by which it is padded: a bank's four bytes at least."""
        return max(1, banks.WORD // self.element)

    def padded(self, elements: int) -> Layout:
        """Rows that are so many elements longer."""
        more = elements * self.element

        def move(offset: np.ndarray) -> np.ndarray:
            return np.asarray(offset + offset // self.pitch * more)

        return move

    @property
    def columns(self) -> int:
        """The largest power of two that a row holds: what is beyond it is padding, perhaps."""
        width: int = self.pitch // self.element
        return 1 << (width.bit_length() - 1)

    def swizzled(self, requests: Sequence[Requests], factor: int = 1) -> Layout | None:
        """Columns exchanged within each row, column ^ row, and no padding behind them.

        Rows may count by a factor, an odd one, so that all have columns of their own: by 31 the
        second of 32 columns has all bits turned, as a sort's pairs of lanes want it. None where the
        requests reach more columns than a power of two, or the source moves several at a time.
        """
        width = self.columns * self.element
        if self.together > self.element:
            return None
        if any(bool((r.offset % self.pitch >= width).any()) for r in requests):
            return None

        def move(offset: np.ndarray) -> np.ndarray:
            row, within = offset // self.pitch, offset % self.pitch
            column = (within // self.element) ^ (row * factor & (self.columns - 1))
            return np.asarray(row * width + column * self.element + within % self.element)

        return move


@dataclass(frozen=True)
class Cost:
    """What all different requests to an array cost together."""

    measured: int  #: wavefronts
    golden: int
    ways: int  #: the worst conflict

    @property
    def free(self) -> bool:
        return self.measured == self.golden


def tile_of(
    sites: Sequence[AccessSite], trial: Trial, element: int, width: int | None
) -> Tile | None:
    """The array of some sites as rows of `width` elements, or of the distance between lanes.

    None where neither is known or the array is no whole number of rows.
    """
    name, variable = sites[0].array.name, variable_of(sites[0], trial)
    if variable is None:
        return None
    pitches = [width * element] if width else _pitches(sites, element)
    for pitch in pitches:
        if pitch >= SMALLEST_ROW * element and variable.size % pitch == 0:
            return Tile(name, variable.size, pitch, element, moved_together(sites))
    return None


def variable_of(site: AccessSite, trial: Trial) -> Variable | None:
    """The variable of an access to shared memory; None where it is another pointer's."""
    name = site.array.name
    return trial.facts.module.variables.get(name) or next(
        (v for v in trial.facts.kernel.variables if v.name == name), None
    )


def _pitches(sites: Sequence[AccessSite], element: int) -> list[int]:
    """Distances between neighbouring threads that may be those of rows, least first."""
    found = {
        abs(stride.constant)
        for site in sites
        for stride in site.strides.values()
        if stride is not None and stride.constant
    }
    return sorted(step for step in found if step >= SMALLEST_ROW * element)


def other_rows(tile: Tile, sites: Sequence[AccessSite]) -> bool:
    """Whether threads lie distances apart that are rows, but none of the tile's."""
    return any(step % tile.pitch for step in _pitches(sites, tile.element))


def start_of(sites: Sequence[AccessSite], trial: Trial) -> int:
    """Where the array of some sites begins, in bytes of the block's shared window."""
    return trial.tracer(SharedRequests).offsets.get(sites[0].array.name, 0)


def requests_of(sites: Sequence[AccessSite], trial: Trial) -> list[Requests]:
    """The different requests of some sites of one array, offsets counted from its beginning.

    Those of one size are together.
    """
    tracer, start = trial.tracer(SharedRequests), start_of(sites, trial)
    found = [r for s in sites for pc in s.pcs if (r := tracer.requests.get(pc)) is not None]
    out = []
    for size in sorted({r.size for r in found}):
        mask = np.concatenate([r.mask for r in found if r.size == size])
        offset = np.concatenate([r.offset for r in found if r.size == size])
        out.append(Requests(size, mask, np.where(mask, offset - start, 0)))
    return out


def leaves_arrays(trial: Trial) -> bool:
    """Whether a run reads or writes beyond one of its shared arrays, though not beyond them all.

    What it finds there is as the arrays happen to lie.
    """
    for site in trial.facts.sites:
        variable = variable_of(site, trial) if site.space == "shared" else None
        if variable is None or not variable.size:
            continue
        for each in requests_of((site,), trial):
            at = each.offset[each.mask]
            if bool(((at < 0) | (at + each.size > variable.size)).any()):
                return True
    return False


def cost(requests: Sequence[Requests], rule: str, layout: Layout | None = None) -> Cost:
    """What requests cost under an architecture's bank rule, in another layout if one is given."""
    measured = golden = 0
    ways = 1
    for each in requests:
        offset = layout(each.offset) if layout else each.offset
        found = banks.wavefronts(each.mask, offset, each.size, rule)
        measured += int(found.measured.sum())
        golden += int(found.golden.sum())
        ways = max(ways, int(found.ways.max(initial=1)))
    return Cost(measured, golden, ways)


def moved_together(sites: Iterable[AccessSite]) -> int:
    """The bytes of the widest access that the source makes.

    Where the compiler merges neighbours, in some turns of a loop, others show what is written.
    """
    least: dict[object, int] = {}
    for each in sites:
        key = (each.kind, each.location)
        least[key] = min(each.size, least.get(key, each.size))
    return max(least.values(), default=0)


def least_padding(tile: Tile, requests: Sequence[Requests], rule: str) -> int | None:
    """The fewest elements of padding a row that free all requests of conflicts; None: no number.

    Below 0 where rows have some too much: no request reaches so many of their last elements. Rows
    that begin where the source's vectors may begin still do.
    """
    whole = tile.together or tile.element
    aligned = tile.pitch % whole == 0
    spare = _unused(tile, requests) // tile.unit * tile.unit
    fewer = range(-tile.unit, -spare - 1, -tile.unit)
    for elements in (*fewer, *range(tile.unit, MOST_PADDING * tile.unit + 1, tile.unit)):
        if aligned and elements * tile.element % whole:
            continue
        if cost(requests, rule, tile.padded(elements)).free:
            return int(elements)
    return None


def _unused(tile: Tile, requests: Sequence[Requests]) -> int:
    """Elements at the end of a row that look like padding: no request reaches them."""
    width = tile.pitch // tile.element
    reached = max(
        (int((r.offset[r.mask] % tile.pitch).max(initial=0)) + r.size for r in requests), default=0
    )
    return min(MOST_PADDING * tile.unit, max(0, width - -(-reached // tile.element)))


def free_shape(
    tile: Tile, sites: Sequence[AccessSite], block: Dim3, rule: str
) -> tuple[Dim3, int] | None:
    """A block of a warp's width and its padding that free all sites of conflicts, by formula.

    The tile's rows become as long as the block is wide: the addresses' multiples of its pitch
    become multiples of the new one. None where there is no such shape, or no formula.
    """
    threads = block[0] * block[1]
    width = tile.pitch // tile.element
    padded = block[0] <= width <= block[0] + MOST_PADDING
    if block[0] >= WARP or block[2] != 1 or threads % WARP or not padded:
        return None
    shape = (WARP, threads // WARP, 1)
    for elements in (0, tile.unit):
        pitch = (WARP + elements) * tile.element
        rows = [_lanes(site, tile.pitch, pitch, shape) for site in sites]
        if any(row is None for row in rows):
            return None
        found = [
            Requests(site.size, np.ones(row.shape, bool), row)
            for site, row in zip(sites, rows, strict=True)
            if row is not None
        ]
        if cost(found, rule).free:
            return shape, elements
    return None


def _lanes(site: AccessSite, old: int, new: int, block: Dim3) -> np.ndarray | None:
    """Byte offsets of the lanes of a block's warps with another pitch, (kinds of warp, 32)."""
    if site.address is None:
        return None
    terms = {m: c // old * new if m and c % old == 0 else c for m, c in site.address.terms.items()}
    patterns = warp_patterns(Polynomial(terms), block)
    rows = [[lane.constant for lane in lanes] for lanes in patterns or ()]
    if not rows or any(None in row for row in rows):
        return None
    return np.array(rows, np.int64)
