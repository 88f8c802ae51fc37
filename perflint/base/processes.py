"""The one door for processes: every process that perflint starts is started here.

What runs must never be chosen by the tree that is checked. So our own modules run without the
working directory on their path, from a folder that holds nothing; programs are looked for in
absolute folders of PATH only; and what Python, Git or a loader would take from a relative path in
the environment is left out.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from perflint.base.records import dataclass

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess
    from typing import BinaryIO

    Serve = Callable[[BinaryIO, BinaryIO], None]

STANDARD_ERROR = 2  #: the number of its file
PIPE, DEVNULL, STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
Late = subprocess.TimeoutExpired
Process = subprocess.Popen[bytes]

#: A folder that no tree lies in: what is started there finds nothing beside it.
NOWHERE = Path(sys.prefix if os.name == "nt" else os.sep)
#: What users and machines end a process by.
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
#: Lists of folders in the environment, of which only the absolute ones serve.
_FOLDERS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
#: What Python would run or import of itself at its start.
_DROPPED = frozenset({"PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT"})


@dataclass(frozen=True)
class Start:
    """A process to start: what, where, and with which environment."""

    command: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what names a place relative to a working directory."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    for name in _FOLDERS:
        if name in kept:
            folders = [f for f in kept[name].split(os.pathsep) if Path(f).is_absolute()]
            kept[name] = os.pathsep.join(folders)
            if not folders:
                del kept[name]
    return {**kept, **(more or {})}


def program(name: str) -> Path | None:
    """Where a program lies: in an absolute folder of PATH, never in the working directory."""
    folders = environment().get("PATH", "" if "PATH" in os.environ else os.defpath)
    found = shutil.which(name, path=folders)
    return Path(found) if found and Path(found).is_absolute() else None


def own(module: str, *arguments: str, cwd: Path = NOWHERE, **more: str) -> Start:
    """A module of ours, by the same interpreter; `more` is added to its environment.

    -P keeps the working directory off the path of modules.
    """
    command = (sys.executable, "-P", "-m", module, *arguments)
    return Start(command, cwd, environment(more))


def tool(path: Path, *arguments: str, cwd: Path = NOWHERE, memory: int = 0, **more: str) -> Start:
    """A program of the machine's (a compiler, Git), by its absolute path.

    memory: bytes that it and what it starts may hold, each; 0 for no limit.
    """
    assert path.is_absolute(), path
    if memory:
        limited = "perflint.frontend.memory_limit"
        return own(limited, str(memory), str(path), *arguments, cwd=cwd, **more)
    return Start((str(path), *arguments), cwd, environment(more))


def users(command: Sequence[str], more: Mapping[str, str] | None = None) -> Start:
    """What the user asked to be run: in their folder, with their environment."""
    return Start(tuple(command), Path.cwd(), {**os.environ, **(more or {})})


def start(
    what: Start,
    *,
    stdin: int | IO[Any] | None = DEVNULL,
    stdout: int | IO[Any] | None = DEVNULL,
    stderr: int | IO[Any] | None = DEVNULL,
    session: bool = False,
    tied: bool = False,
) -> Process:
    """Start a process. With `session` it leads a group of its own; `tied`, it ends with this one.

    Raises OSError.
    """
    return subprocess.Popen(
        what.command, cwd=what.cwd, env=dict(what.env), stdin=stdin, stdout=stdout, stderr=stderr,
        start_new_session=session, preexec_fn=_tie(signal.SIGTERM) if tied else None,
    )  # fmt: skip


def end(process: Process, *, group: bool = False) -> None:
    """Kill a process, or the group that it leads, and reap it."""
    with suppress(OSError):
        if group:
            os.killpg(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        else:
            process.kill()
    process.wait()


@dataclass(frozen=True)
class Said:
    """What a process printed, and how it ended."""

    status: int | None  #: None if it was stopped: it took too long, or printed too much
    out: bytes


def output(what: Start, *, seconds: float, most: int, errors: bool = False) -> Said:
    """Run a process to its end; what it prints, up to `most` bytes. Raises OSError.

    With `errors`, what it prints on standard error is part of it.
    """
    process = start(what, stdout=PIPE, stderr=STDOUT if errors else DEVNULL, session=True)
    assert process.stdout is not None
    timer = threading.Timer(seconds, end, (process,), {"group": True})
    timer.daemon = True
    timer.start()
    try:
        out = process.stdout.read(most + 1)
        if len(out) <= most:
            status = process.wait()
            return Said(status if status >= 0 else None, out)
        return Said(None, b"")
    finally:
        timer.cancel()
        end(process, group=True)
        process.stdout.close()


def finished(what: Start, seconds: float | None = None, **streams: Any) -> int:
    """Run a process to its end, with this one's streams unless others are given; its status.

    Raises OSError, and Late for one that took longer than it may.
    """
    process = start(what, **{"stdin": None, "stdout": None, "stderr": None, **streams})
    try:
        return process.wait(seconds)
    except BaseException:
        end(process)
        raise


def forked(function: Callable[..., None], *arguments: Any) -> ForkProcess:
    """A process that has all that this one has, and does a function. Raises OSError."""
    import multiprocessing  # most of those that come here do not fork

    process = multiprocessing.get_context("fork").Process(
        target=function, args=arguments, daemon=True
    )
    process.start()
    return process


def fork() -> int:
    """`os.fork`; on Linux the child is killed when this process ends."""
    tie = _tie(signal.SIGKILL)
    child = os.fork()
    if not child:
        tie()
    return child


class Branch:
    """A fork of this process that does a function, spoken to by pipes as a `Process` is.

    It has what this process has imported, and of its files none: nor where it works.
    """

    def __init__(self, serve: Serve) -> None:
        """`serve` has the ends of the pipes: what it reads, and where it writes.

        Raises OSError. Not for processes with several threads: the others' locks stay as they are.
        """
        ends = [*os.pipe(), *os.pipe()]
        self.returncode: int | None = None
        # In the fork this process's handlers would raise what this one's callers catch.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            self.pid = fork()
            if not self.pid:
                _branch_out(ends[2], ends[1], before, serve)
        except OSError:
            for each in ends:
                os.close(each)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(ends[1])
        os.close(ends[2])
        self.stdin, self.stdout = os.fdopen(ends[3], "wb"), os.fdopen(ends[0], "rb")

    def poll(self) -> int | None:
        """How it ended, as `Process.poll` has it; None while it runs."""
        return self._reaped(os.WNOHANG)

    def wait(self) -> int:
        """How it ended, once it has."""
        return self._reaped(0) or 0

    def kill(self) -> None:
        """End it, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _reaped(self, options: int) -> int | None:
        if self.returncode is None:
            with suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, options)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def branches() -> bool:
    """Whether this process may have a `Branch`: on Linux, while no other thread runs."""
    return sys.platform.startswith("linux") and threading.active_count() == 1


