"""Compile workers: started when needed, kept warm, killed when they pass a limit.

A worker that crashes, hangs or eats memory costs the one job it was given. `Pool` is safe to use
from several threads, each job then running in a worker of its own, and after a fork, where the
child process starts workers of its own.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import signal
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from perflint.base import chance, processes
from perflint.base.records import dataclass
from perflint.frontend.nvrtc.library import CompilerMissingError, Job, Outcome
from perflint.frontend.nvrtc.worker import branch, read_frame, write_frame


@dataclass(frozen=True)
class Limits:
    """What one job may use. A file in the field takes 60 ms, heavy templates a few seconds."""

    #: For a compiler that only waits: on a busy machine a job takes longer, and must not come to
    #: another end.
    wall_seconds: float = 300.0
    cpu_seconds: float = 30.0
    #: Of a worker in its life, which ends before it is near: the kernel sees to that though a
    #: compiler should undo the limit of the job.
    life_seconds: float = 600.0
    #: What a worker holds for itself. The library takes some 300 MB, CCCL's headers add 400 MB.
    memory_bytes: int = 3 << 29
    #: A worker that holds more than this after a job is replaced, to give the memory back.
    keep_bytes: int = 400 << 20


#: Outcomes kept: the fragments of one program are compiled through the same main file.
_REMEMBERED = 16


class WorkerError(RuntimeError):
    """A worker died or passed a limit. The message says which, for a user."""

    def __init__(self, message: str, seconds: float = 0.0) -> None:
        """`seconds` of processor time that the worker took for nothing."""
        super().__init__(message)
        self.seconds = seconds


class CrashError(WorkerError):
    """The compiler crashed: of itself, and not for want of time or memory."""


class _Worker:
    """One process. Used by one thread at a time."""

    def __init__(self, limits: Limits, process: processes.Branch | None = None) -> None:
        """`process` serves jobs already; None: a new one is started."""
        self._limits = limits
        self._may_take = limits.cpu_seconds  #: in the job that it has
        self.peak = 0
        self.used = 0.0  #: seconds of CPU time so far
        self.lost = 0.0  #: those that it took without an answer
        self.process: processes.Branch | processes.Process = process or processes.start(
            processes.own("perflint.frontend.nvrtc.worker"),
            stdin=processes.PIPE,
            stdout=processes.PIPE,
        )
        hello = {"memory": limits.memory_bytes, "cpu": limits.life_seconds}
        reply = self._exchange(hello, limits.wall_seconds)
        if "missing" in reply:
            self.close()
            raise CompilerMissingError(reply["missing"])

    def compile(self, job: Job) -> tuple[Outcome, int]:
        """The outcome, and the bytes the worker holds after it. Raises WorkerError."""
        seconds = min(self._limits.cpu_seconds, job.seconds or self._limits.cpu_seconds)
        self._may_take = seconds
        message = {**asdict(job), "cpu": seconds}
        reply = self._exchange(message, self._limits.wall_seconds)
        resident: int = reply.pop("resident")
        self.peak = max(self.peak, reply.pop("peak"))
        self.used = reply.pop("used")
        return Outcome(**reply), resident

    def close(self) -> None:
        """End the process and reap it."""
        if self.process.returncode is None and hasattr(os, "wait4"):
            self._reap()
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _reap(self) -> None:
        """End the process; what it took since its last answer is `lost`. Popen does not say it."""
        with suppress(OSError):
            os.kill(self.process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.lost = max(0.0, usage.ru_utime + usage.ru_stime - self.used)

    def _exchange(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.process.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        reply = None
        try:
            write_frame(self.process.stdin, message)  # type: ignore[arg-type]
            reply = read_frame(self.process.stdout)  # type: ignore[arg-type]
        except (OSError, ValueError):
            reply = None
        finally:
            timer.cancel()
            if reply is None:  # died, hung, or the user pressed Ctrl-C
                self.close()
        if reply is not None:
            return reply
        chance.cut()
        if late.is_set():
            raise WorkerError(f"the compiler ran for more than {seconds:g} s and was stopped")
        raise _death(self.process.wait(), self._may_take, self.lost)


def _death(code: int, may_take: float, seconds: float) -> WorkerError:
    if code in {-getattr(signal, "SIGPROF", 27), -getattr(signal, "SIGXCPU", 24)}:
        text = "the compiler used more CPU time than it may and was stopped"
        return WorkerError(text, may_take)
    if code == -signal.SIGABRT:  # an allocation failed inside the compiler
        return WorkerError("the compiler gave up, probably for lack of memory")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return CrashError(f"the compiler crashed ({how})", seconds)


def _digest(job: Job) -> bytes:
    text = json.dumps(asdict(job), sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).digest()


class Pool:
    """Workers to compile with. Each is started on first need and closed at exit."""

    def __init__(self, limits: Limits | None = None, remember: int = _REMEMBERED) -> None:
        """`remember`: how many outcomes are kept for the case that a job comes again."""
        self.limits = limits or Limits()
        self._remember = remember
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._owner = os.getpid()
        self._peak = 0
        self._coming: threading.Thread | None = None  #: makes a worker ready
        self._outcomes: OrderedDict[bytes, Outcome] = OrderedDict()
        atexit.register(self.close)

    def make_ready(self) -> None:
        """Start a worker beside what this process does: loading the library takes 0.1 s.

        One that is ready or on its way is enough.
        """
        self._take_over()
        with self._lock:
            if self._idle or self._coming is not None:
                return
        process = None
        if processes.branches():  # at a twentieth of what a start of Python takes
            with suppress(OSError):
                process = processes.Branch(branch)
        self._coming = threading.Thread(target=self._prepare, args=(process,), daemon=True)
        self._coming.start()

    def _prepare(self, process: processes.Branch | None) -> None:
        with suppress(CompilerMissingError, WorkerError, OSError):  # who compiles is told
            worker = _Worker(self.limits, process)
            with self._lock:
                self._all.add(worker)
                self._idle.append(worker)

    def compile(self, job: Job) -> Outcome:
        """Compile in a worker of this pool.

        Raises WorkerError if the worker died or passed a limit (the next job gets a new worker),
        CompilerMissingError if there is no compiler.
        """
        key = _digest(job)
        with self._lock:
            if (known := self._outcomes.get(key)) is not None:
                self._outcomes.move_to_end(key)
                return known
        outcome = self._compile(job)
        with self._lock:
            self._outcomes[key] = outcome
            while len(self._outcomes) > self._remember:
                self._outcomes.popitem(last=False)
        return outcome

    def _compile(self, job: Job) -> Outcome:
        worker = self._take()
        try:
            outcome, resident = worker.compile(job)
        except BaseException:
            self._drop(worker)
            raise
        with self._lock:
            self._peak = max(self._peak, worker.peak)
            lives = worker.used + self.limits.cpu_seconds < self.limits.life_seconds
            if lives and resident <= self.limits.keep_bytes and worker in self._all:
                self._idle.append(worker)
                return outcome
        self._drop(worker)
        return outcome

    @property
    def peak_bytes(self) -> int:
        """The largest resident size that any worker reached."""
        return self._peak

    def workers(self) -> tuple[int, ...]:
        """The process ids of the workers alive."""
        with self._lock:
            return tuple(w.process.pid for w in self._all)

    def close(self) -> None:
        """End all workers. The pool may be used again: it starts new ones."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            workers, self._all, self._idle = self._all, set(), []
        for worker in workers:
            worker.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        atexit.unregister(self.close)

    def _take(self) -> _Worker:
        self._take_over()
        if self._coming is not None:
            self._coming.join()
            self._coming = None
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    return worker
                self._all.discard(worker)
                worker.close()
        worker = _Worker(self.limits)
        with self._lock:
            self._all.add(worker)
        return worker

    def _take_over(self) -> None:
        """After a fork: the parent's workers are not ours to talk to."""
        if os.getpid() != self._owner:
            self._lock, self._idle, self._all = threading.Lock(), [], set()
            self._owner, self._coming = os.getpid(), None

    def _drop(self, worker: _Worker) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.close()


_shared: Pool | None = None


def shared_pool() -> Pool:
    """The pool that everything in this process uses unless it is given another."""
    global _shared
    if _shared is None:
        _shared = Pool()
    return _shared
