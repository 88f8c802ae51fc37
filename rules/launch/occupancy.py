"""How many warps a multiprocessor holds, and what limits it: the rules of CUDA's calculator."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.records import dataclass
from perflint.rules.few_warps import SCHEDULERS, WARP
from perflint.sim.architecture import Architecture

#: Registers are given out to warps in pieces of so many, and shared memory to blocks (the CUDA
#: toolkit's cuda_occupancy.h: 256 registers since Kepler; 128 bytes since Ampere, 256 before).
REGISTERS = 256
SHARED, SHARED_BEFORE_AMPERE = 128, 256
#: Instructions of a warp below which a launch is over before it matters: some 20 microseconds, were
#: each to wait for the one before. A launch itself takes about 5.
LONG = 4_000


@dataclass(frozen=True)
class Occupancy:
    """What a multiprocessor holds of a kernel at a time."""

    blocks: int
    warps: int
    most: int  #: warps that the multiprocessor could hold
    limiter: str  #: `registers`, `shared memory`, `blocks` or `warps`

    @property
    def share(self) -> float:
        return self.warps / self.most


def occupancy(arch: Architecture, threads: int, registers: int, shared: int) -> Occupancy:
    """For blocks of so many threads, registers a thread, and bytes of shared memory a block."""
    warps = -(-threads // WARP)
    limits = dict(_limits(arch, warps, registers, shared))
    limiter = min(limits, key=limits.__getitem__)
    blocks = limits[limiter]
    return Occupancy(blocks, blocks * warps, arch.max_warps_per_sm, limiter)


def _limits(
    arch: Architecture, warps: int, registers: int, shared: int
) -> Iterator[tuple[str, int]]:
    """Blocks that each resource allows; where two allow as many, the first one limits."""
    yield "warps", arch.max_warps_per_sm // warps
    yield "blocks", arch.max_blocks_per_sm
    if registers:
        a_warp = -(-registers * WARP // REGISTERS) * REGISTERS
        # a warp has its registers from its own scheduler's part of the file (cuda_occupancy.h)
        held = SCHEDULERS * (arch.registers_per_sm // SCHEDULERS // a_warp)
        yield "registers", held // warps
    unit = SHARED if arch.compute_capability >= (8, 0) else SHARED_BEFORE_AMPERE
    taken = -(-(shared + arch.shared_reserved_per_block) // unit) * unit
    if shared:
        yield "shared memory", arch.shared_per_sm // taken
