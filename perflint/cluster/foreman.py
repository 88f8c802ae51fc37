"""The process that does a cluster's tasks on its machine: `python -m perflint.cluster.foreman`.

A Dask worker runs its tasks in threads, which must not fork. This one has a single thread: it gives
each task to a process with limits, as a run on one machine does, and lives as long as the worker.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from collections.abc import Callable
from time import process_time
from typing import Any, BinaryIO

from perflint.base import bounds, chance, relocation
from perflint.base.bounds import Bound
from perflint.base.limits import Limits
from perflint.base.records import dataclass
from perflint.frontend.source.project.user_files import stand_in
from perflint.work import transport
from perflint.work.parallel import workers
from perflint.work.task import surrounded

_SIZE = 8  #: bytes of a frame's length
#: CPU time after which a task hands over what is left of it: nobody here knows who is idle.
SHARE_SECONDS = 2.0


@dataclass(frozen=True)
class Job:
    """What is the same for all tasks of a job."""

    function: Callable[[Any], Any]
    limits: Limits
    directory: os.PathLike[str]  #: the working directory
    bound: Bound | None
    standing: tuple[tuple[os.PathLike[str], bytes], ...]  #: what is read in place of files
    spoiled: bool  #: by chance


def write_frame(stream: BinaryIO, data: bytes) -> None:
    """Send some bytes."""
    stream.write(len(data).to_bytes(_SIZE, "little") + data)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Receive some bytes; None at the stream's end."""
    head = stream.read(_SIZE)
    if len(head) < _SIZE:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return data if len(data) == size else None


def serve(tasks: BinaryIO, results: BinaryIO) -> None:
    """Take the folder and the job, then do one task after the other until there are no more."""
    folder, data = read_frame(tasks), read_frame(tasks)
    if folder is None or data is None:
        return
    relocation.stand_below(os.fsdecode(folder))
    job: Job = transport.unpacked(data)
    os.chdir(job.directory)
    for path, content in job.standing:
        stand_in(path, content)  # type: ignore[arg-type]
    if job.spoiled:
        chance.spoil()
    parent = os.getppid()

    def check_parent(_: str) -> None:
        if os.getppid() != parent:  # the worker is gone: nobody waits for this
            _tidy(folder)
            os._exit(1)

    with bounds.within(job.bound):
        crew = workers(_sharing(job.function), 1, job.limits, check_parent)
        try:
            while (task := read_frame(tasks)) is not None:
                crew.submit(task)
                for _, result in crew.completed():
                    write_frame(results, result if isinstance(result, bytes) else _packed(result))
        finally:
            crew.end()
            _tidy(folder)


def _tidy(folder: bytes) -> None:
    """Take the sources away: the worker, who would do so, has ended without it."""
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _sharing(function: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    def run(task: bytes) -> bytes:
        begun = process_time()
        with surrounded(idle=lambda: int(process_time() - begun > SHARE_SECONDS)):
            return _packed(function(transport.unpacked(task)))

    return run


def _packed(result: object) -> bytes:
    return transport.packed(result)


def main() -> None:
    """Serve the standard streams; what is printed meanwhile goes nowhere."""
    results = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    try:
        serve(sys.stdin.buffer, results)
    except (OSError, EOFError, pickle.UnpicklingError):
        sys.exit(1)


if __name__ == "__main__":
    main()
