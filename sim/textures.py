"""Textures and surfaces: texels by coordinates (PTX ISA 9.7.10 and 9.7.11).

Filtering follows the CUDA programming guide, "Texture fetching": weights have eight fractional
bits, so a linear fetch is reproducible to the bit up to the order of its sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Protocol

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.affine_lanes import plain
from perflint.sim.lanes import Lanes
from perflint.sim.launch import Texture
from perflint.sim.memory import REGION_SHIFT, Region
from perflint.sim.unique_values import unique_values
from perflint.sim.values import DTYPE, UNSIGNED, Value

#: How many coordinates each geometry has along x, y, z, and whether a layer stands before them.
GEOMETRIES = {
    "1d": (1, False), "2d": (2, False), "3d": (3, False),
    "a1d": (1, True), "a2d": (2, True), "cube": (3, False), "acube": (3, True),
}  # fmt: skip

_Place = tuple[Value, Value, Value, np.ndarray]  # layer, z, y, x; scalars where all are at one
_NONE = np.int64(0)  #: the place along an axis that a texture lacks


@dataclass(frozen=True, eq=False)
class Bound:
    """A texture with the memory that holds its texels, row by row."""

    texture: Texture
    region: Region

    def offset(self, place: _Place) -> np.ndarray:
        """Byte offsets of texels (n,) whose places lie inside, int64."""
        _, depth, height, width = self.texture.extents
        layer, z, y, x = place
        texel = ((layer * depth + z) * height + y) * width + x
        return np.asarray(texel * self.texture.texel_bytes)

    def inside(self, place: _Place) -> np.ndarray:
        """Which places are in the texture, (n,) bool."""
        inside = np.ones(len(place[3]), bool)
        for at, n in zip(place, self.texture.extents, strict=True):
            if at.size and not 0 <= at.min() <= at.max() < n:
                inside &= (at >= 0) & (at < n)
        return inside

    def texels(self, place: _Place) -> list[Value]:
        """The four channels at some places, float64 or int64 each; zero outside.

        Channels that the texture lacks are 0, and 1 for the fourth: scalars.
        """
        texture = self.texture
        offset = self.offset(place)
        inside = self.inside(place)
        everywhere = bool(inside.all())
        if not everywhere:
            offset = np.where(inside, offset, 0)
        dtype = DTYPE[texture.element]
        low, high = int(offset.min(initial=0)), int(offset.max(initial=0))
        found = self.region.load(offset, low, high, dtype, texture.element, texture.channels)
        out: list[Value] = [self._widened(v) for v in found]
        if not everywhere:
            out = [np.where(inside, v, v.dtype.type(0)) for v in out]
        wide = out[0].dtype.type
        return out + [wide(channel == 3) for channel in range(len(out), 4)]

    def _widened(self, values: np.ndarray) -> np.ndarray:
        """Values as they are computed with: int64, float64 where they are fractions."""
        kind = values.dtype.kind
        if not self.texture.normalised_values or kind not in "iu":
            return values.astype(np.float64 if kind == "f" else np.int64)
        scale = 1.0 / float(np.iinfo(values.dtype).max)
        return np.asarray(np.maximum(values.astype(np.float64) * scale, -1.0))


class Units(Protocol):
    """What a fetch needs of a device."""

    @property
    def textures(self) -> Textures: ...

    def fault(self, kind: str, pc: int, count: int) -> None: ...


class Textures:
    """The textures of a launch, by the handles that its arguments hold."""

    def __init__(self, bound: Mapping[int, Bound]) -> None:
        self.bound = bound

    def each(self, lanes: Lanes, handle: Value) -> list[tuple[np.ndarray | slice, Bound | None]]:
        """(indices of lanes, the texture that they name); None for no texture's handle."""
        handle = plain(handle)
        if not np.ndim(handle):
            return [(slice(None), self.bound.get(int(handle) >> REGION_SHIFT))]
        number = (handle >> np.uint64(REGION_SHIFT)).astype(np.int64)
        return [
            (np.flatnonzero(number == each), self.bound.get(each))
            for each in unique_values(number).tolist()
        ]


def _count(lanes: Lanes, chosen: np.ndarray | slice) -> int:
    return lanes.count if isinstance(chosen, slice) else len(chosen)


