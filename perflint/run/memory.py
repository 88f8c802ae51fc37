"""The device's memory as the program and the simulator share it.

It is one sparse file: tables of the allocations at its start (`native/memory.c` writes them), then
the program's allocations, then ours (a quarter of the file each), then, with --check, a byte for
each byte that says whether it was ever written. A region is a window on it.
"""

from __future__ import annotations

import ctypes
import mmap
import os

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.launch import Fill
from perflint.sim.memory import (
    GUARD,
    ORIGIN,
    REGION_SHIFT,
    WILD,
    Accounting,
    Region,
    base_address,
    gather,
    scatter,
)

SIZE = 1 << 42  #: of the file; only what is touched takes memory
SLACK = 64 << 10  #: bytes around an allocation that belong to nobody
_PAGE = 4096
_NUMBERS = 1 << 20
_OURS = 1 << 19
FIRST_DEVICE = 128  #: numbers below are of memory that the program can write itself
_MOST_SPANS = 65536
_ENTRY = np.dtype([("offset", "<u8"), ("size", "<u8"), ("kind", "<u4"), ("generation", "<u4"),
                   ("device", "<u4"), ("shared", "<u4")])  # fmt: skip
_SPAN = np.dtype([("address", "<u8"), ("size", "<u8"), ("offset", "<u8"), ("kind", "<u4"),
                  ("device", "<u4")])  # fmt: skip
_FREED = np.dtype([("size", "<u8"), ("caller", "<u8")])
_SPANS = ord("s")
_HELD = (ord("d"), ord("v"))  #: kinds of memory that a device has for itself
ENDLESS = Accounting(1 << 62)


class IllegalAddressError(Exception):
    """A kernel touched memory that is nobody's."""

    def __init__(self, address: int) -> None:
        super().__init__(f"{address:#x}")
        self.address = address & (2**64 - 1)  #: as the program knows it


class HostRegion(Region):
    """An allocation, in memory that the program sees too."""

    def __init__(self, number: int, name: str, host: int, size: int, generation: int = 0) -> None:
        super().__init__(number, name, Fill.ZERO, 1024, ENDLESS, size=size)
        self._bytes = view(host - GUARD, GUARD + size + SLACK)
        self.host, self.generation = host, generation
        self.written = True
        self.owner: Regions | None = None
        self.seen = -1  #: the launch that touched it last

    def _touch(self) -> None:
        if self.owner is not None and self.seen != self.owner.turn:
            self.seen = self.owner.turn
            self.owner.touched(self)

    def near(self, offset: np.ndarray, low: int, end: int) -> bool:
        self._touch()
        if low < -SLACK or end > (self.size or 0) + SLACK:
            wrong = low if low < -SLACK else end - 1
            raise IllegalAddressError(base_address(self.number) + wrong)
        return True

    def within(self, low: int, end: int) -> bool:
        self._touch()
        return low >= -SLACK and end <= (self.size or 0) + SLACK

    def contents(self) -> np.ndarray:
        return self._bytes[GUARD : GUARD + (self.size or 0)].copy()


