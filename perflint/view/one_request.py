"""One request in detail: which transaction or wavefront serves which lane's bytes.

`perflint.sim.coalescing` and `perflint.sim.banks` count the same for many requests at once, by the
same rules; tests hold this module, and the page's `model.js`, against them on every architecture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perflint.base.records import dataclass
from perflint.sim.banks import WORD
from perflint.sim.coalescing import LINE, SECTOR

_HALF = 16  #: lanes that compute capability 1.x serves together
#: Bytes of the segment in which 1.0 and 1.1 pack a half-warp's words, by their size (Guide 4.2,
#: F.3.2.1).
_PACKED = {4: 64, 8: 128, 16: 256}


@dataclass(frozen=True)
class Request:
    """One warp's request. `offsets` are bytes from the start of an allocation, or of the window."""

    space: str  #: `global` or `shared`
    size: int  #: bytes per lane
    lanes: tuple[int, ...]  #: that take part, ascending
    offsets: tuple[int, ...]  #: of these lanes
    kind: str = "load"  #: `store` or `atomic`


@dataclass(frozen=True)
class Transaction:
    """Bytes that move together, and the lanes they serve."""

    start: int | None  #: None: of 1.0's sixteen, one for a lane that takes no part
    length: int
    uses: tuple[tuple[int, int, int], ...]  #: (lane, first byte, behind the last), from `start`

    @property
    def used(self) -> int:
        """Bytes that some lane asked for."""
        wanted: set[int] = set()
        for _, first, last in self.uses:
            wanted.update(range(first, last))
        return len(wanted)


@dataclass(frozen=True)
class Wavefront:
    """One pass over the banks: (bank, word, lanes that want it), by bank."""

    cells: tuple[tuple[int, int, tuple[int, ...]], ...]


def transactions(request: Request, rule: str) -> tuple[Transaction, ...]:
    """A global request's transactions under an architecture's coalescing rule, by address."""
    pairs = list(zip(request.lanes, request.offsets, strict=True))
    if rule == "sectors32":
        found = list(_granules(pairs, request.size, SECTOR))
    elif rule == "lines128":
        phases = {8: 2, 16: 4}.get(request.size, 1)
        found = [t for part in _parts(pairs, phases) for t in _granules(part, request.size, LINE)]
    else:
        halves = {"cc10": _cc10, "cc12": _cc12}[rule]
        found = [t for part in _parts(pairs, 2) if part for t in halves(part, request.size)]
    return tuple(found)