@dataclass(frozen=True)
class Fetch:
    """A `tex` or `tld4` instruction's form."""

    pc: int
    geometry: str
    result: str  #: PTX type
    by_index: bool  #: coordinates are texel numbers
    gather: int | None = None  #: of `tld4`: the channel

    def __call__(
        self, device: Units, lanes: Lanes, handle: Value, *coordinates: Value
    ) -> tuple[Value, ...]:
        """Four values of each lane, of the result type; scalars where all lanes have the same."""
        dtype = DTYPE[self.result]
        arrays = [lanes.array(c) for c in coordinates]
        each = device.textures.each(lanes, handle)
        if len(each) == 1 and (only := each[0][1]) is not None:
            return tuple(v.astype(dtype) for v in self._fetched(only, arrays))
        out = [np.zeros(lanes.count, dtype) for _ in range(4)]
        for chosen, bound in each:
            if bound is None:
                device.fault("out-of-region", self.pc, _count(lanes, chosen))
                continue
            values = self._fetched(bound, [c[chosen] for c in arrays])
            for whole, part in zip(out, values, strict=True):
                whole[chosen] = part.astype(dtype)
        return tuple(out)

    def _fetched(self, bound: Bound, coordinates: list[np.ndarray]) -> list[Value]:
        count, layered = GEOMETRIES[self.geometry]
        layer: Value = _NONE
        if layered:
            last = bound.texture.extents[0] - 1
            layer = np.clip(coordinates[0].view(np.uint32).astype(np.int64), 0, last)
            coordinates = coordinates[1:]
        if self.geometry.endswith("cube"):
            face, coordinates = _cube_face(*coordinates[:3])
            layer, count = layer * 6 + face, 2
        if self.by_index:
            places = [c.astype(np.int64) for c in coordinates[:count]]
            return bound.texels(_place(layer, places))
        points = [c.astype(np.float64) for c in coordinates[:count]]
        if self.gather is not None:
            return self._gathered(bound, layer, points)
        return (
            _linear(bound, layer, points)
            if bound.texture.linear
            else _nearest(bound, layer, points)
        )

    def _gathered(self, bound: Bound, layer: Value, points: list[np.ndarray]) -> list[Value]:
        """`tld4`: one channel of the four texels of a linear fetch, from the lower left on."""
        assert self.gather is not None
        first = [np.floor(c - 0.5) for c in _scaled(bound.texture, points)]
        corners = ((0, 1), (1, 1), (1, 0), (0, 0))
        return [
            bound.texels(_place(layer, _addressed(bound.texture, [first[0] + i, first[1] + j])))[
                self.gather
            ]
            for i, j in corners
        ]


def _place(layer: Value, places: list[np.ndarray]) -> _Place:
    y = places[1] if len(places) > 1 else _NONE
    z = places[2] if len(places) > 2 else _NONE
    return layer, z, y, places[0]


def _extents(texture: Texture) -> tuple[int, int, int]:
    """Extents along x, y, z."""
    _, depth, height, width = texture.extents
    return width, height, depth


def _scaled(texture: Texture, points: list[np.ndarray]) -> list[np.ndarray]:
    """Coordinates in texels."""
    if not texture.normalised_coordinates:
        return points
    return [c * n for c, n in zip(points, _extents(texture), strict=False)]


def _addressed(texture: Texture, numbers: list[np.ndarray]) -> list[np.ndarray]:
    """Texel numbers by the addressing mode; `border` leaves those outside outside."""
    return [
        _MODES[texture.addressing](np.asarray(number).astype(np.int64), extent)
        for number, extent in zip(numbers, _extents(texture), strict=False)
    ]


def _mirrored(number: np.ndarray, extent: int) -> np.ndarray:
    turn = number % (2 * extent)
    return np.asarray(np.minimum(turn, 2 * extent - 1 - turn))


_MODES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "clamp": lambda number, extent: np.clip(number, 0, extent - 1),
    "border": lambda number, extent: number,
    "wrap": lambda number, extent: number % extent,
    "mirror": _mirrored,
}


def _nearest(bound: Bound, layer: Value, points: list[np.ndarray]) -> list[Value]:
    texture = bound.texture
    numbers = [np.floor(_finite(c)) for c in _scaled(texture, points)]
    return bound.texels(_place(layer, _addressed(texture, numbers)))


def _linear(bound: Bound, layer: Value, points: list[np.ndarray]) -> list[Value]:
    """Between the two, four or eight nearest texels, weights rounded to 1/256."""
    texture = bound.texture
    shifted = [_finite(c) - 0.5 for c in _scaled(texture, points)]
    first = [np.floor(c) for c in shifted]
    weights = [np.rint((c - f) * 256) / 256 for c, f in zip(shifted, first, strict=True)]
    channels = texture.channels
    total: list[Value] = [np.float64(0)] * channels
    for corner in product((0, 1), repeat=len(points)):
        weight: Value = np.float64(1)
        for step, share in zip(corner, weights, strict=True):
            weight = weight * (share if step else 1 - share)
        numbers = [f + step for f, step in zip(first, corner, strict=True)]
        found = bound.texels(_place(layer, _addressed(texture, numbers)))
        total = [t + weight * v for t, v in zip(total, found[:channels], strict=True)]
    return total + [np.float64(channel == 3) for channel in range(channels, 4)]


def _finite(coordinate: np.ndarray) -> np.ndarray:
    """NaN is taken for 0, and what no texture reaches is brought near."""
    if coordinate.size and coordinate.min() >= -(2.0**40) and coordinate.max() <= 2.0**40:
        return coordinate  # NaN compares with nothing
    return np.asarray(np.clip(np.nan_to_num(coordinate, nan=0.0), -(2.0**40), 2.0**40))


