"""Schedules that hurt: GUPT's equations (5) to (8), and others to compare them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from perflint.base.records import dataclass
from perflint.stress.guided.timeline import Choose, Machine, Now

Lines = Callable[[int, int], frozenset[int]]  #: of a warp that comes to a request next


@dataclass(frozen=True)
class Knowledge:
    """What the schedule knows of warps: lines by warp and the request that it comes to next."""

    conflict: Lines  #: Conflict(p, t) of its threads: what it accesses before it waits
    reuse: Lines  #: Reuse: what it may find in the cache again
    missing: Lines  #: of the conflicts those that are not AH in some thread


def order(machine: Machine, knowledge: Knowledge, missed: Callable[[int], int]) -> Choose:
    """Choose by ≼i, then ≼d, as in the paper; of equals the oldest. `missed` is a line's bank."""

    def choose(ready: Sequence[int], now: Now) -> int:
        if len(ready) == 1:
            return ready[0]
        resident = {line for group in now.content for line in group}
        again: dict[int, set[int]] = {}
        for warp, request in enumerate(now.next):
            if request >= 0:
                for line in knowledge.reuse(warp, request) & resident:
                    again.setdefault(line, set()).add(warp)
        return max(
            ready,
            key=lambda warp: (
                polluted(machine, knowledge, now, warp, again),
                congested(machine, knowledge, now, warp, missed),
                -warp,
            ),
        )

    return choose


def polluted(
    machine: Machine, knowledge: Knowledge, now: Now, warp: int, again: dict[int, set[int]]
) -> int:
    """Equations (7) and (8): Σ |H_Si|, lines that would be brought in where others reuse some.

    `again` are the cached lines that warps may reuse, and which warps.
    """
    request = now.next[warp]
    if request < 0:
        return 0
    count = 0
    wanted = np.array(sorted(knowledge.conflict(warp, request)), np.int64)
    for line, group in zip(wanted.tolist(), machine.cache.set_of(wanted).tolist(), strict=True):
        content = now.content[group]
        count += line not in content and any(again.get(each, set()) - {warp} for each in content)
    return count


def congested(
    machine: Machine, knowledge: Knowledge, now: Now, warp: int, missed: Callable[[int], int]
) -> int:
    """Equations (5) and (6): Σ |G_Bi|, lines for banks that are busy with others."""
    request = now.next[warp]
    if request < 0:
        return 0
    count = 0
    for line in knowledge.missing(warp, request):
        busy = now.outstanding[missed(line)]
        count += line not in busy and any(until > now.time for until in busy.values())
    return count


def at_random(seed: int) -> Choose:
    """Any of those that are ready."""
    rng = np.random.default_rng(seed)
    return lambda ready, now: int(ready[int(rng.integers(len(ready)))])


def oldest(ready: Sequence[int], now: Now) -> int:
    """The one of the lowest number: greedy, then oldest."""
    return ready[0]


class ScheduleError(ValueError):
    """A schedule that the launch at hand does not have."""


def enforced(warps: Sequence[int]) -> Choose:
    """Turn by turn the warps of a schedule.

    Raises ScheduleError where the warp whose turn it is cannot run.
    """
    turns = iter(warps)

    def choose(ready: Sequence[int], now: Now) -> int:
        warp = next(turns, -1)
        if warp not in ready:
            raise ScheduleError(f"warp {warp} is not ready at cycle {now.time}")
        return warp

    return choose
