"""Items shared out among processes: results in the items' order, a crash costing one item.

The processes are forked, so that what they work on need not be copied. They end with this one
however it ends: killed by it when it stops early, and by the kernel should it be killed itself.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

#: macOS forks too, but its frameworks do not survive it; Windows has no fork.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
#: A process that holds more than this after an item is replaced, to give the memory back.
KEEP_BYTES = 400 << 20
_PR_SET_PDEATHSIG = 1  #: prctl(2)


@dataclass(frozen=True)
class Crash:
    """In place of an item's result: the process died of it."""

    reason: str


def each(function: Callable[[int], T], count: int, jobs: int) -> Generator[T | Crash, None, None]:
    """`function(0)` to `function(count - 1)`, in this order, from up to `jobs` processes at once.

    With one job, or where processes cannot be forked, all of them run in this process. Results
    must pickle; `function` must not raise. Close the iterator to end the processes early.
    """
    jobs = min(jobs, count)
    if jobs < 2 or not FORKS:
        for item in range(count):
            yield function(item)
        return
    crew = _Crew(function, count)
    try:
        yield from crew.work(jobs)
    finally:
        crew.end()


class _Crew(Generic[T]):
    """The processes of one `each`."""

    def __init__(self, function: Callable[[int], T], count: int) -> None:
        self._function, self._count = function, count
        self._items = iter(range(count))
        self._busy: dict[Connection, tuple[ForkProcess, int]] = {}

    def work(self, jobs: int) -> Iterator[T | Crash]:
        done: dict[int, T | Crash] = {}
        for _ in range(jobs):
            self._give(*self._start())
        for wanted in range(self._count):
            while wanted not in done:
                for connection in wait(list(self._busy)):
                    assert isinstance(connection, Connection)
                    self._take(connection, done)
            yield done.pop(wanted)

    def _take(self, connection: Connection, done: dict[int, T | Crash]) -> None:
        """Take a result from a process, and give it the next item, or its successor."""
        process, item = self._busy.pop(connection)
        try:
            done[item], stays = connection.recv()
        except Exception:  # it died, perhaps in the midst of what it sent
            process.join(1)
            _end(process)
            done[item], stays = Crash(_death(process.exitcode)), False
        if not stays:
            _end(process)
            connection.close()
            process, connection = self._start()
        self._give(process, connection)

    def _start(self) -> tuple[ForkProcess, Connection]:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_serve,
            args=(theirs, self._function, os.getpid(), [ours, *self._busy]),
            daemon=True,
        )
        process.start()
        theirs.close()
        self._busy[ours] = process, -1
        return process, ours

    def _give(self, process: ForkProcess, connection: Connection) -> None:
        item = next(self._items, None)
        if item is None:
            self._busy.pop(connection, None)
            _end(process)
            connection.close()
            return
        self._busy[connection] = process, item
        with suppress(OSError):  # it died meanwhile: `_take` finds out
            connection.send(item)

    def end(self) -> None:
        """End every process that is still there, at once."""
        for process, _ in self._busy.values():
            process.kill()
        for connection, (process, _) in self._busy.items():
            process.join()
            connection.close()
        self._busy.clear()


def _end(process: ForkProcess) -> None:
    process.kill()
    process.join()


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"the process that checked it died ({signal.Signals(-code).name})"
    return f"the process that checked it ended (exit status {code})"


def _serve(
    connection: Connection,
    function: Callable[[int], T],
    parent: int,
    inherited: Sequence[Connection],
) -> None:
    """The life of a process: an item in, its result out."""
    for other in inherited:  # ends of pipes that are not this process's
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everyone; the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    with suppress(EOFError, OSError):
        while True:
            item = connection.recv()
            result = function(item)
            connection.send((result, _resident_bytes() <= KEEP_BYTES))


def end_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies. On Linux; nothing elsewhere."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before it was asked
        os._exit(1)


def _resident_bytes() -> int:
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def usable_cpus() -> int:
    """The CPUs this process may use: its affinity, less what a container's quota forbids."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        # Linux, "Control Group v2": `quota period` in microseconds, or `max period`
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return max(1, min(count or 1, -(-int(quota) // int(period))))
    except (OSError, ValueError, ZeroDivisionError):
        return count or 1
