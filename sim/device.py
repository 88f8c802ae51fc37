"""What instructions do to the memory that a launch sees: loads, stores and atomics, by space."""

from __future__ import annotations

import numpy as np

from perflint.sim import affine_memory, atomics
from perflint.sim.affine_lanes import plain
from perflint.sim.affine_memory import place_of
from perflint.sim.images import Images
from perflint.sim.lanes import Lanes
from perflint.sim.meaning.registry import Function
from perflint.sim.memory import (
    LOCAL_WINDOW,
    PARAM_WINDOW,
    RANK_SHIFT,
    REGION_SHIFT,
    SHARED_WINDOW,
    WINDOWS,
    Region,
    base_address,
    gather,
    misaligned,
    scatter,
    split,
)
from perflint.sim.site import Site
from perflint.sim.unique_values import unique_values
from perflint.sim.values import SIGNED, Value

NOWHERE = -1  #: stands for the numbers of regions that there are not


class Device(Images):
    """Memory images, and the accesses of lanes to them."""

    invented = True  #: arguments may be made up, and so what addresses are made of

    # --- loads -----------------------------------------------------------------------------------

    def load(self, lanes: Lanes, site: Site, address: Value) -> tuple[Value, ...]:
        """The values at the lanes' addresses, one per vector element."""
        place = place_of(self, lanes, site, address)
        if place is not None:
            return place.load(site)
        address = plain(address)
        if site.space in ("global", "generic", "const"):
            return self._load_generic(lanes, site, address)
        if site.space == "shared":
            return self._load_shared(lanes, site, _signed(address))
        if site.space == "local":
            return self._load_local(lanes, site, _signed(address))
        return self._load_parameter(site, _signed(address))

    def _load_generic(self, lanes: Lanes, site: Site, address: Value) -> tuple[Value, ...]:
        uniform = np.ndim(address) == 0
        points = np.reshape(address, 1) if uniform else address
        low, high = int(points.min()), int(points.max())
        number = low >> 40
        region = self.regions.get(number) if number == high >> 40 else None
        if region is not None:
            base = base_address(number)
            offset = points.view(np.int64) - base
            low, high = low - base, high - base
            weight = lanes.count if uniform else 1
            self._check(region, site, lanes, offset, low, high, weight)
            self._note_invented(region, site, offset, weight)
            if site.traced:
                space = "const" if region.constant else "global"
                self.recorder.memory(lanes, site, space, number, offset[0] if uniform else offset)
            found = region.load(offset, low, high, site.dtype, site.element, site.width)
            return tuple(v[0] for v in found) if uniform else found
        out = tuple(np.zeros(lanes.count, site.dtype) for _ in range(site.width))
        for window, chosen, some, offset in self._windows(lanes, address):
            if window == SHARED_WINDOW:
                found = self._load_shared(some, site, offset)
            elif window == LOCAL_WINDOW:
                found = self._load_local(some, site, offset)
            elif window == PARAM_WINDOW:
                found = self._load_parameter(site, offset)
            else:
                found = self._load_region(some, site, window, offset)
            for whole, part in zip(out, found, strict=True):
                whole[chosen] = part
        return out

    def _load_region(
        self, lanes: Lanes, site: Site, number: int, offset: np.ndarray
    ) -> tuple[Value, ...]:
        region = self._region(site, number, lanes.count)
        low, high = int(offset.min()), int(offset.max())
        self._check(region, site, lanes, offset, low, high, 1)
        self._note_invented(region, site, offset, 1)
        if site.traced:
            space = "const" if region.constant else "global"
            self._record(lanes, site, space, number, offset)
        return region.load(offset, low, high, site.dtype, site.element, site.width)

    def _load_shared(self, lanes: Lanes, site: Site, offset: Value) -> tuple[Value, ...]:
        index, inside = self._shared_index(lanes, site, offset)
        if np.ndim(index) == 0:
            return tuple(
                v[0] for v in gather(self.shared, np.reshape(index, 1), site.dtype, site.width)
            )
        found = gather(self.shared, index, site.dtype, site.width)
        if inside is None:
            return found
        return tuple(np.where(inside, v, v.dtype.type(0)) for v in found)

    def _load_local(self, lanes: Lanes, site: Site, offset: Value) -> tuple[Value, ...]:
        index, inside = self._local_index(lanes, site, offset)
        found = gather(self.local, index, site.dtype, site.width)
        if inside is None:
            return found
        return tuple(np.where(inside, v, v.dtype.type(0)) for v in found)

    def _load_parameter(self, site: Site, offset: Value) -> tuple[Value, ...]:
        last = len(self.parameters) - site.size
        if np.ndim(offset) == 0:
            at = min(max(int(offset), 0), last)
            found = np.frombuffer(self.parameters[at : at + site.size].tobytes(), site.dtype)
            return tuple(found)
        return gather(self.parameters, np.clip(offset, 0, last), site.dtype, site.width)

    # --- stores ----------------------------------------------------------------------------------

    def store(self, lanes: Lanes, site: Site, address: Value, values: tuple[Value, ...]) -> None:
        """Write the lanes' values, one per vector element. Of equal addresses the last lane's."""
        place = place_of(self, lanes, site, address, values)
        if place is not None:
            place.store(site, values)
            return
        address = plain(address)
        if site.space in ("global", "generic", "const"):
            self._store_generic(lanes, site, address, values)
        elif site.space == "shared":
            self._store_shared(lanes, site, _signed(address), values)
        else:
            self._store_local(lanes, site, _signed(address), values)

    def _store_generic(
        self, lanes: Lanes, site: Site, address: Value, values: tuple[Value, ...]
    ) -> None:
        points = lanes.array(address)
        low, high = int(points.min()), int(points.max())
        number = low >> 40
        region = self.regions.get(number) if number == high >> 40 else None
        arrays = tuple(lanes.array(v) for v in values)
        if region is not None:
            base = base_address(number)
            offset = points.view(np.int64) - base
            self._store_region(lanes, site, region, number, offset, arrays)
            return
        for window, chosen, some, offset in self._windows(lanes, points):
            parts = tuple(v[chosen] for v in arrays)
            if window == SHARED_WINDOW:
                self._store_shared(some, site, offset, parts)
            elif window == LOCAL_WINDOW:
                self._store_local(some, site, offset, parts)
            elif window != PARAM_WINDOW:
                found = self._region(site, window, some.count)
                self._store_region(some, site, found, window, offset, parts)

    def _store_region(
        self,
        lanes: Lanes,
        site: Site,
        region: Region,
        number: int,
        offset: np.ndarray,
        values: tuple[np.ndarray, ...],
    ) -> None:
        low, high = int(offset.min()), int(offset.max())
        self._check(region, site, lanes, offset, low, high, 1)
        if site.traced:
            self._record(lanes, site, "global", number, offset, values)
        region.store(offset, low, high, values, site.element)

    def _store_shared(
        self, lanes: Lanes, site: Site, offset: Value, values: tuple[Value, ...]
    ) -> None:
        index, inside = self._shared_index(lanes, site, offset, values)
        self._scatter(lanes, self.shared, index, inside, values)

    def _store_local(
        self, lanes: Lanes, site: Site, offset: Value, values: tuple[Value, ...]
    ) -> None:
        index, inside = self._local_index(lanes, site, offset)
        self._scatter(lanes, self.local, index, inside, values)

    def _scatter(
        self,
        lanes: Lanes,
        image: np.ndarray,
        index: Value,
        inside: np.ndarray | None,
        values: tuple[Value, ...],
    ) -> None:
        where = lanes.array(index)
        arrays = tuple(lanes.array(v) for v in values)
        if inside is not None:
            keep = lanes.array(inside)
            where, arrays = where[keep], tuple(v[keep] for v in arrays)
        if len(where):
            scatter(image, where, arrays)

    # --- accesses of which no byte is wanted ---------------------------------------------------

    def touch(self, lanes: Lanes, site: Site, address: Value) -> None:
        """Trace and check an access as `load`, `store` or `atomic` would, without doing it."""
        if affine_memory.touch(self, lanes, site, address):
            return
        address = plain(address)
        if site.space == "shared":
            self._touch_window(lanes, site, SHARED_WINDOW, _signed(address))
        elif site.space == "local":
            self._local_index(lanes, site, _signed(address))
        elif site.space in ("global", "generic", "const"):
            points = lanes.array(address)
            low, high = (int(points.min()), int(points.max())) if len(points) else (0, 0)
            number = low >> REGION_SHIFT
            region = self.regions.get(number) if number == high >> REGION_SHIFT else None
            if region is not None:
                base = base_address(number)
                offset = points.view(np.int64) - base
                self._touch_region(lanes, site, region, number, offset, low - base, high - base)
                return
            for window, _, some, offset in self._windows(lanes, address):
                self._touch_window(some, site, window, offset)

    def touch_around(self, lanes: Lanes, site: Site, start: Value, span: range) -> bool:
        """Touch aligned places in a `span` of bytes from each lane's `start`, untraced.

        False, and nothing is noted, where one of them may be a fault.
        """
        if site.space not in ("shared", "global", "generic"):
            return False
        points = lanes.array(start)
        if misaligned(points, site.size):
            return False
        low, end = int(points.min()) + span.start, int(points.max()) + span.stop
        number = SHARED_WINDOW
        if site.space != "shared":
            number = low >> REGION_SHIFT
            low, end = low - base_address(number), end - base_address(number)
        region = self.regions.get(number)
        if region is not None:
            return region.touch_inside(low, end, site.element, site.kind)
        return number == SHARED_WINDOW and low >= 0 and end <= self.shared_bytes

    def _touch_window(self, lanes: Lanes, site: Site, window: int, offset: np.ndarray) -> None:
        if window == SHARED_WINDOW:
            if self._is_elsewhere(offset):
                self._cluster_index(lanes, site, lanes.array(offset), ())
            else:
                self._shared_offset(lanes, site, offset)
        elif window in (LOCAL_WINDOW, PARAM_WINDOW) and site.kind == "atomic":
            self.fault("out-of-region", site.pc, lanes.count)
        elif window == LOCAL_WINDOW:
            self._local_index(lanes, site, offset)
        elif window != PARAM_WINDOW:
            region = self._region(site, window, lanes.count)
            low, high = int(offset.min()), int(offset.max())
            self._touch_region(lanes, site, region, window, offset, low, high)

    def _touch_region(
        self,
        lanes: Lanes,
        site: Site,
        region: Region,
        number: int,
        offset: np.ndarray,
        low: int,
        high: int,
    ) -> None:
        writes = site.kind == "store"
        self._check(region, site, lanes, offset, low, high, 1)
        if site.traced:
            space = "const" if region.constant and not writes else "global"
            self._record(lanes, site, space, number, offset)
        region.element = region.element or site.element
        region.written = region.written or site.kind != "load"

    # --- atomics ---------------------------------------------------------------------------------

    def atomic(
        self,
        lanes: Lanes,
        site: Site,
        function: Function | None,
        address: Value,
        b: Value,
        c: Value = None,
    ) -> Value:
        """Read, combine and write, lane after lane. Without a function: compare b, swap in c."""
        points, first = lanes.array(address), lanes.array(b)
        second = None if c is None else lanes.array(c)
        if site.space == "shared":
            return self._atomic_shared(lanes, site, function, _signed(points), first, second)
        out = np.zeros(lanes.count, site.dtype)
        for window, chosen, some, offset in self._windows(lanes, points):
            mine, other = first[chosen], None if second is None else second[chosen]
            if window == SHARED_WINDOW:
                out[chosen] = self._atomic_shared(some, site, function, offset, mine, other)
            elif window in (LOCAL_WINDOW, PARAM_WINDOW):
                self.fault("out-of-region", site.pc, some.count)
            else:
                before = self._load_region(some, site, window, offset)[0]
                region = self.regions.get(window) or self.wild
                old, final = _combine(function, offset, before, mine, other)
                self.changes += final.tobytes() != before.tobytes()
                low, high = int(offset.min()), int(offset.max())
                region.store(offset, low, high, (final,), site.element)
                out[chosen] = old
        return out

    def _atomic_shared(
        self,
        lanes: Lanes,
        site: Site,
        function: Function | None,
        offset: np.ndarray,
        b: np.ndarray,
        c: np.ndarray | None,
    ) -> np.ndarray:
        index, _ = self._shared_index(lanes, site, offset)
        index = lanes.array(index)
        before = gather(self.shared, index, site.dtype, 1)[0]
        old, final = _combine(function, index, before, b, c)
        self.changes += final.tobytes() != before.tobytes()
        scatter(self.shared, index, (final,))
        return old

    # --- tensor memory ---------------------------------------------------------------------------

    def allocate_columns(self, lanes: Lanes, site: Site, address: Value, columns: Value) -> None:
        """`tcgen05.alloc`: each warp stores the address of what it got."""
        blocks, counts, first = self._warps(lanes, columns)
        found = [self.tensor.allocate(*each) for each in zip(blocks, counts, strict=True)]
        where = lanes.array(address)[first]
        self.store(lanes.subset(first), site, where, (np.array(found, np.uint32),))

    def free_columns(self, lanes: Lanes, pc: int, address: Value, columns: Value) -> None:
        """`tcgen05.dealloc`."""
        blocks, counts, first = self._warps(lanes, columns)
        where = lanes.array(address)[first].tolist()
        for block, count, at in zip(blocks, counts, where, strict=True):
            self.tensor.free(block, at, count, pc)

    def _warps(self, lanes: Lanes, value: Value) -> tuple[list[int], list[int], np.ndarray]:
        """Of each warp its block in this wave, a value, and the index of its first lane."""
        _, first = np.unique(lanes.row, return_index=True)
        blocks = (lanes.block - lanes.first_block)[first]
        return blocks.tolist(), lanes.array(value)[first].tolist(), first

    # --- where an address leads ------------------------------------------------------------------

    def _windows(
        self, lanes: Lanes, address: Value
    ) -> list[tuple[int, np.ndarray, Lanes, np.ndarray]]:
        """Groups of lanes by region or window: (number, indices, lanes, offsets).

        Addresses in several regions of which there is none are one group.
        """
        number, offset = split(lanes.array(address))
        first = int(number.min()) if len(number) else 0
        if len(number) and first == int(number.max()):
            return [(first, np.arange(len(number)), lanes, offset)]
        numbers = unique_values(number).tolist()
        nowhere = [n for n in numbers if self.regions.get(n) is None and n not in WINDOWS]
        if len(nowhere) > 1:
            stray = np.isin(number, nowhere)
            number = np.where(stray, NOWHERE, number)
            far = lanes.array(address).view(np.int64) - base_address(NOWHERE)
            offset = np.where(stray, far, offset)
            numbers = unique_values(number).tolist()
        out = []
        for each in numbers:
            chosen = np.flatnonzero(number == each)
            some = lanes if len(chosen) == lanes.count else lanes.subset(chosen)
            out.append((each, chosen, some, offset[chosen]))
        return out

    def _record(
        self,
        lanes: Lanes,
        site: Site,
        space: str,
        number: int,
        offset: np.ndarray,
        values: tuple[np.ndarray, ...] = (),
    ) -> None:
        """Tell the tracers of an access, with what it stores.

        Addresses all over the place are made of invented numbers, and their pattern is of these:
        one of each warp tells that the access was reached.
        """
        if number == NOWHERE and self.invented:
            first = np.flatnonzero(np.diff(lanes.row, prepend=-1))
            lanes, offset = lanes.subset(first), offset[first]
            values = tuple(v[first] for v in values)
        self.recorder.memory(lanes, site, space, number, offset, values)

    def _region(self, site: Site, number: int, lanes: int) -> Region:
        region = self.regions.get(number)
        if region is None:
            self.fault("out-of-region", site.pc, lanes)
            return self.wild
        return region

    def _check(
        self,
        region: Region,
        site: Site,
        lanes: Lanes,
        offset: np.ndarray,
        low: int,
        high: int,
        weight: int,
    ) -> None:
        """Count what a real device would not have allowed."""
        size = site.size
        if low < 0:
            self.fault("negative-offset", site.pc, weight * int(np.count_nonzero(offset < 0)))
        if region.size is not None and high + size > region.size:
            past = int(np.count_nonzero(offset + size > region.size))
            self.fault("out-of-region", site.pc, weight * past)
        if misaligned(offset, size):
            past = int(np.count_nonzero(offset & (size - 1)))
            self.fault("misaligned", site.pc, weight * past)

    def _note_invented(self, region: Region, site: Site, offset: np.ndarray, weight: int) -> None:
        """Count what was read that somebody invented: in a run that is cut, what decides."""
        if count := region.invented(offset, site.size):
            self.fault("unwritten-constant", site.pc, weight * count)

    def _shared_index(
        self, lanes: Lanes, site: Site, offset: Value, stored: tuple[Value, ...] = ()
    ) -> tuple[Value, np.ndarray | None]:
        """Indices into the shared image, and which lanes are inside it (None: all)."""
        if self._is_elsewhere(offset):
            return self._cluster_index(lanes, site, lanes.array(offset), stored)
        offset, inside = self._shared_offset(lanes, site, offset, stored)
        if self.blocks == 1:
            return offset, inside
        return offset + lanes.window(self.window), inside

    def _is_elsewhere(self, offset: Value) -> bool:
        """Whether some offsets lie in other blocks' shared memory."""
        return self.blocks_per_cluster > 1 and bool(int(offset.max()) >> RANK_SHIFT)

    def _shared_offset(
        self, lanes: Lanes, site: Site, offset: Value, stored: tuple[Value, ...] = ()
    ) -> tuple[Value, np.ndarray | None]:
        """Offsets in the blocks' own shared memory, traced; which are inside it (None: all)."""
        low, high = int(offset.min()), int(offset.max())
        if site.traced:
            self.recorder.memory(lanes, site, "shared", 0, offset, stored)
        inside = None
        if site.pc in self.bounds:
            first, end = self.bounds[site.pc]
            if low < first or high + site.size > end:
                self.fault("array-overrun", site.pc, lanes.count)
        if low < 0 or high + site.size > self.shared_bytes:
            wrong = (offset < 0) | (offset + site.size > self.shared_bytes)
            self._overrun = True
            self.fault("shared-overrun", site.pc, int(np.count_nonzero(lanes.array(wrong))))
            inside = lanes.array((offset >= 0) & (offset + site.size <= self.window))
            offset = np.where(inside, offset, 0)
        if misaligned(offset, site.size):
            self.fault("misaligned", site.pc, lanes.count)
        return offset, inside

    def _cluster_index(
        self, lanes: Lanes, site: Site, address: np.ndarray, stored: tuple[Value, ...]
    ) -> tuple[Value, np.ndarray | None]:
        """`_shared_index` of addresses some of which are in other blocks' shared memory.

        Only what a block does to its own is traced.
        """
        rank, offset = address >> RANK_SHIFT, address & ((1 << RANK_SHIFT) - 1)
        own = np.flatnonzero(rank == 0)
        if site.traced and len(own):
            parts = tuple(lanes.array(v)[own] for v in stored)
            self.recorder.memory(lanes.subset(own), site, "shared", 0, offset[own], parts)
        inside = (address >= 0) & (rank <= self.blocks_per_cluster)
        inside &= offset + site.size <= self.shared_bytes
        if not inside.all():
            self.fault("shared-overrun", site.pc, int(np.count_nonzero(~inside)))
            rank, offset = np.where(inside, rank, 0), np.where(inside, offset, 0)
        if misaligned(offset, site.size):
            self.fault("misaligned", site.pc, lanes.count)
        block = lanes.block - lanes.first_block
        first = block // self.blocks_per_cluster * self.blocks_per_cluster
        there = np.where(rank == 0, block, first + rank - 1)
        return offset + there * self.window, None if inside.all() else inside

    def _local_index(
        self, lanes: Lanes, site: Site, offset: Value
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if not len(self.local):
            self.accounting.take(self.threads * self.local_bytes)
            self.local = np.zeros(self.threads * self.local_bytes, np.uint8)
        if site.traced:
            self.recorder.memory(lanes, site, "local", -1 - lanes.slots, offset)
        inside = None
        if int(offset.min()) < 0 or int(offset.max()) + site.size > self.local_bytes:
            inside = lanes.array((offset >= 0) & (offset + site.size <= self.local_bytes))
            self.fault("out-of-region", site.pc, int(np.count_nonzero(~inside)))
            offset = np.where(inside, offset, 0)
        if misaligned(offset, site.size):
            self.fault("misaligned", site.pc, lanes.count)
        first = lanes.first_block * lanes.warps_per_block * 32
        return offset + (lanes.slots - first) * self.local_bytes, inside


def _combine(
    function: Function | None,
    key: np.ndarray,
    before: np.ndarray,
    b: np.ndarray,
    c: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    if function is None:
        assert c is not None
        return atomics.compare_and_swap(key, before, b, c)
    return atomics.apply(function, key, before, b)


def _signed(address: Value) -> Value:
    """An address in a narrow space as int64; below 0 where it lies before the space's start."""
    return address.view(SIGNED[address.dtype.itemsize]).astype(np.int64, copy=False)
