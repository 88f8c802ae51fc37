"""Launches with fewer warps than the GPU has schedulers."""

from __future__ import annotations

from perflint.rules.protocol import Kernel, KnownLaunch

WARP = 32
#: Warp schedulers of a multiprocessor, since Maxwell.
SCHEDULERS = 4
#: How many times as large another run's input is taken to be, where the grid grows with it: with
#: fewer warps still, a thread has a row of the data, and both grow.
MORE = 8


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


def may_grow(kernel: Kernel, launch: KnownLaunch) -> bool:
    """Whether a launch has a warp for each scheduler where its program is run with more."""
    enough = kernel.arch.multiprocessors * SCHEDULERS
    return launch.by_input and MORE * warps_of(launch) >= enough
