"""The program and its simulator: started together, ended together.

The program's first CUDA call connects to our socket; each process that does so gets a session in
a process of its own, forked from this one.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from perflint.base import processes
from perflint.base.records import dataclass
from perflint.run import interruptions
from perflint.run.library import AUDIT, RUNTIMES
from perflint.run.memory import keep_freed

SOCKET = "PERFLINT_RUN_SOCKET"


class StartError(Exception):
    """The program could not be started."""


@dataclass(frozen=True)
class Ended:
    """How the program ended."""

    status: int  #: its exit status; 128 and the signal where one killed it
    signal: int = 0
    sessions: int = 0  #: processes that used the device


def environment(libraries: Path, path: Path) -> dict[str, str]:
    """The program's: our libraries are found before NVIDIA's."""
    out = dict(os.environ)
    preloaded = ":".join(str(libraries / runtime) for runtime in RUNTIMES)
    for name, ours in (
        ("LD_LIBRARY_PATH", libraries), ("LD_AUDIT", libraries / AUDIT), ("LD_PRELOAD", preloaded)
    ):  # fmt: skip
        before = out.get(name)
        out[name] = f"{ours}:{before}" if before else str(ours)
    out[SOCKET] = str(path)
    return out


def run_program(
    command: Sequence[str],
    libraries: Path,
    serve: Callable[[socket.socket, int], None],
    extra: Mapping[str, str] | None = None,
) -> Ended:
    """Run the program to its end; `serve` answers one process of it, in a process of our own.

    Raises StartError.
    """
    with tempfile.TemporaryDirectory(prefix="perflint-run-") as folder:
        path = Path(folder) / "socket"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen(64)
        try:
            asked = processes.users(command, {**environment(libraries, path), **(extra or {})})
            program = processes.start(asked, stdin=None, stdout=None, stderr=None, tied=True)
        except OSError as error:
            raise StartError(f"{command[0]}: {error.strerror}") from error
        with _forwarded_signals(program):
            sessions = _accept(listener, program, serve)
        status = program.wait()
    if status < 0:
        return Ended(128 - status, -status, sessions)
    return Ended(status, 0, sessions)


class _forwarded_signals:  # noqa: N801 - a context manager reads as a verb
    """What ends us ends the program, and we wait for its end: what was seen is still told.

    An interrupt from the terminal reaches the program by itself. Asked a second time, we kill it.
    """

    def __init__(self, program: processes.Process) -> None:
        self._program = program

    def __enter__(self) -> None:
        self._asked = 0
        self._interrupt = signal.signal(signal.SIGINT, self._forward)
        if self._interrupt == signal.SIG_IGN:  # as a shell starts what runs in the background
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._end = signal.signal(signal.SIGTERM, self._forward)

    def _forward(self, number: int, frame: object) -> None:
        self._asked += 1
        if self._asked > 1:
            self._program.kill()
        elif number != signal.SIGINT or not _in_front():
            self._program.send_signal(number)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._interrupt)
        signal.signal(signal.SIGTERM, self._end)


def _in_front() -> bool:
    """Whether an interrupt comes from our terminal, which sends it to the program too."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    finally:
        os.close(terminal)


def _accept(
    listener: socket.socket,
    program: processes.Process,
    serve: Callable[[socket.socket, int], None],
) -> int:
    """Fork a session for each process that connects, until the program and the sessions end."""
    children: list[int] = []
    ended = os.pidfd_open(program.pid)
    with selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ)
        ready.register(ended, selectors.EVENT_READ)
        over = False
        while not over:
            for key, _ in ready.select():
                if key.fileobj is listener:
                    connection, _ = listener.accept()
                    children.append(_session(connection, listener, len(children), serve))
                    connection.close()
                else:
                    over = True
    os.close(ended)
    listener.close()
    for child in children:
        os.waitpid(child, 0)
    return len(children)


def _session(
    connection: socket.socket,
    listener: socket.socket,
    process: int,
    serve: Callable[[socket.socket, int], None],
) -> int:
    child = processes.fork()
    if child:
        return child
    status = 1
    try:
        listener.close()
        keep_freed()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):  # what was seen is saved
            signal.signal(number, interruptions.asked)
        serve(connection, process)
        status = 0
    except KeyboardInterrupt:
        status = 130
    finally:
        os._exit(status)
