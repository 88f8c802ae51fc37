"""KernelDimension: the launch's grid and block, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping

from perflint.sim.launch import Dim3
from perflint.sim.trace import Metric, Setting, Tracing


class KernelDimension(Tracing):
    """Records the dimensions of a launch."""

    def begin(self, setting: Setting) -> None:
        launch = setting.launch
        self.grid, self.block = launch.grid, launch.block
        self.blocks = launch.block_count
        self.simulated = len(setting.blocks)
        self.threads = launch.threads_per_block
        self.warps = setting.warps  #: of a block
        self.shared = setting.shared_bytes  #: of a block, static and dynamic

    def metrics(self) -> Mapping[str, Metric]:
        return {
            "grid": _shape(self.grid),
            "block": _shape(self.block),
            "blocks": self.blocks,
            "blocks simulated": self.simulated,
            "threads per block": self.threads,
            "warps per block": self.warps,
            "threads": self.blocks * self.threads,
            "shared memory per block, bytes": self.shared,
        }


def _shape(extents: Dim3) -> str:
    return " x ".join(map(str, extents))