def _cube_face(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The face a direction points to and normalised coordinates on it (CUDA guide, cubemaps)."""
    size = np.abs(np.stack([x, y, z]).astype(np.float64))
    axis = np.argmax(size, axis=0)
    major = np.choose(axis, [x, y, z])
    face = axis * 2 + (major < 0)
    s = np.choose(face, [-z, z, x, x, x, -x]).astype(np.float64)
    t = np.choose(face, [-y, -y, z, -z, -y, -y]).astype(np.float64)
    length = np.maximum(size.max(axis=0), np.finfo(np.float64).tiny)
    return face.astype(np.int64), [(s / length + 1) / 2, (t / length + 1) / 2]


@dataclass(frozen=True)
class SurfaceAccess:
    """A `suld.b` or `sust.b` instruction's form; x counts bytes."""

    pc: int
    geometry: str
    element: str  #: PTX type of one element
    width: int  #: elements
    outside: str  #: `trap`, `clamp` or `zero`

    def _split(self, bound: Bound, coordinates: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(byte offsets, which lanes are inside)."""
        count, layered = GEOMETRIES[self.geometry]
        numbers = [c.view(np.int32).astype(np.int64) for c in coordinates]
        layer = numbers.pop(0) if layered else _NONE
        size = bound.texture.texel_bytes
        places = [numbers[0] // size, *numbers[1:count]]
        if self.outside == "clamp":
            limits = _extents(bound.texture)
            places = [np.clip(p, 0, n - 1) for p, n in zip(places, limits, strict=False)]
        place = _place(layer, places)
        inside = bound.inside(place)
        offset = bound.offset(place) + numbers[0] % size
        return np.where(inside, offset, 0), inside

    def load(
        self, device: Units, lanes: Lanes, handle: Value, *coordinates: Value
    ) -> tuple[np.ndarray, ...]:
        """The elements of each lane, (n,) unsigned; zero outside."""
        dtype = UNSIGNED[DTYPE[self.element].itemsize]
        out = [np.zeros(lanes.count, dtype) for _ in range(self.width)]
        arrays = [lanes.array(c) for c in coordinates]
        for chosen, bound in device.textures.each(lanes, handle):
            if bound is None:
                device.fault("out-of-region", self.pc, _count(lanes, chosen))
                continue
            offset, inside = self._split(bound, [c[chosen] for c in arrays])
            self._report(device, inside)
            low, high = int(offset.min()), int(offset.max())
            element = bound.texture.element
            found = bound.region.load(offset, low, high, dtype, element, self.width)
            for whole, part in zip(out, found, strict=True):
                whole[chosen] = np.where(inside, part, dtype.type(0))
        return tuple(out)

    def store(
        self,
        device: Units,
        lanes: Lanes,
        handle: Value,
        coordinates: tuple[Value, ...],
        values: tuple[Value, ...],
    ) -> None:
        """Write the elements of each lane; what lies outside is left out."""
        arrays = [lanes.array(c) for c in coordinates]
        for chosen, bound in device.textures.each(lanes, handle):
            if bound is None:
                device.fault("out-of-region", self.pc, _count(lanes, chosen))
                continue
            offset, inside = self._split(bound, [c[chosen] for c in arrays])
            self._report(device, inside)
            if not inside.any():
                continue
            parts = tuple(lanes.array(v)[chosen][inside] for v in values)
            where = offset[inside]
            low, high = int(where.min()), int(where.max())
            bound.region.store(where, low, high, parts, bound.texture.element)

    def _report(self, device: Units, inside: np.ndarray) -> None:
        if self.outside == "trap" and not inside.all():
            device.fault("out-of-region", self.pc, int(np.count_nonzero(~inside)))


#: What `txq` and `suq` ask for.
QUERIES: dict[str, Callable[[Texture], int]] = {
    "width": lambda texture: texture.extents[3],
    "height": lambda texture: texture.extents[2],
    "depth": lambda texture: texture.extents[1],
    "array_size": lambda texture: texture.extents[0],
    "num_mipmap_levels": lambda texture: 1,
    "num_samples": lambda texture: 1,
    "normalized_coords": lambda texture: int(texture.normalised_coordinates),
}


@dataclass(frozen=True)
class Query:
    """A `txq` or `suq` instruction."""

    pc: int
    what: str

    def __call__(self, device: Units, lanes: Lanes, handle: Value) -> np.ndarray:
        """One number for each lane, (n,) uint32."""
        out = np.zeros(lanes.count, np.uint32)
        for chosen, bound in device.textures.each(lanes, handle):
            if bound is None:
                device.fault("out-of-region", self.pc, _count(lanes, chosen))
            else:
                out[chosen] = QUERIES[self.what](bound.texture)
        return out
