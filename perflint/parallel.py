"""Items shared out among processes: results in the items' order, a crash costing one item.

The processes are forked, so that what they work on need not be copied. They end with this one
however it ends: killed by it when it stops early, and by the kernel should it be killed itself.
With limits, an item that takes too long or too much memory costs its process, and so itself alone.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Generic, TypeVar

from perflint.limits import limit_cpu, limit_growth, open_files, resident_bytes

T = TypeVar("T")

#: macOS forks too, but its frameworks do not survive it; Windows has no fork.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
#: A process that holds more than this after an item is replaced, to give the memory back.
KEEP_BYTES = 400 << 20
#: Processes beyond this many a CPU only take memory.
JOBS_PER_CPU = 4
#: Open files of this process for each of the others (a pipe, a sentinel), and for all else.
_FILES_EACH, _FILES = 4, 20
_TICK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1  #: prctl(2)


class ProcessError(RuntimeError):
    """No process could be started."""


@dataclass(frozen=True)
class Limits:
    """What one item may use."""

    cpu_seconds: float  #: of one step: see `lease`
    wall_seconds: float  #: of the whole item, counted only while this process runs
    memory_bytes: int  #: of its own data, beyond what the process has at its start


@dataclass(frozen=True)
class Crash:
    """In place of an item's result: the process died of it."""

    reason: str


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
    it when the others are done. `heard` is called with what a function says (`tell`) while it is
    at work, and with "" now and then; `finished` with each item and its result as soon as it is
    there.

    With one job and no limits, or where processes cannot be forked, all of them run in this
    process. Results must pickle; `function` must not raise. Close the iterator to end the processes
    early. Raises ProcessError.
    """
    most = min(JOBS_PER_CPU * usable_cpus(), (open_files() - _FILES) // _FILES_EACH)
    jobs = max(1, min(jobs, count, most))
    if (jobs < 2 and limits is None) or not FORKS:
        with _heard_by(heard):
            for item in range(count):
                result = function(item)
                finished(item, result)
                yield result
        return
    crew = _Crew(function, range(count) if order is None else order, limits, heard, finished)
    try:
        yield from crew.work(jobs)
    finally:
        crew.end()


def alone(function: Callable[[], T], limits: Limits) -> T | Crash:
    """`function()` in a process of its own, where processes can be forked."""
    with closing(each(lambda _: function(), 1, 1, limits)) as results:
        return next(results)


@dataclass(frozen=True)
class _Said:
    """What a function says while it is at work, on its way."""

    text: str


_listener: Callable[[str], None] | None = None


@contextmanager
def _heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def tell(text: str) -> None:
    """Say what is in work to whoever shares out the items; to nobody outside of `each`."""
    if _listener is not None:
        _listener(text)


_leasing = False  #: whether this process has limits


def lease(seconds: float) -> None:
    """Begin a step of the item in work: so many more seconds of CPU time. Nothing without limits.

    The time of an item as a whole is not what tells that it is out of hand: a file may have a
    hundred kernels.
    """
    if _leasing:
        limit_cpu(seconds)


class _Crew(Generic[T]):
    """The processes of one `each`."""

    def __init__(
        self,
        function: Callable[[int], T],
        order: Sequence[int],
        limits: Limits | None,
        heard: Callable[[str], None],
        finished: Callable[[int, T | Crash], None],
    ) -> None:
        self._function, self._order, self._limits = function, order, limits
        self._heard, self._finished = heard, finished
        self._next = 0  #: how many items some process has or had
        self._busy: dict[Connection, tuple[ForkProcess, int]] = {}
        self._ticks: dict[Connection, float] = {}  #: seconds that each item has taken

    def work(self, jobs: int) -> Iterator[T | Crash]:
        done: dict[int, T | Crash] = {}
        for _ in range(jobs):
            self._hire(needed=not self._busy)
        for wanted in range(len(self._order)):
            while wanted not in done:
                ready = wait(list(self._busy), _TICK_SECONDS)
                self._heard("")
                for connection in ready:
                    assert isinstance(connection, Connection)
                    self._take(connection, done)
                if not ready:
                    self._count_time()
            yield done.pop(wanted)

    def _hire(self, needed: bool) -> None:
        """Start a process and give it an item. Where none can be started, fewer will do."""
        try:
            process, connection = self._start()
        except OSError as error:
            if needed:
                raise ProcessError(f"no process can be started: {error.strerror}") from error
            return
        self._give(process, connection)

    def _count_time(self) -> None:
        """End the processes whose item takes too long. Time in which we were stopped is none."""
        if self._limits is None:
            return
        for connection, (process, _) in self._busy.items():
            self._ticks[connection] = self._ticks.get(connection, 0.0) + _TICK_SECONDS
            if self._ticks[connection] > self._limits.wall_seconds:
                os.kill(process.pid or 0, signal.SIGALRM)

    def _take(self, connection: Connection, done: dict[int, T | Crash]) -> None:
        """Take a result from a process, and give it the next item, or its successor."""
        process, item = self._busy.pop(connection)
        try:
            received = connection.recv()
            if isinstance(received, _Said):
                self._busy[connection] = process, item
                self._heard(received.text)
                return
            done[item], stays = received
        except Exception:  # it died, perhaps in the midst of what it sent
            process.join(1)
            _end(process)
            done[item], stays = Crash(_death(process.exitcode)), False
        self._finished(item, done[item])
        if stays:
            self._give(process, connection)
            return
        _end(process)
        connection.close()
        if self._next < len(self._order):
            self._hire(needed=not self._busy)

    def _start(self) -> tuple[ForkProcess, Connection]:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_serve,
            args=(theirs, self._function, os.getpid(), [ours, *self._busy], self._limits),
            daemon=True,
        )
        try:
            process.start()
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._busy[ours] = process, -1
        return process, ours

    def _give(self, process: ForkProcess, connection: Connection) -> None:
        if self._next >= len(self._order):
            self._busy.pop(connection, None)
            _end(process)
            connection.close()
            return
        item, self._next = self._order[self._next], self._next + 1
        self._busy[connection] = process, item
        self._ticks[connection] = 0.0
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


_NO_MEMORY = 77  #: the exit status of a process that found no memory for its result
#: What a process dies of at its limits. An allocation that fails in compiled code aborts.
_DEATHS = {
    "SIGXCPU": "it took too much CPU time and was stopped",
    "SIGALRM": "it took too long and was stopped",
    "SIGABRT": "the process that checked it gave up (SIGABRT), probably for lack of memory",
}


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            name = signal.Signals(-code).name
            return _DEATHS.get(name, f"the process that checked it died ({name})")
    if code == _NO_MEMORY:
        return "it takes too much memory"
    return f"the process that checked it ended (exit status {code})"


def _serve(
    connection: Connection,
    function: Callable[[int], T],
    parent: int,
    inherited: Sequence[Connection],
    limits: Limits | None,
) -> None:
    """The life of a process: an item in, its result out."""
    global _leasing
    for other in inherited:  # ends of pipes that are not this process's
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everyone; the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    if limits is not None:
        limit_growth(limits.memory_bytes)
        _leasing = True
    try:
        while True:
            item = connection.recv()
            if limits is not None:
                lease(limits.cpu_seconds)
            with _heard_by(lambda text: connection.send(_Said(text))):
                result = function(item)
            connection.send((result, resident_bytes() <= KEEP_BYTES))
    except (EOFError, OSError):
        pass
    except MemoryError:
        os._exit(_NO_MEMORY)


def end_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies. On Linux; nothing elsewhere."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before it was asked
        os._exit(1)


def usable_cpus() -> int:
    """The CPUs this process may use: its affinity, less what a container's quota forbids."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        # Linux, "Control Group v2": `quota period` in microseconds, or `max period`
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return max(1, min(count or 1, -(-int(quota) // int(period))))
    except (OSError, ValueError, ZeroDivisionError):
        return count or 1
