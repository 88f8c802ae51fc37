"""Device memory as (region, offset): one region per allocation, grown as it is touched.

A generic address is 64 bits: a region's number above bit 40, and the offset plus 2^39 below it, so
that offsets before and far behind an allocation stay in its region. A region's bytes near its
start live in one array, virtual until touched; pages far away are kept one by one.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import fills, pristine
from perflint.sim.launch import Buffer, Contents, Fill, SymbolBytes, Texture
from perflint.sim.unique_values import unique_values
from perflint.sim.values import DTYPE

REGION_SHIFT = 40
ORIGIN = 1 << 39  #: where in its 2^40 addresses a region's offset 0 lies
_OFFSET_MASK = np.uint64((1 << REGION_SHIFT) - 1)

SHARED_WINDOW = 0xFFFF01
LOCAL_WINDOW = 0xFFFF02
PARAM_WINDOW = 0xFFFF03
RANK_SHIFT = 24  #: of the bits that name a block of a cluster in an address of its shared memory
RANK = 0xFF << RANK_SHIFT
WINDOWS = (SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW)
#: Addresses in no region: null, or a number taken for a pointer.
WILD = 0x7FFFFFFF

_PAGE_BITS = 12
PAGE = 1 << _PAGE_BITS
GUARD = 1 << 20  #: bytes before offset 0 that are kept beside the region
_CHUNK = 64  #: pages filled at once, so that temporaries stay in the processor's cache
_NEAR = 1 << 30  #: bytes behind offset 0 that one array may hold


class MemoryBudgetError(Exception):
    """More device memory was touched than the budget allows."""


def base_address(region: int) -> int:
    """The generic address of a region's first byte."""
    return (region << REGION_SHIFT) + ORIGIN


