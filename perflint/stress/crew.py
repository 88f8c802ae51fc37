"""Who tries inputs: this process, several of them, or the workers of a Dask cluster.

Inputs of one generation are independent of each other, so that results do not tell who tried them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from perflint.base.records import dataclass
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import LIMITS, units
from perflint.stress.generators import Generator
from perflint.stress.search import Evaluate
from perflint.stress.target import Target
from perflint.stress.trial import Input, Limits, Outcome, tried
from perflint.work.parallel import Crash, Workers, ending, workers
from perflint.work.task import lease

Task = tuple[int, dict[str, Generator]]


@dataclass(frozen=True, eq=False)
class Try:
    """What a worker does with an input: it pickles, as the sources have been read."""

    target: Target

    def __call__(self, task: Task) -> Outcome:
        lease(LIMITS.cpu_seconds)
        return tried(self.target, task[1], Limits())

    def sent(self) -> Try:
        """The same without what asks for the sources: an input's run needs none of it."""
        mine = replace(
            self.target.subject,
            constructs=_nothing, recompile=None, resources=_no_resources, never_launched=_launched,
        )  # fmt: skip
        return Try(replace(self.target, subject=mine))


def _nothing(path: Path) -> None:
    return None


def _no_resources() -> None:
    return None


def _launched() -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Away:
    """A cluster that is to try inputs, and the file that their kernel stands in."""

    file: Path
    options: CheckOptions  #: with the address


@contextmanager
def trying(target: Target, jobs: int, away: Away | None) -> Iterator[Evaluate]:
    """What tries inputs of a target, in so many processes or elsewhere. Raises ProcessError."""
    if away is None:
        crew = workers(Try(target), jobs)
        with ending(crew):
            yield _of(crew)
        return
    from perflint.cluster.client import connected

    address, file, options = away.options.cluster, away.file, away.options
    assert address is not None
    with connected(
        address, units([file], options).units, options, file.resolve().parent
    ) as cluster:
        remote = cluster.workers(Try(target).sent(), LIMITS, lambda _: None)
        with ending(remote):
            yield _of(remote)


def _of(crew: Workers[Task, Outcome]) -> Evaluate:
    def evaluate(inputs: Sequence[Input]) -> list[Outcome]:
        for number, each in enumerate(inputs):
            crew.submit((number, dict(each)))
        found: dict[int, Outcome] = {}
        for (number, _), outcome in crew.completed():
            crashed = isinstance(outcome, Crash)
            found[number] = Outcome(wrong=outcome.reason) if crashed else outcome  # type: ignore[union-attr,assignment]
        return [found[number] for number in range(len(inputs))]

    return evaluate
