"""8 by 8 matrices of halves between lanes and memory: `ldmatrix`, `stmatrix`, `movmatrix`.

Lane 8m + r names row r of matrix m; of each matrix lane l has elements 2l and 2l + 1
(PTX ISA 9.7.14.5.15 to 9.7.14.5.17).
"""

from __future__ import annotations

import numpy as np

from perflint.sim.device import Device
from perflint.sim.lanes import Lanes
from perflint.sim.site import Site
from perflint.sim.values import Value


def touch_matrices(device: Device, lanes: Lanes, site: Site, address: Value, count: int) -> None:
    """`ldmatrix` of which no byte is wanted."""
    chosen = np.flatnonzero(lanes.lane < 8 * count)
    if len(chosen):
        device.touch(lanes.subset(chosen), site, lanes.array(address)[chosen])


def load_matrices(
    device: Device, lanes: Lanes, site: Site, address: Value, count: int, transposed: bool
) -> tuple[Value, ...]:
    """`ldmatrix`."""
    chosen = np.flatnonzero(lanes.lane < 8 * count)
    if not len(chosen):
        return tuple(np.zeros(lanes.count, np.uint32) for _ in range(count))
    some = lanes.subset(chosen)
    words = device.load(some, site, lanes.array(address)[chosen])
    rows = np.zeros((lanes.rows, 32, 4), np.uint32)
    row = lanes.row[chosen]
    for k, word in enumerate(words):
        rows[row, some.lane, k] = word
    out = []
    for matrix in range(count):
        tile = rows[:, 8 * matrix : 8 * matrix + 8].view(np.uint16).reshape(-1, 8, 8)
        if transposed:
            tile = tile.transpose(0, 2, 1)
        fragment = np.ascontiguousarray(tile).reshape(-1, 64).view(np.uint32)
        out.append(lanes.sparse(fragment))
    return tuple(out)


def store_matrices(
    device: Device,
    lanes: Lanes,
    site: Site,
    address: Value,
    transposed: bool,
    values: tuple[Value, ...],
) -> None:
    """`stmatrix`."""
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
    device.store(some, site, lanes.array(address)[chosen], parts)


def transpose(lanes: Lanes, value: Value) -> Value:
    """`movmatrix`: an 8 by 8 matrix of halves, transposed across the lanes."""
    tile = np.ascontiguousarray(lanes.dense(value)).view(np.uint16).reshape(-1, 8, 8)
    turned = np.ascontiguousarray(tile.transpose(0, 2, 1)).reshape(-1, 64)
    return lanes.sparse(turned.view(np.uint32))
