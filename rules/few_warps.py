"""Launches with fewer warps than the GPU has schedulers."""

from __future__ import annotations

from perflint.rules.protocol import Kernel, KnownLaunch

WARP = 32
#: Warp schedulers of a multiprocessor, since Maxwell.
SCHEDULERS = 4


def warps_of(launch: KnownLaunch) -> int:
    return launch.blocks * -(-launch.threads // WARP)


def small_launch(kernel: Kernel) -> KnownLaunch | None:
    """The largest launch of a kernel, if it has fewer warps than the GPU has schedulers.

    None where the grid of one is not known.
    """
    launches = kernel.launches
    if not launches or any(each.assumed or None in each.grid for each in launches):
        return None
    largest = max(launches, key=warps_of)
    return largest if warps_of(largest) < kernel.arch.multiprocessors * SCHEDULERS else None
