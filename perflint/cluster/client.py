"""This machine's end of a cluster: tasks are sent, and what comes back is handed on."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import queue
import secrets
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from perflint.base import bounds, chance
from perflint.base.limits import Limits
from perflint.cluster import ClusterError, bundle, worker
from perflint.cluster.foreman import Job
from perflint.cluster.worker import identity
from perflint.frontend.source.project.user_files import standing
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import Unit
from perflint.work import transport
from perflint.work.crew import Crash, Workers

S = TypeVar("S")
T = TypeVar("T")

#: How long a scheduler may take to answer, and its first worker to come.
WAIT_SECONDS = WORKER_SECONDS = 10.0
#: How long it may be without any, which somebody may be replacing.
DESERTED_SECONDS = 60.0
#: How often a task is tried again whose process was ended by something else than its limits.
RETRIES = 2
_TICK_SECONDS = 1.0
_CANCELLED = (concurrent.futures.CancelledError, asyncio.CancelledError)  #: by the scheduler's loss
_LOST = "the workers that checked it were lost"


class Cluster:
    """A cluster that answers, and has the sources of one run."""

    def __init__(self, client: Any, address: str, sources: bytes) -> None:
        self._client, self._address = client, address
        self._run = secrets.token_hex(8)
        self._threads, self._counted = 0, float("-inf")
        # A task of its own, not scattered: what is lost with a worker is there again.
        self._sources = client.submit(_same, sources, key=f"perflint-sources-{self._run}")

    def workers(
        self, function: Callable[[S], T], limits: Limits, heard: Callable[[str], None]
    ) -> Workers[S, T]:
        """The cluster's workers for one job; what they do must pickle."""
        job = Job(
            function,
            limits,
            Path.cwd(),
            bounds.current(),
            tuple((Path(path), data) for path, data in standing().items()),
            chance.spoiled(),
        )
        return _Remote(self, transport.packed(job), heard)

    def submit(self, job: Any, task: bytes, priority: int) -> Any:
        """The future of a task."""
        return self._client.submit(
            worker.do, self._sources, job, task, self._run, identity(),
            key=f"perflint-{self._run}-{secrets.token_hex(8)}", priority=priority, retries=RETRIES,
        )  # fmt: skip

    def job(self, data: bytes) -> Any:
        """The future of what is the same for all tasks of a job."""
        return self._client.submit(_same, data, key=f"perflint-job-{secrets.token_hex(8)}")

    def threads(self) -> int:
        """How many tasks can be done at once, as of a second ago. Raises ClusterError."""
        now = time.monotonic()
        if now > self._counted + _TICK_SECONDS:
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception as error:
                raise self.failed(error) from error
            self._counted = now
        return self._threads

    def failed(self, error: BaseException) -> ClusterError:
        """What a failure of the cluster, not of a task, is to people."""
        if isinstance(error, worker.OtherVersionError):
            return ClusterError(f"{self._address}: {error}")
        if isinstance(error, _CANCELLED):
            return ClusterError(f"{self._address}: the connection to the scheduler is lost")
        return ClusterError(f"{self._address}: the cluster failed ({_one_line(error)})")

    def deserted(self) -> ClusterError:
        """There is nobody left to do the work."""
        return ClusterError(f"{self._address}: the scheduler has lost its workers")

    def end(self) -> None:
        """Let the workers stop what they do, and take the sources away."""
        with suppress(Exception):
            self._client.run(worker.forget, self._run, on_error="ignore")


class _Remote(Generic[S, T]):
    """`perflint.work.crew.Workers` of a cluster."""

    def __init__(self, cluster: Cluster, job: bytes, heard: Callable[[str], None]) -> None:
        self._cluster, self._heard = cluster, heard
        self._job = cluster.job(job)
        self._out: dict[Any, S] = {}  #: futures, by what they are of
        self._came: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def idle(self) -> int:
        """See `Workers`."""
        return max(0, self._cluster.threads() - len(self._out))

    def submit(self, task: S, *, soon: bool = False) -> None:
        """See `Workers`."""
        future = self._cluster.submit(self._job, transport.packed(task), int(soon))
        self._out[future] = task
        future.add_done_callback(self._came.put)

    def completed(self) -> Iterator[tuple[S, T | Crash]]:
        """See `Workers`."""
        worked = time.monotonic()
        while self._out:
            try:
                future = self._came.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                self._heard("")
                if self._cluster.threads():
                    worked = time.monotonic()
                elif time.monotonic() > worked + DESERTED_SECONDS:
                    raise self._cluster.deserted() from None
                continue
            self._heard("")
            yield self._out.pop(future), self._result(future)

    def _result(self, future: Any) -> T | Crash:
        from distributed import KilledWorker

        try:
            found: T | Crash = transport.unpacked(future.result())
        except (KilledWorker, worker.ForemanError):
            return Crash(_LOST)
        except (Exception, *_CANCELLED) as error:
            raise self._cluster.failed(error) from error
        return found

    def end(self) -> None:
        """See `Workers`."""
        for future in [*self._out, self._job]:
            with suppress(Exception):
                future.cancel()
        self._out.clear()


def _same(data: bytes) -> bytes:
    return data


@contextmanager
def connected(
    address: str, units: Sequence[Unit], options: CheckOptions, root: Path
) -> Iterator[Cluster]:
    """The cluster at an address, with the sources of a run. Raises ClusterError."""
    if options.frontend == "nvcc" or options.recorded is not None:
        what = "--nvcc" if options.frontend == "nvcc" else "--launches"
        raise ClusterError(f"--cluster: {what} works on this machine alone; leave one of them out")
    if os.name != "posix":
        raise ClusterError("--cluster works on POSIX systems alone")
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ClusterError(
            "--cluster needs distributed; install perflint with its extra cluster"
        ) from error
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what fails is told here
    warnings.filterwarnings("ignore", module="distributed")
    try:
        client = distributed.Client(address, timeout=WAIT_SECONDS, set_as_default=False)
    except Exception as error:  # of the name, of the network, of the other end
        raise ClusterError(f"{address}: no scheduler answers ({_one_line(error)})") from error
    try:
        _check_workers(client, address)
        cluster = Cluster(client, address, bundle.packed(units, options, root))
        try:
            yield cluster
        finally:
            cluster.end()
    finally:
        with suppress(Exception):
            client.close(timeout=WAIT_SECONDS)


def _check_workers(client: Any, address: str) -> None:
    """Raise ClusterError unless there are workers, all of them with this perflint."""
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except Exception as error:
        raise ClusterError(f"{address}: the scheduler has no worker") from error
    try:
        theirs = client.run(identity)
    except Exception as error:
        raise ClusterError(
            f"{address}: a worker lacks perflint, or has another version ({_one_line(error)})"
        ) from error
    mine = identity()
    for where, other in sorted(theirs.items()):
        if tuple(other) != mine:
            raise ClusterError(f"{where}: {worker.difference(mine, tuple(other))}")


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
