"""Runs the blocks of a launch in waves, so that memory stays bounded however large the grid is.

A wave's blocks run together on one machine, and wait for each other where they talk; blocks of
different waves run one after the other, as they may on a device that has not room for all.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from perflint.sim.codegen import CompiledBlock
from perflint.sim.device import Device
from perflint.sim.ipdom_machine import IpdomMachine
from perflint.sim.launch import Dim3, Launch, Stop
from perflint.sim.leaps import Leaps
from perflint.sim.machine import Machine, Progress
from perflint.sim.program import Program
from perflint.sim.simulation_options import SimulationOptions
from perflint.sim.special import AxesCache

#: Lanes that run together: their registers should fit the processor's second-level cache, and an
#: operation on all of them should take longer than Python takes to ask for it.
LANES = 1 << 15

_BUDGETS = ("instruction budget", "time budget", "memory budget")


def blocks_per_wave(launch: Launch) -> int:
    """How many blocks of a launch run together: whole clusters."""
    each = launch.blocks_per_cluster
    return max(1, LANES // (32 * launch.warps_per_block) // each) * each


def run(
    program: Program,
    code: tuple[CompiledBlock, ...],
    device: Device,
    launch: Launch,
    blocks: Sequence[Dim3],
    symbols: dict[str, int],
    options: SimulationOptions,
    *,
    together: bool = False,
    leaps: Leaps | None = None,
) -> tuple[Progress, Stop | None]:
    """Run all blocks: what was executed, and what stopped it early.

    All blocks run `together`, in one wave, where a barrier of the whole grid needs it.
    """
    progress = Progress(deadline=time.thread_time() + options.budget.seconds)
    step = len(blocks) if together else blocks_per_wave(launch)
    known: AxesCache = {}
    kind = IpdomMachine if options.reconvergence == "ipdom" else Machine
    for first in range(0, len(blocks), step):
        some = blocks[first : first + step]
        device.begin_wave(len(some))
        machine = kind(
            program, code, device, launch, some, symbols, options,
            first_block=first, progress=progress, known=known,
            partial=len(blocks) < launch.block_count, leaps=leaps,
        )  # fmt: skip
        stop = machine.run()
        if stop is not None:
            progress.blocks_done = first + len(some) - machine.blocks_left()
            progress.standing = machine.standing()
            spins = stop.reason == "endless" or stop.other is not None
            if spins and first + len(some) < len(blocks):
                return progress, replace(stop, reason="endless")  # a later block may end it
            if stop.reason in _BUDGETS:
                stop = replace(stop, detail=_reached(stop, len(blocks), progress))
            return progress, stop
    return progress, None


def _reached(stop: Stop, blocks: int, progress: Progress) -> str:
    """How far a run came that a budget stopped."""
    said = f"{stop.detail}; " if stop.detail else ""
    done = progress.blocks_done
    return f"{said}{done} of {blocks} blocks done, {progress.warp_instructions} warp instructions"
