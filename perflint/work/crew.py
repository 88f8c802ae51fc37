"""Processes that tasks are given to: forked, limited, replaced when they die.

Forked, so that what they work on need not be copied. They end with this one however it ends: killed
by it when it stops early, and by the kernel should it be killed itself. With limits, a task that
takes too long or too much memory costs its process, and so itself alone.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import mmap
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.context import ForkProcess
from typing import Generic, Protocol, TypeVar

from perflint.base import processes
from perflint.base.limits import Limits, limit_growth, resident_bytes
from perflint.base.records import dataclass
from perflint.work.task import Said, lease, surrounded

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: A process that holds more than this after a task is replaced, to give the memory back; one that
#: was forked from a large process, if it has grown by half as much.
KEEP_BYTES = 400 << 20
_TICK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1  #: prctl(2)


class ProcessError(RuntimeError):
    """No process could be started."""


@dataclass(frozen=True)
class Crash:
    """In place of a task's result: the process died of it."""

    reason: str
    step: int | None = None  #: the step that it had said it was at


class Workers(Protocol[S, T_co]):
    """Whoever does tasks, as `concurrent.futures` has it: what is submitted is completed once."""

    @property
    def idle(self) -> int:
        """How many have nothing to do, nor will have from what was submitted."""

    def submit(self, task: S, *, soon: bool = False) -> None:
        """Let a task be done after all others, or before them."""

    def completed(self) -> Iterator[tuple[S, T_co | Crash]]:
        """Each task with its result, as they come, until none is left; more may be submitted."""

    def end(self) -> None:
        """Let go of everything at once, whatever is in work."""


