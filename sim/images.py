"""The memory of all simulated blocks, by state space: regions, shared windows, local memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from perflint.sim.child_launches import ChildLaunches
from perflint.sim.launch import Fault
from perflint.sim.layout import Frame, Parameters
from perflint.sim.memory import Accounting, Region
from perflint.sim.recorder import Recorder
from perflint.sim.system_calls import new_heap
from perflint.sim.tensor_memory import TensorMemory
from perflint.sim.textures import Textures

#: Bytes behind a block's shared memory that an overrun still reaches, so that a run goes on.
_SLACK = 64 << 10
#: Registers that tell where the system's own shared memory lies (cooperative groups use it).
RESERVED = "%reserved_smem_offset"
_RESERVED_BYTES = 1024


class Images:
    """Memory images of all simulated blocks; `recorder` is told of what touches them."""

    def __init__(
        self,
        regions: Sequence[Region],
        wild: Region,
        shared: Frame,
        dynamic_shared: int,
        reserves: bool,
        local: Frame,
        parameters: Parameters,
        threads: int,
        recorder: Recorder,
        accounting: Accounting,
    ) -> None:
        self.regions = {region.number: region for region in regions}
        self.wild = wild
        self.declared_shared = shared.size + dynamic_shared
        self.reserved = -(-self.declared_shared // 128) * 128
        self.shared_bytes = self.reserved + _RESERVED_BYTES if reserves else self.declared_shared
        self.window = -(-(self.shared_bytes + _SLACK) // 128) * 128
        self.local_bytes = -(-max(local.size, 1) // 16) * 16
        self.accounting = accounting
        self.parameters = parameters.image
        #: where the driver keeps what the blocks of a grid share (cooperative groups use it)
        self.workspace = 0
        self.blocks_per_cluster = 1
        self.textures = Textures(parameters.textures)
        self.printed: Callable[[bytes], None] | None = None  #: takes what kernels print
        self.heap = new_heap(accounting)  #: what `malloc` in a kernel gives from
        self.children = ChildLaunches.made(accounting)  #: what its threads want done after it
        self.threads_per_block = threads
        self._shared = np.zeros(0, np.uint8)  # until it is touched
        self._overrun = False
        #: of instructions whose shared variable is known, where in the window it lies
        self.bounds: dict[int, tuple[int, int]] = {}
        self.faults: Counter[tuple[str, int]] = Counter()
        self.changes = 0  #: atomics that changed memory
        self.tensor = TensorMemory(accounting, self.faults)
        self.begin_wave(0)
        self.recorder = recorder

    def begin_wave(self, blocks: int) -> None:
        """Shared, local and tensor memory of the blocks that run next, all zero."""
        self.blocks, self.threads = blocks, blocks * self.threads_per_block
        if len(self._shared):
            used = self.window if self._overrun else self.shared_bytes
            self._shared.reshape(-1, self.window)[:, :used] = 0
        self._overrun = False
        self.local = np.zeros(0, np.uint8)  # until it is touched
        self.tensor.begin_wave(blocks)

    @property
    def shared(self) -> np.ndarray:
        """The shared windows of this wave's blocks, uint8; they begin every `window` bytes."""
        size = self.blocks * self.window
        if len(self._shared) < size:
            self._shared = np.zeros(size, np.uint8)
        return self._shared[:size]

    def fault(self, kind: str, pc: int, count: int) -> None:
        self.faults[kind, pc] += count

    def fault_list(self) -> tuple[Fault, ...]:
        return tuple(Fault(kind, pc, count) for (kind, pc), count in sorted(self.faults.items()))
