"""How much of a launch is run: its blocks, and the instructions that these may issue."""

from __future__ import annotations

import numpy as np

from perflint.lint.run_ends import REQUESTS_PER_SITE
from perflint.rules.protocol import Scope
from perflint.sim.architecture import load as architecture
from perflint.sim.emulator import choose_blocks
from perflint.sim.launch import UNBOUNDED, Budget, Dim3, Launch
from perflint.sim.residency import share_of_sm

#: Instructions issued in the launches' first runs, and in those that hold their verdicts against
#: other conditions, for each second of `--budget` but the default's two. Those of 625 real
#: kernels settle within 1,000 warp-wide instructions; more only reaches more lines. The count ends
#: a run, never the clock, so that results repeat.
INSTRUCTIONS = 20_000
MORE_INSTRUCTIONS = 4_000
#: Runs that are to come to their end get more: cut short, they decide nothing.
WHOLE_INSTRUCTIONS = 12_000
#: The clock stops only what is out of hand: this many times the budget's seconds (CPU time).
PATIENCE = 15
#: Blocks of one launch that are run at most where all of it is asked for.
MOST_BLOCKS = 1024


def budget_of(seconds: float, number: int, scope: Scope, share: int) -> Budget:
    if scope == "sites":
        each = MORE_INSTRUCTIONS if number else INSTRUCTIONS
        return Budget(
            issued_instructions=int(each * seconds) // share,
            seconds=PATIENCE * seconds,
            requests_per_site=REQUESTS_PER_SITE,
        )
    return Budget(
        warp_instructions=UNBOUNDED,
        issued_instructions=int(WHOLE_INSTRUCTIONS * seconds) // share,
        seconds=PATIENCE * seconds,
        requests_per_site=UNBOUNDED,
    )


def blocks_of(launch: Launch, scope: Scope, arch: str, contiguous: bool) -> tuple[Dim3, ...]:
    """Which blocks of a launch are run on a GPU; neighbours, where these are to be `contiguous`."""
    if scope in ("sites", "blocks"):
        return choose_blocks(launch.grid, contiguous)
    if scope == "launch":
        return first_blocks(launch.grid, MOST_BLOCKS)
    limits = architecture(arch)
    by_threads = limits.max_threads_per_sm // max(1, launch.threads_per_block)
    dealt = share_of_sm(limits, launch.block_count)
    return first_blocks(launch.grid, max(1, min(by_threads, limits.max_blocks_per_sm, dealt)))


def first_blocks(grid: Dim3, most: int) -> tuple[Dim3, ...]:
    """The first blocks of a grid in the order in which they are started: x runs fastest."""
    count = min(most, grid[0] * grid[1] * grid[2])
    index = np.arange(count)
    x, y, z = index % grid[0], index // grid[0] % grid[1], index // (grid[0] * grid[1])
    return tuple(zip(x.tolist(), y.tolist(), z.tolist(), strict=True))
