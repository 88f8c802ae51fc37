"""Work shared out among processes: a crash costs one task, and results do not tell who did it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from perflint.base.limits import Limits, open_files
from perflint.work.crew import Crash, Crew, Here, ProcessError, Workers
from perflint.work.task import lease, tell

__all__ = [
    "FORKS",
    "Crash",
    "ProcessError",
    "Workers",
    "alone",
    "each",
    "ending",
    "in_order",
    "lease",
    "tell",
    "usable_cpus",
    "workers",
]

T = TypeVar("T")
S = TypeVar("S")

#: macOS forks too, but its frameworks do not survive it; Windows has no fork.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
#: Processes beyond this many a CPU only take memory.
JOBS_PER_CPU = 4
#: Open files of this process for each of the others (a pipe, a sentinel), and for all else.
_FILES_EACH, _FILES = 4, 20


def workers(
    function: Callable[[S], T],
    jobs: int,
    limits: Limits | None = None,
    heard: Callable[[str], None] = lambda _: None,
) -> Workers[S, T]:
    """Up to `jobs` processes that do `function`, which must not raise, to what is submitted.

    `heard` is called with what a function says (`perflint.work.task.tell`) while it is at work, and
    with "" now and then. With one job and no limits, or where processes cannot be forked, all of it
    is done in this process. End them. They raise ProcessError.
    """
    most = min(JOBS_PER_CPU * usable_cpus(), (open_files() - _FILES) // _FILES_EACH)
    jobs = max(1, min(jobs, most))
    if (jobs < 2 and limits is None) or not FORKS:
        return Here(function, heard)
    return Crew(function, jobs, limits, heard)


def each(
    function: Callable[[int], T],
    count: int,
    jobs: int,
    limits: Limits | None = None,
    *,
    order: Sequence[int] | None = None,
    heard: Callable[[str], None] = lambda _: None,
    finished: Callable[[int, T | Crash], None] = lambda *_: None,
) -> Generator[T | Crash, None, None]:
    """`function(0)` to `function(count - 1)`, in this order, from up to `jobs` processes at once.

    `order` is that in which the items are begun: the longest first, so that no process is left with
    it when the others are done. `finished` is called with each item and its result as soon as it
    is there. The rest is as for `workers`. Close the iterator to end the processes early.
    """
    crew = workers(function, min(jobs, count), limits, heard)
    with ending(crew):
        for item in range(count) if order is None else order:
            crew.submit(item)
        yield from in_order(crew, finished)


@contextmanager
def ending(crew: Workers[S, T]) -> Iterator[None]:
    """Let the workers go afterwards, whatever happens."""
    try:
        yield
    finally:
        crew.end()


def in_order(
    crew: Workers[int, T], finished: Callable[[int, T | Crash], None] = lambda *_: None
) -> Generator[T | Crash, None, None]:
    """What a crew makes of the numbers that were submitted, of 0 first."""
    done: dict[int, T | Crash] = {}
    wanted = 0
    for item, result in crew.completed():
        finished(item, result)
        done[item] = result
        while wanted in done:
            yield done.pop(wanted)
            wanted += 1


def alone(
    function: Callable[[], T], limits: Limits, heard: Callable[[str], None] = lambda _: None
) -> T | Crash:
    """`function()` in a process of its own, where processes can be forked."""
    with closing(each(lambda _: function(), 1, 1, limits, heard=heard)) as results:
        return next(results)


def usable_cpus() -> int:
    """The CPUs this process may use: its affinity, less what a container's quota forbids."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        # Linux, "Control Group v2": `quota period` in microseconds, or `max period`
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return max(1, min(count or 1, -(-int(quota) // int(period))))
    except (OSError, ValueError, ZeroDivisionError):
        return count or 1