def wavefronts(request: Request, rule: str) -> tuple[Wavefront, ...]:
    """A shared request's wavefronts under an architecture's rule for banks."""
    pairs = list(zip(request.lanes, request.offsets, strict=True))
    if rule == "cc1":
        steps = range(max(1, request.size // WORD))
        return tuple(w for k in steps for part in _parts(pairs, 2) for w in _cc1(part, k))
    phases = max(1, request.size // (WORD if rule != "cc3" else 2 * WORD))
    merges = rule == "cc5" and phases > 1 and request.kind != "store"
    if merges and (_agree(pairs, 1) or _agree(pairs, 2)):
        phases //= 2
    return tuple(w for part in _parts(pairs, phases) for w in _phase(part, request.size, rule))


Pairs = Sequence[tuple[int, int]]


def _parts(pairs: Pairs, count: int) -> list[list[tuple[int, int]]]:
    """The lanes of each of `count` equal parts of the warp."""
    width = 32 // count
    return [[p for p in pairs if p[0] // width == part] for part in range(count)]


def _uses(pairs: Pairs, size: int, start: int, length: int) -> tuple[tuple[int, int, int], ...]:
    """The parts of these lanes' bytes that lie in some bytes."""
    cut = ((lane, max(at, start), min(at + size, start + length)) for lane, at in pairs)
    return tuple((lane, low - start, high - start) for lane, low, high in cut if low < high)


def _granules(pairs: Pairs, size: int, granule: int) -> Iterator[Transaction]:
    touched = {
        piece for _, at in pairs for piece in range(at // granule, (at + size - 1) // granule + 1)
    }
    for piece in sorted(touched):
        yield Transaction(piece * granule, granule, _uses(pairs, size, piece * granule, granule))


def _cc10(half: Pairs, size: int) -> Iterator[Transaction]:
    """In order and in one segment, or a transaction for each of the sixteen lanes."""
    segment = _PACKED.get(size)
    bases = {at - lane % _HALF * size for lane, at in half}
    if segment is not None and len(bases) == 1 and min(bases) % segment == 0:
        pieces = 2 if size == 16 else 1
        for start in range(min(bases), min(bases) + segment, segment // pieces):
            length = segment // pieces
            yield Transaction(start, length, _uses(half, size, start, length))
        return
    wanted = dict(half)
    first = half[0][0] // _HALF * _HALF
    for lane in range(first, first + _HALF):
        at = wanted.get(lane)
        if at is None:
            yield Transaction(None, SECTOR, ())
        else:
            start = at // SECTOR * SECTOR
            yield Transaction(start, SECTOR, _uses([(lane, at)], size, start, SECTOR))


def _cc12(half: Pairs, size: int) -> Iterator[Transaction]:
    """Segments, shrunk while only one half is used (Guide 4.2, F.3.2.2)."""
    whole = {1: 32, 2: 64}.get(size, 128)
    left = list(half)
    while left:
        start = left[0][1] // whole * whole
        now = [p for p in left if p[1] // whole * whole == start]
        low, high = min(at for _, at in now), max(at for _, at in now) + size
        length = whole
        while length > 32:
            middle = start + length // 2
            if low >= middle and high > middle:
                start, length = middle, length // 2
            elif high <= middle:
                length //= 2
            else:
                break
        yield Transaction(start, length, _uses(now, size, start, length))
        left = [p for p in left if p not in now]


def _phase(pairs: Pairs, size: int, rule: str) -> Iterator[Wavefront]:
    """The wavefronts of lanes that are served together: each takes one line of every bank."""
    lines: dict[int, dict[int, dict[int, list[int]]]] = {}  # by bank and line: words, their lanes
    for lane, at in pairs:
        for word in range(at // WORD, (at + size - 1) // WORD + 1):
            line = word if rule != "cc3" else (word >> 6 << 5) + (word & 31)
            of_bank = lines.setdefault(line & 31, {})
            of_bank.setdefault(line, {}).setdefault(word, []).append(lane)
    for turn in range(max((len(found) for found in lines.values()), default=0)):
        cells = [
            (bank, word, tuple(lanes))
            for bank, found in sorted(lines.items())
            if turn < len(found)
            for word, lanes in list(found.values())[turn].items()
        ]
        yield Wavefront(tuple(cells))


def _agree(pairs: Pairs, distance: int) -> bool:
    """Whether all pairs of lanes (i, i ^ distance) that take part have one address."""
    at = dict(pairs)
    return all(at.get(lane ^ distance, offset) == offset for lane, offset in pairs)


def _cc1(half: Pairs, part: int) -> Iterator[Wavefront]:
    """Each step serves one broadcast word, and one lane of every other of 16 banks (F.3.3)."""
    left = [(lane, (at + part * WORD) // WORD) for lane, at in half]
    while left:
        by_bank: dict[int, list[int]] = {}
        for _, word in left:
            by_bank.setdefault(word % 16, []).append(word)
        load = max(len(words) for words in by_bank.values())
        best, chosen = -1, 0
        for _, word in left:
            wanted = sum(other == word for _, other in left)
            if len(by_bank[word % 16]) == load and wanted > best:
                best, chosen = wanted, word
        cells = {chosen % 16: (chosen, [lane for lane, word in left if word == chosen])}
        for lane, word in left:
            if word % 16 not in cells:
                cells[word % 16] = (word, [lane])
        served = {lane for _, lanes in cells.values() for lane in lanes}
        yield Wavefront(tuple((b, w, tuple(lanes)) for b, (w, lanes) in sorted(cells.items())))
        left = [(lane, word) for lane, word in left if lane not in served]
