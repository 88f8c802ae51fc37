"""Operations among the lanes of a warp (PTX ISA 9.7.9.5, 9.7.13.8 to 9.7.13.14).

Lanes that a member mask names but that are elsewhere count as inactive.
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes, packed, unpacked
from perflint.sim.meaning.floating import extreme, extreme_or_nan
from perflint.sim.values import Value


def shuffle(
    lanes: Lanes, mode: str, value: Value, b: Value, c: Value, members: Value
) -> tuple[Value, Value]:
    """`shfl`: (the other lane's value, whether that lane is in range)."""
    values = lanes.dense(value)
    here = lanes.mask
    lane = np.arange(32, dtype=np.int64)
    by = lanes.dense(b).astype(np.int64) & 31
    control = lanes.dense(c).astype(np.int64)
    clamp, segment = control & 31, (control >> 8) & 31
    highest = (lane & segment) | (clamp & ~segment)
    lowest = lane & segment
    if mode == "up":
        source = lane - by
        inside = source >= highest
    elif mode == "down":
        source = lane + by
        inside = source <= highest
    elif mode == "bfly":
        source = lane ^ by
        inside = source <= highest
    else:
        source = lowest | (by & ~segment)
        inside = source <= highest
    source = np.where(inside, source, lane)
    rows = np.arange(len(values))[:, None]
    present = here[rows, source]
    chosen = np.where(present, values[rows, source], values)
    return lanes.sparse(chosen), lanes.sparse(inside)


@dataclass(frozen=True, eq=False)
class Groups:
    """Lanes that take part in one operation together: those of a warp that name the same members.

    Tiles of a warp and labelled groups come to one instruction with masks of their own.
    """

    lanes: Lanes
    row: (
        np.ndarray | slice
    )  #: (groups,) the warp of each group; a slice of all where each is a group of its own
    here: np.ndarray  #: (groups, 32) bool, who takes part
    of: np.ndarray | None  #: (rows, 32) each lane's group, None: its warp is

    @classmethod
    def by(cls, lanes: Lanes, members: Value) -> Groups:
        """The groups of a member mask that each lane names."""
        mask = lanes.mask
        if np.ndim(members) == 0:
            return cls(lanes, slice(None), mask & unpacked(np.reshape(members, 1)), None)
        named = lanes.dense(members).astype(np.uint32)
        first = named[np.arange(len(named)), mask.argmax(axis=1)]
        if ((named == first[:, None]) | ~mask).all():
            return cls(lanes, slice(None), mask & unpacked(first), None)
        keys = (np.arange(len(named), dtype=np.uint64)[:, None] << np.uint64(32)) | named
        keys = np.where(mask, keys, keys[np.arange(len(named)), mask.argmax(axis=1)][:, None])
        found, of = np.unique(keys, return_inverse=True)
        of = of.reshape(named.shape)
        row = (found >> np.uint64(32)).astype(np.int64)
        mine = of[row] == np.arange(len(found))[:, None]
        here = mask[row] & mine & unpacked(found.astype(np.uint32))
        return cls(lanes, row, here, of)

    def dense(self, value: Value) -> np.ndarray:
        """A value by group, (groups, 32)."""
        return np.asarray(self.lanes.dense(value)[self.row])

    def spread(self, per_group: np.ndarray) -> Value:
        """One value per group, (groups,), given to each of its lanes."""
        if self.of is None:
            return self.lanes.spread(per_group)
        return self.lanes.sparse(per_group[self.of])

    def sparse(self, entries: np.ndarray) -> Value:
        """Each lane's entry of a (groups, 32) array."""
        if self.of is None:
            return self.lanes.sparse(entries)
        return self.lanes.sparse(entries[self.of, np.arange(32)])


def vote(lanes: Lanes, mode: str, predicate: Value, members: Value) -> Value:
    """`vote`: ballot gives a mask, all, any and uni a predicate."""
    groups = Groups.by(lanes, members)
    here = groups.here
    true = groups.dense(predicate).astype(bool) & here
    if mode == "ballot":
        return groups.spread(packed(true))
    every = (true == here).all(axis=1)
    some = true.any(axis=1)
    return groups.spread({"all": every, "any": some, "uni": every | ~some}[mode])


def active_mask(lanes: Lanes) -> Value:
    return lanes.spread(lanes.bits)


def match(lanes: Lanes, everyone: bool, value: Value, members: Value) -> tuple[Value, Value]:
    """`match.any` (the lanes with my value) and `match.all` (all lanes if all agree, else 0)."""
    groups = Groups.by(lanes, members)
    values, here = groups.dense(value), groups.here
    same = (values[:, :, None] == values[:, None, :]) & here[:, None, :]
    if not everyone:
        bits = np.packbits(same, axis=2, bitorder="little").view(np.uint32)[:, :, 0]
        return groups.sparse(bits), groups.spread(np.ones(len(values), bool))
    agree = (same == here[:, None, :]).all(axis=2) | ~here
    all_agree = agree.all(axis=1)
    return groups.spread(np.where(all_agree, packed(here), np.uint32(0))), groups.spread(all_agree)


def reduce(lanes: Lanes, operation: str, value: Value, members: Value) -> Value:
    """`redux.sync`: over the participating lanes, the result in each.

    Of floats a number wins over NaN, unless the operation ends in `.NaN`.
    """
    groups = Groups.by(lanes, members)
    values, here = groups.dense(value), groups.here
    if values.dtype.kind == "f":
        return groups.spread(_extreme_float(operation, values, here))
    function, neutral = {
        "add": (np.add, 0),
        "min": (np.minimum, np.iinfo(values.dtype).max),
        "max": (np.maximum, np.iinfo(values.dtype).min),
        "and": (np.bitwise_and, -1),
        "or": (np.bitwise_or, 0),
        "xor": (np.bitwise_xor, 0),
    }[operation]
    filler = np.array([neutral]).astype(values.dtype)[0]
    total = function.reduce(np.where(here, values, filler), axis=1, dtype=values.dtype)
    return groups.spread(total)


def _extreme_float(operation: str, values: np.ndarray, here: np.ndarray) -> np.ndarray:
    """The least or greatest float of each row, (rows,) float32."""
    name, *how = operation.split(".")
    if "abs" in how:
        values = np.abs(values)
    each = extreme_or_nan if "NaN" in how else extreme
    neutral = np.float32(np.inf if name == "min" else -np.inf)
    everyone = here & (True if "NaN" in how else ~np.isnan(values))
    filled = np.where(everyone, values, neutral)
    while filled.shape[1] > 1:
        half = filled.shape[1] // 2
        filled = each(name == "max", filled[:, :half], filled[:, half:])
    total = filled[:, 0]
    return np.asarray(np.where(everyone.any(axis=1), total, np.float32(np.nan)))


def elect(lanes: Lanes, members: Value) -> tuple[Value, Value]:
    """`elect.sync`: (the lowest participating lane, whether I am it)."""
    groups = Groups.by(lanes, members)
    leader = groups.here.argmax(axis=1)
    mine = np.arange(32) == leader[:, None]
    return groups.spread(leader.astype(np.uint32)), groups.sparse(mine)
