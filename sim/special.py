"""Predefined registers (PTX ISA 10): thread and block indices, masks, clocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.device import RESERVED, Device
from perflint.sim.lanes import Lanes
from perflint.sim.launch import Dim3, Launch
from perflint.sim.values import Value

_AXES = "xyz"


class Specials:
    """Values of predefined registers, kept per population; scalars where all lanes agree."""

    def __init__(
        self, launch: Launch, blocks: Sequence[Dim3], warps_per_block: int, device: Device
    ) -> None:
        self.launch, self.blocks, self.warps_per_block = launch, blocks, warps_per_block
        self.device = device
        self._known: dict[str, Value] = {}

    def forget(self) -> None:
        """The population has changed."""
        self._known.clear()

    def value(self, population: Lanes, lanes: Lanes, name: str, order: int) -> Value:
        """A register's value for some lanes of the population, in its own type."""
        if "clock" in name or "timer" in name:
            wide = name in ("%clock64", "%globaltimer")
            high = name.endswith("_hi")
            return np.uint64(order) if wide else np.uint32(0 if high else order & 0xFFFFFFFF)
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._compute(population, name)
        if known.ndim == 0 or lanes.positions is None:
            return known
        return known[lanes.positions]

    def _compute(self, lanes: Lanes, name: str) -> Value:
        base, _, axis = name.partition(".")
        if axis in _AXES and axis:
            return self._dimensioned(lanes, base, _AXES.index(axis))
        if base.startswith("%lanemask_"):
            return _lane_mask(lanes, base[len("%lanemask_") :])
        if base == "%laneid":
            return lanes.lane.astype(np.uint32)
        if base == "%warpid":
            return (lanes.slots // 32 % self.warps_per_block).astype(np.uint32)
        if base == "%dynamic_smem_size":
            return np.uint32(self.launch.dynamic_shared)
        if base in ("%total_smem_size", "%aggr_smem_size"):
            return np.uint32(self.device.declared_shared)
        if base.startswith(RESERVED):
            return np.uint32(self.device.reserved)
        return np.uint32({"%nwarpid": 64, "%nsmid": 1, "%cluster_nctarank": 1}.get(base, 0))

    def _dimensioned(self, lanes: Lanes, base: str, axis: int) -> Value:
        grid, block = self.launch.grid, self.launch.block
        if base == "%tid":
            if block[axis] == 1:
                return np.uint32(0)
            thread = lanes.slots % (32 * self.warps_per_block)
            below = int(np.prod(block[:axis], dtype=np.int64))
            return (thread // below % block[axis]).astype(np.uint32)
        if base in ("%ctaid", "%clusterid"):
            index = np.array([b[axis] for b in self.blocks], np.uint32)
            if (index == index[0]).all():
                return index[0]
            return index[lanes.block]
        sizes = {"%ntid": block, "%nctaid": grid, "%nclusterid": grid, "%cluster_nctaid": (1, 1, 1)}
        return np.uint32(sizes.get(base, (0, 0, 0))[axis])


def _lane_mask(lanes: Lanes, kind: str) -> Value:
    one = np.uint64(1) << lanes.lane.astype(np.uint64)
    below = one - np.uint64(1)
    every = np.uint64(0xFFFFFFFF)
    masks = {"eq": one, "lt": below, "le": below | one, "gt": every ^ (below | one)}
    return masks.get(kind, every ^ below).astype(np.uint32)