class Here(Generic[S, T]):
    """This process alone. Its own `limits`, if it has any, are those of each task.

    Without `heard`, whoever listens to this process hears what is said.
    """

    idle = 0

    def __init__(
        self,
        function: Callable[[S], T],
        heard: Callable[[str], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._function, self._limits = function, limits
        self._listener = (lambda said: heard(said.text)) if heard else None
        self._waiting: deque[S] = deque()

    def submit(self, task: S, *, soon: bool = False) -> None:
        """See `Workers`."""
        (self._waiting.appendleft if soon else self._waiting.append)(task)

    def completed(self) -> Iterator[tuple[S, T | Crash]]:
        """See `Workers`."""
        while self._waiting:
            task = self._waiting.popleft()
            if self._limits is not None:
                lease(self._limits.cpu_seconds)
            with surrounded(self._listener):
                result = self._function(task)
            yield task, result

    def end(self) -> None:
        """See `Workers`."""
        self._waiting.clear()


@dataclass
class _Place:
    """A process, and what it is at."""

    process: ForkProcess
    task: object = None
    seconds: float = 0.0  #: that it has been at it
    step: int | None = None


class Crew(Generic[S, T]):
    """Up to `jobs` processes of this machine. Tasks and results must pickle."""

    def __init__(
        self,
        function: Callable[[S], T],
        jobs: int,
        limits: Limits | None,
        heard: Callable[[str], None],
    ) -> None:
        self._function, self._jobs = function, jobs
        self._limits, self._heard = limits, heard
        self._waiting: deque[S] = deque()
        self._busy: dict[Connection, _Place] = {}
        self._free: list[tuple[Connection, _Place]] = []  #: the last to have worked is the last
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)  #: tells all processes how many are idle

    @property
    def idle(self) -> int:
        """See `Workers`."""
        return max(0, self._jobs - len(self._busy) - len(self._waiting))

    def submit(self, task: S, *, soon: bool = False) -> None:
        """See `Workers`. A process begins at once where there is one for it."""
        (self._waiting.appendleft if soon else self._waiting.append)(task)
        self._deal()

    def completed(self) -> Iterator[tuple[S, T | Crash]]:
        """See `Workers`."""
        while True:
            self._deal()
            if not self._busy:
                return
            ready = wait(list(self._busy), _TICK_SECONDS)
            self._heard("")
            if not ready:
                self._count_time()
            for connection in ready:
                assert isinstance(connection, Connection)
                yield from self._take(connection)

    def _deal(self) -> None:
        """Give what is waiting to processes: those that are there, then new ones.

        Where none can be started, fewer will do.
        """
        while self._waiting and len(self._busy) < self._jobs:
            if not self._free:
                try:
                    self._free.append(self._start())
                except OSError as error:
                    if not self._busy:
                        raise ProcessError(
                            f"no process can be started: {error.strerror}"
                        ) from error
                    self._jobs = len(self._busy)
                    break
            connection, place = self._free.pop()
            task = self._waiting.popleft()
            place.task, place.seconds, place.step = task, 0.0, None
            self._busy[connection] = place
            with suppress(OSError):  # it died meanwhile: `_take` finds out
                connection.send(task)
        self._shared[0] = min(self.idle, 255)

    def _count_time(self) -> None:
        """End the processes whose task takes too long. Time in which we were stopped is none."""
        if self._limits is None:
            return
        for place in self._busy.values():
            place.seconds += _TICK_SECONDS
            if place.seconds > self._limits.wall_seconds:
                os.kill(place.process.pid or 0, signal.SIGALRM)

    def _take(self, connection: Connection) -> Iterator[tuple[S, T | Crash]]:
        """Take what a process says: its task's result, or what it is at."""
        place = self._busy[connection]
        result: T | Crash
        try:
            received = connection.recv()
            if isinstance(received, Said):
                place.step = received.step
                self._heard(received.text)
                return
            result, stays = received
        except Exception:  # it died, perhaps in the midst of what it sent
            place.process.join(1)
            _end(place.process)
            result, stays = Crash(_death(place.process.exitcode), place.step), False
        del self._busy[connection]
        if stays:
            self._free.append((connection, place))
        else:
            _end(place.process)
            connection.close()
        yield place.task, result  # type: ignore[misc]

    def _start(self) -> tuple[Connection, _Place]:
        ours, theirs = Pipe()
        others = [*self._busy, *(connection for connection, _ in self._free)]
        try:
            process = processes.forked(
                _serve, theirs, self._function, os.getpid(), [ours, *others], self._limits,
                self._shared,
            )  # fmt: skip
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        return ours, _Place(process)

    def end(self) -> None:
        """See `Workers`."""
        there = [*self._busy.items(), *self._free]
        for _, place in there:
            place.process.kill()
        for connection, place in there:
            place.process.join()
            connection.close()
        self._busy.clear()
        self._free.clear()
        self._waiting.clear()
        self._shared.close()


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
    function: Callable[[S], T],
    parent: int,
    inherited: Sequence[Connection],
    limits: Limits | None,
    shared: mmap.mmap,
) -> None:
    """The life of a process: a task in, its result out."""
    gc.freeze()  # what it was forked with stays: to look through it would copy it, too
    for other in inherited:  # ends of pipes that are not this process's
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells everyone; the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    if limits is not None:
        limit_growth(limits.memory_bytes)
    most = max(KEEP_BYTES, resident_bytes() + KEEP_BYTES // 2)
    try:
        with surrounded(connection.send, lambda: shared[0], limits is not None):
            while True:
                task = connection.recv()
                if limits is not None:
                    lease(limits.cpu_seconds)
                result = function(task)
                connection.send((result, resident_bytes() <= most))
    except EOFError:
        pass
    except OSError as error:  # of a pipe that nobody reads any more, or of no memory
        if error.errno == errno.ENOMEM:
            os._exit(_NO_MEMORY)
    except MemoryError:
        os._exit(_NO_MEMORY)
    except Exception:  # a fault of ours, which costs the task: a traceback is no news for users
        if os.environ.get("PERFLINT_TRACEBACK"):
            raise
        os._exit(1)


def end_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies. On Linux; nothing elsewhere."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before it was asked
        os._exit(1)
