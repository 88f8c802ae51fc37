"""MachineAttributes: the machine that a launch is simulated for."""

from __future__ import annotations

from collections.abc import Mapping

from perflint.sim.trace import Metric, Setting, Tracing


class MachineAttributes(Tracing):
    """Records the architecture's characteristics; `arch` has them all, with their sources."""

    def begin(self, setting: Setting) -> None:
        self.arch = setting.arch

    def metrics(self) -> Mapping[str, Metric]:
        arch = self.arch
        major, minor = arch.compute_capability
        return {
            "architecture": arch.name,
            "chip": arch.chip,
            "compute capability": f"{major}.{minor}",
            "warp size": arch.warp_size,
            "threads per multiprocessor": arch.max_threads_per_sm,
            "blocks per multiprocessor": arch.max_blocks_per_sm,
            "registers per multiprocessor": arch.registers_per_sm,
            "shared memory per multiprocessor, bytes": arch.shared_per_sm,
            "shared memory banks": arch.banks,
        }