def _branch_out(reads: int, writes: int, mask: Iterable[int], serve: Serve) -> None:
    """The life of a `Branch`, which blocks the signals of a `mask`."""
    status = 1
    try:
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        files = [int(path.name) for path in Path("/proc/self/fd").iterdir()]
        for file in {*files} - {reads, writes}:
            with suppress(OSError):  # that of the folder itself is closed
                os.close(file)
        while os.open(os.devnull, os.O_RDWR) < STANDARD_ERROR:
            pass
        _move_to_nowhere()
        with os.fdopen(reads, "rb") as stdin, os.fdopen(writes, "wb") as stdout:
            serve(stdin, stdout)
            status = 0
    finally:
        os._exit(status)


def _move_to_nowhere() -> None:
    """Work in a folder that holds nothing; nor does Python find modules where this process was."""
    folders, here = map(Path, sys.path), None
    with suppress(OSError):  # it is there no more
        here = Path.cwd()
    sys.path[:] = [str(each) for each in folders if each.is_absolute() and each != here]
    os.chdir(NOWHERE)


def _tie(number: int) -> Callable[[], None]:
    """What a child calls to get a signal when this process ends (prctl(2), PR_SET_PDEATHSIG)."""
    import ctypes  # most of those that come here start nothing that is tied

    if not sys.platform.startswith("linux"):
        return lambda: None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def tie() -> None:
        libc.prctl(1, number, 0, 0, 0)
        if os.getppid() != parent:  # it has ended already
            os.kill(os.getpid(), number)

    return tie
