"""Runs what a grid's threads asked to be done after it: grids of their own, and transfers.

A grid is over when all that it launched is, each with its own (CUDA C++ Programming Guide, "CUDA
Dynamic Parallelism"), and what was given to the tail comes after the rest. So works run one after
the other, each followed by its own; whatever the streams, nothing runs before what it waits for.
"""

from __future__ import annotations

import numpy as np

from perflint.run.launches import Job, Outcome
from perflint.run.memory import HostRegion, Regions
from perflint.run.sources import short_name
from perflint.sim.child_launches import ChildLaunch, Transfer
from perflint.sim.memory import REGION_SHIFT, Region, base_address
from perflint.sim.values import DTYPE

#: Launches of one grid that wait together, unless the program asks for more
#: (cudaLimitDevRuntimePendingLaunchCount).
MOST_WAITING = 2048


def pending(job: Job, outcome: Outcome) -> list[Job | Transfer]:
    """What is to run next after a launch, the first one last."""
    works = [w for w in outcome.children if not w.tail] + [w for w in outcome.children if w.tail]
    return [job.child(w) if isinstance(w, ChildLaunch) else w for w in reversed(works)]


def too_many(kernel: str, waiting: int, most: int) -> str:
    """What the user is told where a GPU may refuse launches that here all run."""
    return (
        f"kernel {short_name(kernel)} launched {waiting:,} grids, and {most:,} may wait at once "
        f"(cudaLimitDevRuntimePendingLaunchCount): a GPU may refuse some"
    )


def transfer(work: Transfer, regions: Regions) -> bool:
    """Copy or set memory as a kernel asked; False where there is none."""
    if not work.count:
        return True
    to = _place(regions, work.to, work.count)
    if to is None:
        return False
    if work.sets:
        _write(to, np.full(work.count, work.source, np.uint8))
        known = np.ones(work.count, np.uint8)
    else:
        source = _place(regions, work.source, work.count)
        if source is None:
            return False
        _write(to, _read(source, work.count))
        known = _known(regions, source, work.count)
    if isinstance(to[0], HostRegion):
        regions.memory.known(to[0].host + to[1], work.count)[:] = known
    return True


_Place = tuple[Region, int]  #: a region, and the offset in it


def _place(regions: Regions, address: int, count: int) -> _Place | None:
    number = address >> REGION_SHIFT
    region, offset = regions.get(number), address - base_address(number)
    if region is None or not region.within(offset, offset + count):
        return None
    return region, offset


def _read(place: _Place, count: int) -> np.ndarray:
    region, offset = place
    at = np.arange(offset, offset + count)
    return region.load(at, offset, offset + count - 1, DTYPE["b8"], "b8", 1)[0].copy()


def _write(place: _Place, values: np.ndarray) -> None:
    region, offset = place
    at = np.arange(offset, offset + len(values))
    region.store(at, offset, offset + len(values) - 1, (values,), "b8")


def _known(regions: Regions, place: _Place, count: int) -> np.ndarray:
    """Which of some bytes somebody wrote, as `SharedMemory.known` has it."""
    region, offset = place
    if not isinstance(region, HostRegion):
        return np.ones(count, np.uint8)
    return regions.memory.known(region.host + offset, count).copy()
