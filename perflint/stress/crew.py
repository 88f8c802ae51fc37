"""Who does tasks: this process, several of them, or the workers of a Dask cluster.

Tasks that are given together are independent of each other, so that results do not tell who did
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from perflint.base.records import dataclass
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import LIMITS, units
from perflint.work.parallel import Crash, Workers, ending, workers
from perflint.work.task import lease

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Away:
    """A cluster that is to do tasks, and the file that their kernel stands in."""

    file: Path
    options: CheckOptions  #: with the address


@dataclass(frozen=True, eq=False)
class _Numbered(Generic[S, T]):
    """Does tasks that are numbered, each within the time of one."""

    function: Callable[[S], T]

    def __call__(self, task: tuple[int, S]) -> T:
        lease(LIMITS.cpu_seconds)
        return self.function(task[1])


@contextmanager
def asking(
    function: Callable[[S], T], jobs: int, away: Away | None = None
) -> Iterator[Callable[[Sequence[S]], list[T | Crash]]]:
    """What does tasks in so many processes, or elsewhere: the results are in the tasks' order.

    Elsewhere the function must pickle. Raises ProcessError.
    """
    numbered = _Numbered(function)
    if away is None:
        crew = workers(numbered, jobs)
        with ending(crew):
            yield _of(crew)
        return
    from perflint.cluster.client import connected

    address, file, options = away.options.cluster, away.file, away.options
    assert address is not None
    with connected(
        address, units([file], options).units, options, file.resolve().parent
    ) as cluster:
        remote = cluster.workers(numbered, LIMITS, lambda _: None)
        with ending(remote):
            yield _of(remote)


def _of(crew: Workers[tuple[int, Any], T]) -> Callable[[Sequence[Any]], list[T | Crash]]:
    def done(tasks: Sequence[Any]) -> list[T | Crash]:
        for each in enumerate(tasks):
            crew.submit(each)
        found = {number: result for (number, _), result in crew.completed()}
        return [found[number] for number in range(len(tasks))]

    return done