class SpanRegion(Region):
    """Many allocations under one number: host memory that the program registered, for example."""

    def __init__(self, number: int, file: int) -> None:
        super().__init__(number, "host memory", Fill.ZERO, 1024, ENDLESS)
        self._file = file
        self._space = _reserve(1 << REGION_SHIFT)
        self._bytes = view(self._space, 1 << REGION_SHIFT)
        self._starts = self._ends = np.zeros(0, np.int64)
        self.written = True
        self.owner: Regions | None = None

    def show(self, spans: np.ndarray) -> None:
        """Map the spans of the program's table that lie here; all others are gone."""
        _forbid(self._space, 1 << REGION_SHIFT)
        base = self.number << REGION_SHIFT
        spans = np.sort(spans, order="address")
        for address, size, offset, *_ in spans.tolist():
            start = address - base
            low = start // _PAGE * _PAGE
            length = -(-(start + size - low) // _PAGE) * _PAGE
            _map(self._space + low, length, self._file, offset - (start - low))
        self._starts = spans["address"].astype(np.int64) - base - ORIGIN
        self._ends = self._starts + spans["size"].astype(np.int64)

    def near(self, offset: np.ndarray, low: int, end: int) -> bool:
        if self.owner is not None:
            self.owner.room = -1  # memory that is not kept
        if not self.within(low, end):
            size = end - int(offset.max())
            at = np.searchsorted(self._starts, offset, "right") - 1
            wrong = (at < 0) | (offset + size > self._ends[at])
            if wrong.any():
                first = int(offset[wrong.argmax()])
                raise IllegalAddressError(base_address(self.number) + first)
        return True

    def within(self, low: int, end: int) -> bool:
        at = int(np.searchsorted(self._starts, low, "right")) - 1
        return at >= 0 and end <= int(self._ends[at])

    def window(self, low: int, end: int) -> np.ndarray:
        return self._bytes[low + ORIGIN : end + ORIGIN]

    def load(
        self,
        offset: np.ndarray,
        low: int,
        high: int,
        dtype: np.dtype[np.generic],
        element: str,
        width: int,
    ) -> tuple[np.ndarray, ...]:
        self.near(offset, low, high + dtype.itemsize * width)
        return gather(self._bytes, offset + ORIGIN, dtype, width)

    def store(
        self, offset: np.ndarray, low: int, high: int, values: tuple[np.ndarray, ...], element: str
    ) -> None:
        self.near(offset, low, high + values[0].dtype.itemsize * len(values))
        scatter(self._bytes, offset + ORIGIN, values)

    def contents(self) -> np.ndarray:
        return np.zeros(0, np.uint8)


class WildRegion(Region):
    """Where an address leads that is in no allocation."""

    asked = WILD  #: the number of the region that there is not

    def near(self, offset: np.ndarray, low: int, end: int) -> bool:
        raise IllegalAddressError(base_address(self.asked) + low)

    def within(self, low: int, end: int) -> bool:
        return False


class Regions(dict[int, Region]):
    """The regions by number, made as kernels ask for them; `fresh` drops stale ones."""

    def __init__(self, memory: SharedMemory) -> None:
        super().__init__()
        self.memory = memory
        self.turn = 0  #: counts launches
        self.room = 0  #: bytes that may still be kept of this launch; below 0: they were too many
        self.kept: dict[int, np.ndarray] | None = None  #: bytes of what was touched, as it was
        self.device, self.reachable = (
            0,
            1,
        )  #: the launch's, and whose memory it may access, a bit each

    def keep(self, room: int) -> None:
        """Keep what the next launch touches as it was before, up to so many bytes."""
        self.kept, self.room = {}, room

    def touched(self, region: HostRegion) -> None:
        """Called before a launch's first access to a region."""
        if self.kept is not None and self.room >= 0:
            size = region.size or 0
            self.room -= size
            if self.room >= 0:
                self.kept[region.number] = region._bytes[GUARD : GUARD + size].copy()

    def touched_now(self) -> list[HostRegion]:
        """The regions that the latest launch touched."""
        return [r for r in self.values() if isinstance(r, HostRegion) and r.seen == self.turn]

    def reached(self, number: int) -> bool:
        """Whether the launch's device may access an allocation."""
        if not 0 <= number < _NUMBERS:
            return True
        kind, _, device, shared = self.memory.entries[number].item()[2:]
        return kind not in _HELD or bool(self.reachable >> device & 1 or shared >> self.device & 1)

    def holder(self, number: int) -> int:
        """The device whose memory an allocation is."""
        return int(self.memory.entries[number]["device"])

    def fresh(self, device: int = 0, reachable: int = 1) -> None:
        """Forget what the program freed since, before a launch on a device."""
        self.turn += 1
        self.device, self.reachable = device, reachable
        self.kept = None
        entries = self.memory.entries
        for number, region in list(self.items()):
            entry = entries[number] if number < _NUMBERS else None
            if isinstance(region, HostRegion) and entry is not None:
                alive = entry["kind"] and entry["generation"] == region.generation
                if not alive or not self.reached(number):
                    del self[number]
        self.memory.refresh_spans(self)

    def get(self, number: int, default: object = None) -> Region | None:  # type: ignore[override]
        found = super().get(number)
        if found is None:
            found = self.memory.region(number) if self.reached(number) else None
            if found is not None:
                self[number] = found
        return found

    def of_any(self, number: int) -> Region | None:
        """A region, whichever device holds it."""
        return super().get(number) or self.memory.region(number)

    def __setitem__(self, number: int, region: Region) -> None:
        if isinstance(region, HostRegion | SpanRegion):
            region.owner = self
        super().__setitem__(number, region)


@dataclass
class SharedMemory:
    """The file, mapped here."""

    file: int
    base: int
    entries: np.ndarray
    spans: np.ndarray
    counts: np.ndarray  #: spans in use, and how often they changed
    _freed: np.ndarray

    @classmethod
    def made(cls) -> SharedMemory:
        """A new, empty one. Raises OSError where the system refuses."""
        file = os.memfd_create("perflint-device", os.MFD_CLOEXEC)
        os.ftruncate(file, SIZE)
        base = _reserve(SIZE)
        _map(base, SIZE, file, 0)
        head = view(base, 64 << 20)
        at = _NUMBERS * _ENTRY.itemsize
        entries = head[:at].view(_ENTRY)
        spans = head[at : at + _MOST_SPANS * _SPAN.itemsize].view(_SPAN)
        at += _MOST_SPANS * _SPAN.itemsize
        counts = head[at : at + 16].view("<u8")
        at += 16
        freed = head[at : at + _NUMBERS * _FREED.itemsize].view(_FREED)
        return cls(file, base, entries, spans, counts, freed)

    def __post_init__(self) -> None:
        self._next, self._top = _OURS, SIZE // 4 + (1 << 20)
        self._span_state = 0

    def region(self, number: int) -> Region | None:
        """The region of a number, as the tables have it."""
        if not 0 <= number < _NUMBERS:
            return None
        offset, size, kind, generation, _, _ = self.entries[number].item()
        if not kind:
            return None
        if kind == _SPANS:
            region = SpanRegion(number, self.file)
            region.show(self._spans_of(number))
            return region
        return HostRegion(number, f"allocation {number}", self.base + offset, size, generation)

    def _spans_of(self, number: int) -> np.ndarray:
        spans = self.spans[: int(self.counts[0])]
        here = (spans["kind"] != 0) & (spans["address"] >> np.uint64(REGION_SHIFT) == number)
        return np.asarray(spans[here])

    def refresh_spans(self, regions: Regions) -> None:
        """Map what was registered since, and let go what was not."""
        state = int(self.counts[1])
        if state == self._span_state:
            return
        self._span_state = state
        for number, region in list(regions.items()):
            if isinstance(region, SpanRegion):
                region.show(self._spans_of(number))

    def allocate(self, size: int, name: str, device: int = 0, shared: int = 0) -> HostRegion:
        """An allocation of ours, zero; the program sees it under its address.

        A device holds it; those of `shared`, a bit each, may access it too.
        """
        number, offset = self._next, self._top
        self._next += 1
        self._top += -(-(size + SLACK) // _PAGE) * _PAGE
        generation = int(self.entries[number]["generation"]) + 1
        self.entries[number] = (offset, size, ord("v"), generation, device, shared)
        return HostRegion(number, name, self.base + offset, size, generation)

    def freed(self, number: int) -> tuple[int, int] | None:
        """Size of an allocation that is no more, and the address of who freed it (0: unknown)."""
        if not 0 <= number < _NUMBERS or self.entries[number]["kind"]:
            return None
        size, caller = self._freed[number].item()
        return (size, caller) if size else None

    def is_shared_with_host(self, number: int) -> bool:
        """Whether the program may write an allocation itself: managed, pinned, registered."""
        return int(self.entries[number]["kind"]) in map(ord, "mhrs")

    def known(self, host: int, size: int) -> np.ndarray:
        """What is known of an allocation's bytes, uint8 (with --check).

        0 where nobody wrote them, 1 where somebody did, 2 for copies of what nobody wrote.
        """
        return view(host + SIZE // 2, size)

    def live(self) -> list[tuple[int, int]]:
        """Number and size of each allocation, spans apart."""
        used = np.flatnonzero(self.entries["kind"][: self._next])
        sizes = self.entries["size"][used]
        kinds = self.entries["kind"][used]
        return [
            (n, s)
            for n, s, k in zip(used.tolist(), sizes.tolist(), kinds.tolist(), strict=True)
            if k != _SPANS
        ]


# --- pages: what Python's mmap cannot do ----------------------------------------------------------

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                       ctypes.c_int64)  # fmt: skip
_FIXED, _NORESERVE = 0x10, 0x4000
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_FAILED = ctypes.c_void_p(-1).value
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE


def keep_freed() -> None:
    """Keep the memory that arrays give back, for the next ones.

    glibc returns arrays of 128 KiB and more to the system, and each new page of the next one costs
    as much as what is done with it (mallopt(3)).
    """
    mallopt = getattr(_LIBC, "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, 256 << 20)
        mallopt(_MMAP_THRESHOLD, 32 << 20)


def view(at: int, size: int) -> np.ndarray:
    """The bytes at an address of this process, uint8."""
    return np.asarray(np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(at)))


def _mapped(at: int, size: int, protection: int, flags: int, file: int, offset: int) -> int:
    found = _LIBC.mmap(at or None, size, protection, flags, file, offset)
    if found is None or found == _FAILED:
        number = ctypes.get_errno()
        raise OSError(number, f"no room for the device's memory: {os.strerror(number)}")
    return int(found)


def _reserve(size: int) -> int:
    """Addresses that nothing lies at yet."""
    return _mapped(0, size, 0, _PRIVATE, -1, 0)


def _forbid(at: int, size: int) -> None:
    _mapped(at, size, 0, _PRIVATE | _FIXED, -1, 0)


def _map(at: int, size: int, file: int, offset: int) -> None:
    both = mmap.PROT_READ | mmap.PROT_WRITE
    _mapped(at, size, both, mmap.MAP_SHARED | _FIXED | _NORESERVE, file, offset)
