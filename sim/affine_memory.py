"""Accesses of whole populations at affine addresses: no array of addresses is made for them."""

from __future__ import annotations

import numpy as np

from perflint.sim.affine_lanes import Affine, plain
from perflint.sim.images import Images
from perflint.sim.lanes import Lanes
from perflint.sim.memory import ORIGIN, REGION_SHIFT
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
            return (view.copy() if self.index is None else view[self.index],)
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
    if site.space == "shared":
        base = KINDS[address.dtype].near(base)  # of addresses of either width
        return _shared_place(device, lanes, site, pattern, base, stored)
    low, high = pattern.ends
    number = (base + low) >> REGION_SHIFT
    region = device.regions.get(number)
    if region is None or (base + high) >> REGION_SHIFT != number:
        return None
    origin = base - (number << REGION_SHIFT) - ORIGIN
    low, end = low + origin, high + origin + size
    if low < 0 or (region.size is not None and end > region.size) or origin & (size - 1):
        return None
    region.element = region.element or site.element
    if not region.within(low, end) and not region.near(pattern.offsets + origin, low, end):
        return None
    if not region.initialised and not region.written and not stored:
        device.fault("unwritten-constant", site.pc, lanes.count)
    if site.traced:
        space = "const" if region.constant and not stored else "global"
        device.recorder.affine(lanes, site, space, number, origin, pattern, stored)
    region.written = region.written or bool(stored)
    index = pattern.index(size.bit_length() - 1)
    return Place(region.window(low, end), index, not pattern.granule)


def _shared_place(
    device: Images, lanes: Lanes, site: Site, pattern: Pattern, base: int, stored: tuple[Value, ...]
) -> Place | None:
    low, high = pattern.ends
    if base + low < 0 or base + high + site.size > device.shared_bytes or base & (site.size - 1):
        return None
    if site.traced:
        device.recorder.affine(lanes, site, "shared", 0, base, pattern, stored)
    shift = site.size.bit_length() - 1
    key = ("shared", shift, device.window)
    index = pattern.memo.get(key)
    if index is None:
        index = (pattern.offsets - low + lanes.window(device.window)) >> shift
        pattern.memo[key] = index
        pattern.axes.remember(pattern, index.nbytes)
    uniform = device.blocks == 1 and not pattern.granule
    return Place(device.shared[base + low :], index, uniform)
