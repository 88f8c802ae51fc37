"""Operations among the lanes of a warp (PTX ISA 9.7.9.5, 9.7.13.8 to 9.7.13.14).

Lanes that a member mask names but that are elsewhere count as inactive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.sim.lanes import Lanes, packed, unpacked
from perflint.sim.meaning.floating import extreme, extreme_or_nan
from perflint.sim.site import Site
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


def _voters(lanes: Lanes, predicate: Value, members: Value) -> tuple[np.ndarray, np.ndarray]:
    """(predicate, takes part) of every lane, both (rows, 32) bool."""
    mine = lanes.dense(members).astype(np.uint32)
    member_bits = mine.max(axis=1) if len(mine) else np.zeros(0, np.uint32)
    here = lanes.mask & unpacked(member_bits)
    return lanes.dense(predicate).astype(bool) & here, here


def vote(lanes: Lanes, mode: str, predicate: Value, members: Value) -> Value:
    """`vote`: ballot gives a mask, all, any and uni a predicate."""
    true, here = _voters(lanes, predicate, members)
    if mode == "ballot":
        return lanes.spread(packed(true))
    every = (true == here).all(axis=1)
    some = true.any(axis=1)
    return lanes.spread({"all": every, "any": some, "uni": every | ~some}[mode])


def active_mask(lanes: Lanes) -> Value:
    return lanes.spread(lanes.bits)


def match(lanes: Lanes, everyone: bool, value: Value, members: Value) -> tuple[Value, Value]:
    """`match.any` (the lanes with my value) and `match.all` (all lanes if all agree, else 0)."""
    values = lanes.dense(value)
    _, here = _voters(lanes, np.True_, members)
    same = (values[:, :, None] == values[:, None, :]) & here[:, None, :]
    if not everyone:
        bits = np.packbits(same, axis=2, bitorder="little").view(np.uint32)[:, :, 0]
        return lanes.sparse(bits), lanes.spread(np.ones(len(values), bool))
    agree = (same == here[:, None, :]).all(axis=2) | ~here
    all_agree = agree.all(axis=1)
    return lanes.spread(np.where(all_agree, packed(here), np.uint32(0))), lanes.spread(all_agree)


def reduce(lanes: Lanes, operation: str, value: Value, members: Value) -> Value:
    """`redux.sync`: over the participating lanes, the result in each.

    Of floats a number wins over NaN, unless the operation ends in `.NaN`.
    """
    values = lanes.dense(value)
    _, here = _voters(lanes, np.True_, members)
    if values.dtype.kind == "f":
        return lanes.spread(_extreme_float(operation, values, here))
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
    return lanes.spread(total)


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
    _, here = _voters(lanes, np.True_, members)
    leader = here.argmax(axis=1)
    mine = np.arange(32) == leader[:, None]
    return lanes.spread(leader.astype(np.uint32)), lanes.sparse(mine)


def store_matrices(
    memory: Any,
    lanes: Lanes,
    site: Site,
    address: Value,
    transposed: bool,
    values: tuple[Value, ...],
) -> None:
    """`stmatrix`: lane 8m + r names row r of matrix m, whose elements 2l and 2l + 1 lane l has."""
    tiles = []
    for value in values:
        tile = np.ascontiguousarray(lanes.dense(value)).view(np.uint16).reshape(-1, 8, 8)
        tiles.append(tile.transpose(0, 2, 1) if transposed else tile)
    rows = np.concatenate(tiles, axis=1)  # (warps, 8 * matrices, 8)
    words = np.ascontiguousarray(rows).view(np.uint32)
    chosen = np.flatnonzero(lanes.lane < rows.shape[1])
    some = lanes.subset(chosen)
    mine = words[lanes.row[chosen], some.lane]
    parts = tuple(np.ascontiguousarray(mine[:, k]) for k in range(4))
    memory.store(some, site, lanes.array(address)[chosen], parts)


def transpose(lanes: Lanes, value: Value) -> Value:
    """`movmatrix`: an 8 by 8 matrix of halves, transposed across the lanes."""
    tile = np.ascontiguousarray(lanes.dense(value)).view(np.uint16).reshape(-1, 8, 8)
    turned = np.ascontiguousarray(tile.transpose(0, 2, 1)).reshape(-1, 64)
    return lanes.sparse(turned.view(np.uint32))
