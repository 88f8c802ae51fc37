"""Accesses of whole populations at affine addresses: no array of addresses is made for them."""

from __future__ import annotations

import numpy as np

from perflint.sim.affine_lanes import Affine, plain
from perflint.sim.images import Images
from perflint.sim.lanes import Lanes
from perflint.sim.memory import ORIGIN, REGION_SHIFT, Region
from perflint.sim.patterns import KINDS, Pattern
from perflint.sim.site import Site
from perflint.sim.values import Value


class Place:
    """Where the lanes of an affine access find their elements in some bytes.

    `index` (n,) numbers elements of the site's size; None: each the next. `uniform`: one for all.
    """

    __slots__ = ("data", "index", "uniform")

    def __init__(self, data: np.ndarray, index: np.ndarray | None, uniform: bool) -> None:
        self.data, self.index, self.uniform = data, index, uniform

    def load(self, site: Site) -> tuple[Value, ...]:
        """The lanes' values, one per vector element; scalars where they read the same."""
        view = self.data.view(site.dtype)
        if site.width == 1:
            if self.uniform:
                return (view[0],)
            return (view.copy() if self.index is None else view.take(self.index),)
        rows = view.reshape(-1, site.width)
        if self.uniform:
            return tuple(rows[0])
        found = rows if self.index is None else rows[self.index]
        return tuple(np.ascontiguousarray(found[:, k]) for k in range(site.width))

    def store(self, site: Site, values: tuple[Value, ...]) -> None:
        """Write one value per vector element. Of lanes at one place the last one's stays."""
        view = self.data.view(site.dtype)
        for k, value in enumerate(plain(values)):
            column = view if site.width == 1 else view[k :: site.width]
            if self.uniform:
                column[0] = value if value.ndim == 0 else value[-1]
            elif self.index is None:
                column[:] = value
            else:
                column[self.index] = value


def place_of(
    device: Images, lanes: Lanes, site: Site, address: Value, stored: tuple[Value, ...] = ()
) -> Place | None:
    """Where an access of a whole population at affine addresses leads, traced.

    None where it is not one, or where something about it wants a look at every lane.
    """
    found = _target(device, lanes, site, address)
    if found is None:
        return None
    pattern, origin, region = found
    low, end = pattern.ends[0] + origin, pattern.ends[1] + origin + site.size
    if region is None:
        _trace(device, lanes, site, found, stored)
        return _shared_place(device, lanes, site, pattern, origin)
    region.element = region.element or site.element
    if not region.within(low, end) and not region.near(pattern.offsets + origin, low, end):
        return None
    made_up = not (region.initialised or region.written) and site.kind != "store"
    if made_up and (count := region.invented(pattern.offsets + origin, site.size)):
        device.fault("unwritten-constant", site.pc, count)
    _trace(device, lanes, site, found, stored)
    region.changed = region.changed or bool(stored)
    index = pattern.index(site.size.bit_length() - 1)
    return Place(region.window(low, end), index, not pattern.granule)


def touch(device: Images, lanes: Lanes, site: Site, address: Value) -> bool:
    """Trace such an access of which no byte is wanted; False where it is not one."""
    found = _target(device, lanes, site, address)
    if found is None:
        return False
    region = found[2]
    if region is not None:
        region.element = region.element or site.element
    _trace(device, lanes, site, found, ())
    return True


#: A pattern, where in a region or the shared window its sum 0 lies, and the region (None: shared).
_Target = tuple[Pattern, int, Region | None]


def _target(device: Images, lanes: Lanes, site: Site, address: Value) -> _Target | None:
    """Where an affine access leads: inside of what there is, and aligned."""
    axes = lanes.axes
    if axes is None or site.space in ("param", "local"):
        return None
    if type(address) is Affine:
        pattern, base = address.pattern, address.base
    elif address.ndim == 0:
        pattern, base = axes.zero, int(address)
    else:
        return None
    size = site.size
    if not pattern.multiple_of(size):
        return None
    low, high = pattern.ends
    if site.space == "shared":
        base = KINDS[address.dtype].near(base)  # of addresses of either width
        first, end = device.bounds.get(site.pc, (0, device.shared_bytes))
        beyond = base + low < first or base + high + size > end
        return None if beyond or base & (size - 1) else (pattern, base, None)
    number = (base + low) >> REGION_SHIFT
    region = device.regions.get(number)
    if region is None or (base + high) >> REGION_SHIFT != number:
        return None
    origin = base - (number << REGION_SHIFT) - ORIGIN
    beyond = region.size is not None and high + origin + size > region.size
    if low + origin < 0 or beyond or origin & (size - 1):
        return None
    return pattern, origin, region


def _trace(
    device: Images, lanes: Lanes, site: Site, target: _Target, stored: tuple[Value, ...]
) -> None:
    pattern, origin, region = target
    if region is None:
        if site.traced:
            device.recorder.affine(lanes, site, "shared", 0, origin, pattern, stored)
        return
    writes = site.kind == "store"
    if site.traced:
        space = "const" if region.constant and not writes else "global"
        device.recorder.affine(lanes, site, space, region.number, origin, pattern, stored)
    region.written = region.written or writes


def _shared_place(device: Images, lanes: Lanes, site: Site, pattern: Pattern, base: int) -> Place:
    low = pattern.ends[0]
    shift = site.size.bit_length() - 1
    key = ("shared", shift, device.window)
    index = pattern.memo.get(key)
    if index is None:
        index = (pattern.offsets - low + lanes.window(device.window)) >> shift
        pattern.memo[key] = index
        pattern.axes.remember(pattern, index.nbytes)
    uniform = device.blocks == 1 and not pattern.granule
    return Place(device.shared[base + low :], index, uniform)
