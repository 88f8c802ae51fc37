"""Predefined registers (PTX ISA 10): thread and block indices, masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.affine_lanes import Affine
from perflint.sim.clock import CLOCKS
from perflint.sim.images import RESERVED, Images
from perflint.sim.lanes import Lanes
from perflint.sim.launch import Dim3, Launch
from perflint.sim.patterns import KINDS, Axes
from perflint.sim.values import Value

_AXES = "xyz"

#: Axes by the dimensions that vary and the blocks' indices, counted from their least.
AxesCache = dict[tuple[tuple[int, ...], bytes], Axes]

_DIMENSIONED = ("%tid", "%ntid", "%ctaid", "%nctaid")
_SPECIAL = frozenset(
    (
        *(f"{name}.{axis}" for name in _DIMENSIONED for axis in "xyz"),
        *(f"%clusterid.{axis}" for axis in "xyz"),
        *(f"%cluster_ctaid.{axis}" for axis in "xyz"),
        *(f"%cluster_nctaid.{axis}" for axis in "xyz"),
        *(f"%nclusterid.{axis}" for axis in "xyz"),
        *(f"%lanemask_{kind}" for kind in ("eq", "le", "lt", "ge", "gt")),
        "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
        *CLOCKS,
        "%total_smem_size", "%dynamic_smem_size", "%aggr_smem_size",
        *(f"%reserved_smem_offset_{which}" for which in ("0", "1", "begin", "end", "cap")),
        "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster", "%current_graph_exec",
        "%envreg1", "%envreg2",
        *(f"%pm{number}{suffix}" for number in range(8) for suffix in ("", "_64")),
    )
)  # fmt: skip


def is_special(name: str) -> bool:
    """Whether the machine knows a predefined register."""
    return name in _SPECIAL


class Specials:
    """Values of predefined registers, kept per population; scalars where all lanes agree."""

    def __init__(
        self, launch: Launch, blocks: Sequence[Dim3], warps_per_block: int, device: Images
    ) -> None:
        self.launch, self.blocks, self.warps_per_block = launch, blocks, warps_per_block
        self.device = device
        self._known: dict[str, Value] = {}
        numbers = np.array(blocks, np.int64)
        self.least = tuple(numbers.min(axis=0).tolist())
        varied = (numbers != self.least).any(axis=0).tolist()
        #: thread indices (0 to 2) and block indices (3 to 5) that are not the same everywhere
        self.dimensions = tuple(
            [axis for axis in range(3) if launch.block[axis] > 1]
            + [3 + axis for axis in range(3) if varied[axis]]
        )

    def forget(self) -> None:
        """The population has changed."""
        self._known.clear()

    def value(self, population: Lanes, lanes: Lanes, name: str) -> Value:
        """A register's value for some lanes of the population, in its own type."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._compute(population, name)
        if lanes.positions is None or known.ndim == 0:
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
        if base in ("%envreg1", "%envreg2"):  # upper and lower half of an address
            shift = 32 if base == "%envreg1" else 0
            return np.uint32((self.device.workspace >> shift) & 0xFFFFFFFF)
        if base == "%cluster_ctarank":
            return self._rank(lanes)
        count = self.launch.blocks_per_cluster
        known = {"%nwarpid": 64, "%nsmid": 1, "%cluster_nctarank": count}
        return np.uint32({**known, "%is_explicit_cluster": int(count > 1)}.get(base, 0))

    def _rank(self, lanes: Lanes) -> Value:
        """The number of each lane's block in its cluster, x fastest."""
        if self.launch.blocks_per_cluster == 1:
            return np.uint32(0)
        rank, stride = np.zeros(lanes.count, np.uint32), 1
        for axis, extent in enumerate(self.launch.cluster):
            rank += self._block_index(lanes, axis) % np.uint32(extent) * np.uint32(stride)
            stride *= extent
        return rank

    def _block_index(self, lanes: Lanes, axis: int) -> np.ndarray:
        """Each lane's block's index along an axis, (n,) uint32."""
        blocks = np.array(self.blocks, np.uint32)[:, axis]
        return np.asarray(blocks[lanes.block - lanes.first_block])

    def _along(self, lanes: Lanes, dimension: int, least: int) -> Value:
        """A thread's (0 to 2) or its block's (3 to 5) index; affine where lanes differ in it."""
        if dimension not in self.dimensions:
            return np.uint32(least)
        number = self.dimensions.index(dimension)
        unit = tuple(int(n == number) for n in range(len(self.dimensions)))
        axes = lanes.axes or self.axes(lanes)
        index = Affine(axes.pattern(unit), least, KINDS[np.dtype(np.uint32)])
        return index if lanes.axes is not None else index.array

    def axes(self, lanes: Lanes, known: AxesCache | None = None) -> Axes:
        """The axes of a wave's lanes, of all dimensions that have more than one index.

        Waves whose blocks stand to each other in the same way share their axes.
        """
        blocks = np.array(self.blocks, np.int64) - self.least
        key = (self.dimensions, blocks.tobytes())
        axes = known.get(key) if known is not None else None
        if axes is None:
            axes = self._axes(lanes, blocks)
            if known is not None:
                known[key] = axes
        return axes

    def _axes(self, lanes: Lanes, blocks: np.ndarray) -> Axes:
        thread = lanes.slots % (32 * self.warps_per_block)
        indices, most = [], []
        for dimension in self.dimensions:
            axis = dimension % 3
            if dimension < 3:
                below = int(np.prod(self.launch.block[:axis], dtype=np.int64))
                indices.append(thread // below % self.launch.block[axis])
            else:
                indices.append(blocks[:, axis][lanes.block - lanes.first_block])
            most.append(int(indices[-1].max()))
        return Axes(indices, most, lanes.count)

    def _dimensioned(self, lanes: Lanes, base: str, axis: int) -> Value:
        grid, block, cluster = self.launch.grid, self.launch.block, self.launch.cluster
        if base == "%tid":
            return self._along(lanes, axis, 0)
        extent = cluster[axis]
        if base == "%ctaid" or (base == "%clusterid" and extent == 1):
            return self._along(lanes, 3 + axis, self.least[axis])
        if base == "%clusterid":
            return self._block_index(lanes, axis) // np.uint32(extent)
        if base == "%cluster_ctaid" and extent > 1:
            return self._block_index(lanes, axis) % np.uint32(extent)
        sizes = {"%ntid": block[axis], "%nctaid": grid[axis], "%nclusterid": grid[axis] // extent,
                 "%cluster_nctaid": extent}  # fmt: skip
        return np.uint32(sizes.get(base, 0))


def _lane_mask(lanes: Lanes, kind: str) -> Value:
    one = np.uint64(1) << lanes.lane.astype(np.uint64)
    below = one - np.uint64(1)
    every = np.uint64(0xFFFFFFFF)
    masks = {"eq": one, "lt": below, "le": below | one, "gt": every ^ (below | one)}
    return masks.get(kind, every ^ below).astype(np.uint32)
