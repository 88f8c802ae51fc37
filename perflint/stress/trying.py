"""Inputs, tried by whoever does tasks (`crew`): each with one target's kernel and launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from perflint.base.records import dataclass
from perflint.stress.crew import Away, asking
from perflint.stress.generators import Generator
from perflint.stress.search import Evaluate
from perflint.stress.target import Target
from perflint.stress.trial import Input, Limits, Outcome, tried
from perflint.work.parallel import Crash


@dataclass(frozen=True, eq=False)
class Try:
    """What a worker does with an input: it pickles, as the sources have been read."""

    target: Target

    def __call__(self, given: dict[str, Generator]) -> Outcome:
        return tried(self.target, given, Limits())

    def sent(self) -> Try:
        """The same without what asks for the sources: an input's run needs none of it."""
        mine = self.target.subject.without_sources()
        return Try(replace(self.target, subject=mine))


@contextmanager
def trying(target: Target, jobs: int, away: Away | None) -> Iterator[Evaluate]:
    """What tries inputs of a target, in so many processes or elsewhere. Raises ProcessError."""
    mine = Try(target)
    with asking(mine if away is None else mine.sent(), jobs, away) as ask:

        def evaluate(inputs: Sequence[Input]) -> list[Outcome]:
            found = ask([dict(each) for each in inputs])
            return [Outcome(wrong=o.reason) if isinstance(o, Crash) else o for o in found]

        yield evaluate
