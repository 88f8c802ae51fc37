"""The process that NVRTC runs in: `python -m perflint.frontend.nvrtc.worker`, or a fork.

It reads `Job`s from its standard input and writes `Outcome`s to its standard output, each one
frame: a 4-byte big-endian length, then JSON. It holds no state between frames, so its owner may
kill it at any moment (`pool` does, when a limit is passed). It imports nothing but ctypes and its
like: Python's start and the library's load are all that a new one costs; the load alone, where it
is forked.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
import time
from dataclasses import asdict, replace
from typing import Any, BinaryIO

from perflint.base.limits import (
    limit_cpu_for_good,
    limit_memory,
    own_bytes,
    resident_bytes,
    stop_after,
)
from perflint.frontend.nvrtc.library import CompilerMissingError, Job, Nvrtc, find_toolchain

_POLL_SECONDS = 0.2
_LENGTH = struct.Struct(">I")


def write_frame(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message and flush it."""
    data = json.dumps(message).encode("ascii")
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one message; None at the end of the stream, whole or cut short."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        return None
    message: dict[str, Any] = json.loads(data)
    return message


def job_of(message: dict[str, Any]) -> Job:
    """The `Job` that `dataclasses.asdict` made a message of."""
    return Job(
        source=message["source"],
        name=message["name"],
        headers=message["headers"],
        options=tuple(message["options"]),
        architecture=message["architecture"],
        expressions=tuple(message["expressions"]),
        machine_code=message["machine_code"],
        image=message["image"],
    )


def _memory() -> tuple[int, int]:
    """(resident now, its peak) in bytes; 0 where the system does not tell."""
    try:
        import resource

        return resident_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    except ImportError:
        return 0, 0


def _end_with(parent: int) -> None:
    """End this process, in the midst of a job too, soon after its owner has ended."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os._exit(1)


def main() -> None:
    """Serve jobs until the standard input ends."""
    if hasattr(os, "fork"):  # Windows does not give orphans another parent
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    jobs, outcomes = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the frames
    serve(jobs, outcomes)


def branch(jobs: BinaryIO, outcomes: BinaryIO) -> None:
    """Serve jobs in a fork: what it came with is its owner's, and does not count as its own."""
    serve(jobs, outcomes, resident_bytes(), own_bytes())


def serve(jobs: BinaryIO, outcomes: BinaryIO, resident: int = 0, own: int = 0) -> None:
    """Serve jobs until the stream of them ends.

    `resident` and `own` are the bytes that this process held at its start, all and for itself.
    """
    # Ctrl-C goes to the whole foreground group. The owner decides what it means for its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hello = read_frame(jobs)
    if hello is None:
        return
    limit_memory(own + int(hello["memory"]), hard=True)
    limit_cpu_for_good(float(hello["cpu"]))
    try:
        compiler = Nvrtc(find_toolchain())
    except CompilerMissingError as error:
        write_frame(outcomes, {"missing": str(error)})
        return
    write_frame(outcomes, {"ready": True})
    while (message := read_frame(jobs)) is not None:
        stop_after(float(message.pop("cpu")))
        before = time.process_time()
        outcome = compiler.compile(job_of(message))
        used = time.process_time()
        stop_after(0)
        outcome = replace(outcome, seconds=used - before)
        now, peak = (max(0, each - resident) for each in _memory())
        write_frame(outcomes, {**asdict(outcome), "resident": now, "peak": peak, "used": used})


if __name__ == "__main__":
    main()
