"""How many blocks of a launch one multiprocessor (SM) holds at a time."""

from __future__ import annotations

from perflint.sim.architecture import Architecture


def share_of_sm(arch: Architecture, blocks: int) -> int:
    """Blocks of a grid that one multiprocessor gets: they are dealt out evenly. At least 1."""
    return max(1, -(-blocks // arch.multiprocessors))


def blocks_per_sm(arch: Architecture, threads: int, shared: int) -> int:
    """By threads, warps, blocks and shared memory; registers are not known from PTX.

    `threads` and `shared` bytes (static and dynamic) are of one block. At least 1.
    """
    warps = -(-threads // arch.warp_size)
    limits = [
        arch.max_blocks_per_sm,
        arch.max_threads_per_sm // max(1, threads),
        arch.max_warps_per_sm // max(1, warps),
    ]
    if shared:
        limits.append(arch.shared_per_sm // (shared + arch.shared_reserved_per_block))
    return max(1, min(limits))


def shared_taken(arch: Architecture, blocks: int, shared: int) -> int:
    """Bytes of shared memory that resident blocks take, with what the driver keeps of each."""
    return blocks * (shared + arch.shared_reserved_per_block) if shared else 0