def split(address: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Generic addresses as (region numbers, offsets), both (n,) int64."""
    region = (address >> np.uint64(REGION_SHIFT)).astype(np.int64)
    return region, (address & _OFFSET_MASK).astype(np.int64) - ORIGIN


@dataclass
class Accounting:
    """Bytes of memory images that all regions of a run have touched."""

    limit: int
    used: int = 0
    looked: bool = False  #: whether bytes of a region were asked for

    def take(self, size: int) -> None:
        self.used += size
        if self.used > self.limit:
            raise MemoryBudgetError(f"{self.used >> 20} MiB of device memory")

    def look(self, size: int) -> None:
        """Take what a region's bytes need that were not yet asked for."""
        self.looked = True
        self.take(size)


@dataclass
class Region:
    """One allocation. Offsets are bytes; `element` is the PTX type that its fill has."""

    number: int
    name: str
    fill: Fill
    limit: int
    accounting: Accounting
    element: str | None = None
    size: int | None = None  #: bytes allocated, where known: beyond them is a fault
    data: np.ndarray | None = None  #: initial bytes, uint8
    filling: Contents | None = None  #: what the fill's values are
    constant: bool = False
    initialised: bool = True  #: False: what is read was invented, not written
    salt: int | None = None  #: tells fills apart; None: the number
    told: np.ndarray | None = None  #: of such a region's bytes, whether they were not; (size,) bool
    written: bool = False
    extent: int = 0  #: end of the bytes touched near the start
    _bytes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))
    _ready: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    #: Pages of `_bytes` that have their contents: in a run before this one, some.
    _filled: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    _beginning: pristine.Key | None = None  #: what tells `_bytes`, where another run may have them
    changed: bool = False  #: whether any of `_bytes` may be other than they began
    _span: tuple[int, int] = (0, 0)  #: pages of `_bytes` known to be ready, as a range
    _far: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  #: pages, ascending
    _slots: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  #: theirs in `_pool`
    _pool: np.ndarray = field(default_factory=lambda: np.empty((0, PAGE), np.uint8))

    @classmethod
    def of_buffer(cls, number: int, buffer: Buffer, fill: Fill, accounting: Accounting) -> Region:
        """The region of a pointer argument."""
        data = None
        if buffer.data is not None:
            data = np.ascontiguousarray(buffer.data).reshape(-1).view(np.uint8)
        return cls(
            number,
            buffer.name,
            fill,
            buffer.limit,
            accounting,
            buffer.element,
            buffer.size,
            data,
            filling=buffer.filling,
        )

    @classmethod
    def of_texture(
        cls, number: int, texture: Texture, fill: Fill, accounting: Accounting
    ) -> Region:
        """The region of a texture's texels."""
        data = None
        if texture.data is not None:
            data = np.ascontiguousarray(texture.data).reshape(-1).view(np.uint8)
        return cls(number, texture.name, fill, 1024, accounting, texture.element, None, data)

    def hold(self, symbols: Sequence[SymbolBytes]) -> None:
        """Let a variable hold these bytes, the later ones where some overlap."""
        inside = [s for s in symbols if self.size and 0 <= s.offset < self.size]
        if not inside or self.size is None:
            return
        self.element = self.element or "u32"  # of a struct: its integers, at least, are in range
        pages = np.arange(-(-self.size // PAGE))
        data = self.initial(pages).reshape(-1)[: self.size].copy()
        told = np.full(self.size, self.initialised)
        for each in inside:
            end = min(self.size, each.offset + len(each.data))
            piece = np.frombuffer(each.data, np.uint8)[: end - each.offset]
            data[each.offset : end] = piece
            told[each.offset : end] = each.told
        self.data, self.told, self.initialised = data, told, bool(told.all())

    def invented(self, offset: np.ndarray, size: int) -> int:
        """How many accesses of `size` bytes at byte offsets (n,) read what is invented."""
        if self.initialised or self.written:
            return 0
        if self.told is None:
            return len(offset)
        known = np.concatenate(([0], np.cumsum(self.told)))
        first = np.clip(offset, 0, len(self.told))
        last = np.clip(offset + size, 0, len(self.told))
        return int(np.count_nonzero(known[last] - known[first] < size))

    def touch_inside(self, low: int, end: int, element: str, kind: str) -> bool:
        """Note accesses to aligned bytes from `low` to `end`.

        False, and nothing is noted, where one of them may be a fault.
        """
        known = self.initialised or self.written
        if low < 0 or end > (ORIGIN if self.size is None else self.size) or not known:
            return False
        self.element = self.element or element
        self.written = self.written or kind != "load"
        return True

    def load(
        self,
        offset: np.ndarray,
        low: int,
        high: int,
        dtype: np.dtype[Any],
        element: str,
        width: int,
    ) -> tuple[np.ndarray, ...]:
        """`width` consecutive values at byte offsets (n,), whose least and greatest are given."""
        self.element = self.element or element
        size = dtype.itemsize * width
        if self.near(offset, low, high + size):
            return gather(self._bytes, offset + GUARD, dtype, width)
        near = _is_near(offset, size)
        parts = [np.empty(len(offset), dtype) for _ in range(width)]
        for chosen in (near, ~near):
            some = offset[chosen]
            if not len(some):
                continue
            if chosen is near:
                found = self.load(some, int(some.min()), int(some.max()), dtype, element, width)
            else:
                where = self._far_index(some, size)
                rows = np.ascontiguousarray(self._pool.reshape(-1)[where]).view(dtype)
                found = tuple(rows[:, k] for k in range(width))
            for part, value in zip(parts, found, strict=True):
                part[chosen] = value
        return tuple(parts)

    def store(
        self, offset: np.ndarray, low: int, high: int, values: tuple[np.ndarray, ...], element: str
    ) -> None:
        """Write values (n,) side by side at byte offsets (n,); the last of equal ones stays."""
        self.element = self.element or element
        size = values[0].dtype.itemsize * len(values)
        if self.near(offset, low, high + size):
            self.written = self.changed = True
            scatter(self._bytes, offset + GUARD, values)
            return
        near = _is_near(offset, size)
        for chosen in (near, ~near):
            some = offset[chosen]
            if not len(some):
                continue
            parts = tuple(v[chosen] for v in values)
            if chosen is near:
                self.store(some, int(some.min()), int(some.max()), parts, element)
            else:
                where = self._far_index(some, size)
                rows = np.stack(parts, axis=1)
                self._pool.reshape(-1)[where] = rows.view(np.uint8).reshape(-1, size)

    def contents(self) -> np.ndarray:
        """The bytes from offset 0 to the last one touched or given, uint8."""
        end = max(self.extent, 0 if self.data is None else len(self.data))
        if end <= 0:
            return np.zeros(0, np.uint8)
        self._reserve(end)
        self._make_ready(np.arange(GUARD // PAGE, (GUARD + end - 1) // PAGE + 1))
        return self._bytes[GUARD : GUARD + end].copy()

    def give_up(self) -> tuple[np.ndarray, np.ndarray]:
        """The pages touched near the start, (n,) counted from offset 0, and their bytes, (n, PAGE).

        None where nothing changed them. The region holds no bytes afterwards.
        """
        ready = np.flatnonzero(self._ready) if self.changed else np.zeros(0, np.int64)
        ready = ready[ready >= GUARD // PAGE]
        data = self._bytes.reshape(-1, PAGE)[ready] if len(ready) else np.empty((0, PAGE), np.uint8)
        self.put_by()
        self._far, self._slots = np.empty(0, np.int64), np.empty(0, np.int64)
        self._pool = np.empty((0, PAGE), np.uint8)
        return ready - GUARD // PAGE, data

    def put_by(self) -> None:
        """Hold no bytes any more. Where nothing changed them, another run may have them."""
        if self._beginning is not None and not self.changed:
            pristine.keep(self._beginning, self._bytes, self._filled)
        self._bytes, self._ready, self._span = np.empty(0, np.uint8), np.zeros(0, bool), (0, 0)
        self._filled, self._beginning = np.zeros(0, bool), None

    def within(self, low: int, end: int) -> bool:
        """Whether all bytes [low, end) can be had as a `window` at once."""
        first, last = (low + GUARD) // PAGE, (end + GUARD - 1) // PAGE + 1
        if not self._span[0] <= first <= last <= self._span[1]:
            return False
        self.extent = max(self.extent, end)
        return True

    def window(self, low: int, end: int) -> np.ndarray:
        """Bytes [low, end) themselves, uint8: those that `near` or `within` were asked for."""
        return self._bytes[low + GUARD : end + GUARD]

    # --- near pages ------------------------------------------------------------------------------

    def near(self, offset: np.ndarray, low: int, end: int) -> bool:
        """Make the bytes at the offsets readable in the one array; False where some lie far."""
        if low < -GUARD or end > _NEAR:
            return False
        self.extent = max(self.extent, end)
        first, last = (low + GUARD) // PAGE, (end + GUARD - 1) // PAGE + 1
        if self._span[0] <= first and last <= self._span[1]:
            return True
        self._reserve(end)
        if last - first <= max(16, len(offset) // 8):  # dense: every page is wanted
            self._make_ready(np.arange(first, last))
            return True
        size = end - int(offset.max())
        whole = not size & (size - 1) and not misaligned(offset, size)  # none in two pages
        for at in (GUARD,) if whole else (GUARD, GUARD + size - 1):
            pages = (offset + at) >> _PAGE_BITS
            ready = self._ready.take(pages)
            if not ready.all():  # mostly all are: to sort those few costs little
                self._make_ready(unique_values(pages[~ready]))
        return True

    def _reserve(self, end: int) -> None:
        need = GUARD + end + PAGE
        if not len(self._bytes):
            self._take()
        if need <= len(self._bytes):
            return
        size = 16 * GUARD
        while size < need:
            size *= 8
        if self.size is not None:  # as much as it is said to have, if that is less: what is
            whole = GUARD + -(-self.size // PAGE) * PAGE + PAGE  # reserved counts as memory, too
            # beyond it, whose end nobody knows, by as much again: what there is, is copied
            size = min(size, whole if need <= whole else -(-2 * need // PAGE) * PAGE)
        grown = _virtual(size)
        more = np.zeros(size // PAGE - len(self._ready), bool)
        if self._filled.all():
            grown[: len(self._bytes)] = self._bytes
        else:
            pages = np.flatnonzero(self._filled)
            grown.reshape(-1, PAGE)[pages] = self._bytes.reshape(-1, PAGE)[pages]
        self._ready = np.concatenate((self._ready, more))
        self._filled = np.concatenate((self._filled, more))
        self._bytes = grown

    def _take(self) -> None:
        """Begin with what a run before this one has left of the same bytes."""
        if type(self) is not Region or self.element is None or self.data is not None:
            return
        salt = self.number if self.salt is None else self.salt
        filling = repr(self.filling)  # which tells 0.0 from -0.0
        self._beginning = self.fill, self.element, self.limit, salt, filling, self.size
        found = pristine.take(self._beginning)
        if found is not None:
            self._bytes, self._filled = found
            self._ready = np.zeros(len(self._filled), bool)

    def _make_ready(self, pages: np.ndarray) -> None:
        """Fill those of some ascending pages that are not filled yet."""
        missing = pages[~self._ready[pages]]
        if len(missing):
            self.accounting.look(len(missing) * PAGE)
            empty = missing[~self._filled[missing]]
            for at in range(0, len(empty), _CHUNK):
                some = empty[at : at + _CHUNK]
                self._bytes.reshape(-1, PAGE)[some] = self.initial(some - GUARD // PAGE)
            self._filled[empty] = self._ready[missing] = True
        first, last = int(pages[0]), int(pages[-1]) + 1
        if last - first != len(pages):
            return
        low, high = self._span
        if low == high:
            self._span = (first, last)
        elif first <= high and low <= last:
            self._span = (min(low, first), max(high, last))

    def initial(self, pages: np.ndarray) -> np.ndarray:
        """Initial contents of pages counted from byte offset 0, (n, PAGE) uint8."""
        if self.data is not None and (pages[0] + len(pages)) * PAGE <= len(self.data):
            first, last = int(pages[0]), int(pages[-1]) + 1
            if first >= 0 and last - first == len(pages):  # all of it was given
                return self.data[first * PAGE : last * PAGE].reshape(-1, PAGE)
        element = self.element or "b8"
        each = PAGE // DTYPE[element].itemsize
        index = (pages[:, None] * each + np.arange(each)).reshape(-1)
        salt = self.number if self.salt is None else self.salt
        out = fills.filled_at(self.fill, element, self.limit, index, salt, self.filling)
        out = out.reshape(-1, PAGE)
        if self.data is not None:
            for row, page in enumerate(pages.tolist()):
                low, high = max(page * PAGE, 0), min((page + 1) * PAGE, len(self.data))
                if low < high:
                    start = low - page * PAGE
                    out[row, start : start + high - low] = self.data[low:high]
        return out

    # --- far pages -------------------------------------------------------------------------------

    def _far_index(self, offset: np.ndarray, size: int) -> np.ndarray:
        """Indices into the flat pool of every byte of every access, (n, size) int64."""
        each = offset[:, None] + np.arange(size)
        first, last = offset >> _PAGE_BITS, (offset + (size - 1)) >> _PAGE_BITS
        # mostly one page an access
        wanted = first[:, None] if np.array_equal(first, last) else each >> _PAGE_BITS
        found = self._far.searchsorted(wanted)
        known = np.zeros(wanted.shape, bool)
        if len(self._far):
            known = self._far.take(found, mode="clip") == wanted
        if not known.all():
            self._make_far(unique_values(wanted[~known]))
            found = self._far.searchsorted(wanted)
        return np.asarray((self._slots[found] << _PAGE_BITS) + (each & (PAGE - 1)))

    def _make_far(self, pages: np.ndarray) -> None:
        """Fill ascending pages that are not there yet."""
        self.accounting.look(len(pages) * PAGE)
        slots = np.append(self._slots, len(self._far) + np.arange(len(pages)))
        for at in range(0, len(pages), _CHUNK):
            some = pages[at : at + _CHUNK]
            first = len(self._far) + at
            end = first + len(some)
            if end > len(self._pool):
                pool = np.empty((max(16, 2 * end), PAGE), np.uint8)
                pool[:first] = self._pool[:first]
                self._pool = pool
            self._pool[first:end] = self.initial(some)
        pages = np.append(self._far, pages)
        order = pages.argsort(kind="stable")  # which merges what is sorted
        self._far, self._slots = pages[order], slots[order]


def _virtual(size: int) -> np.ndarray:
    """Bytes that cost memory only where they are touched, uint8.

    NumPy's own large arrays ask for huge pages, of which one touched byte commits 2 MiB.
    """
    block = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        block.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(block, np.uint8)


def _is_near(offset: np.ndarray, size: int) -> np.ndarray:
    return np.asarray((offset >= -GUARD) & (offset + size <= _NEAR))


def misaligned(places: np.ndarray, size: int) -> bool:
    """Whether some of these integers are no multiples of `size`, a power of 2."""
    return bool(int(np.bitwise_or.reduce(places, axis=None)) & (size - 1))


def gather(
    buffer: np.ndarray, index: np.ndarray, dtype: np.dtype[Any], width: int
) -> tuple[np.ndarray, ...]:
    """`width` consecutive values at byte indices (n,) of a uint8 array."""
    size = dtype.itemsize
    whole = size * width
    if not misaligned(index, whole):
        shift = whole.bit_length() - 1
        if width == 1:
            return (buffer[: len(buffer) // size * size].view(dtype).take(index >> shift),)
        rows = buffer[: len(buffer) // whole * whole].view(dtype).reshape(-1, width)
        found = rows[index >> shift]
        return tuple(np.ascontiguousarray(found[:, k]) for k in range(width))
    each = np.ascontiguousarray(buffer[index[:, None] + np.arange(whole)]).view(dtype)
    return tuple(np.ascontiguousarray(each[:, k]) for k in range(width))


def scatter(buffer: np.ndarray, index: np.ndarray, values: tuple[np.ndarray, ...]) -> None:
    """Write values one after another at byte indices (n,) of a uint8 array."""
    dtype, width = values[0].dtype, len(values)
    size = dtype.itemsize
    whole = size * width
    if misaligned(index, whole):
        rows = values[0][:, None] if width == 1 else np.stack(values, axis=1)
        parts = np.ascontiguousarray(rows).view(np.uint8).reshape(-1, whole)
        buffer[index[:, None] + np.arange(whole)] = parts
        return
    shift = whole.bit_length() - 1
    usable = buffer[: len(buffer) // whole * whole].view(dtype)
    if width == 1:
        usable[index >> shift] = values[0]
    else:
        usable.reshape(-1, width)[index >> shift] = np.stack(values, axis=1)
