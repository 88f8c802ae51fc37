"""Compiling although the compiler crashes, or takes too long, at some instances of templates.

NVRTC crashes at name expressions of what does not compile, one of them is enough. Without any it
tells the errors, which can be mended; what is then left to crash at is found by halves.
"""

from __future__ import annotations

from dataclasses import replace

from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.pool import CrashError, Pool, WorkerError
from perflint.frontend.nvrtc.result import Allowance
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance

#: Calls in which the instances of a file are looked for at which the compiler crashes.
_HALVINGS = 40


class Calls:
    """The calls of the compiler for one session, paid from an allowance."""

    def __init__(self, session: Session, pool: Pool, allowance: Allowance) -> None:
        self._session = session
        self._pool = pool
        self._allowance = allowance
        self._crashes = False  #: the compiler does, at the instances of what does not compile
        self._halvings = _HALVINGS  #: that are left
        self._compiled: tuple[Job, Outcome] | None = None  #: the last in which there was no error
        self.spent = 0.0  #: seconds of processor time

    def compile(self) -> Outcome:
        """Compile once; with one instance of each kernel if all of them take too long.

        A compiler that crashes may do so at instances of what does not compile: the errors that are
        there without any are mended first. Raises WorkerError, CompilerMissingError.
        """
        session = self._session
        job = session.job()
        bare = replace(job, expressions=())
        if self._crashes:
            if (outcome := self._call(bare)).code != 0 or bare == job:
                return outcome
            self._crashes = False  # there are no errors left for it to crash at
        try:
            return self._call(job)
        except WorkerError as error:
            self._crashes = isinstance(error, CrashError)
            if bare == job:
                raise
            compiled = self._compiled
            if compiled is None or replace(compiled[0], expressions=()) != bare:
                if (outcome := self._call(bare)).code != 0:
                    return outcome
                compiled = bare, outcome
            if isinstance(error, CrashError):
                self._crashes = False
                return self._without_crashes(*compiled, error)
            fewer = list({i.kernel: i for i in reversed(session.instances)}.values())
            if len(fewer) == len(session.instances):
                raise
            session.give_up([i for i in session.instances if i not in fewer])
            return self._call(session.job())

    def _call(self, job: Job) -> Outcome:
        try:
            outcome = self._pool.compile(job)
        except WorkerError as error:
            self._pay(error.seconds)
            raise
        self._pay(outcome.seconds)
        if outcome.code == 0:
            self._compiled = job, outcome
        return outcome

    def _pay(self, seconds: float) -> None:
        self.spent += seconds
        self._allowance.spent += seconds

    def _without_crashes(self, compiled: Job, outcome: Outcome, crash: CrashError) -> Outcome:
        """What comes of the instances at which the compiler does not crash, found by halves.

        `outcome` is that of what has `compiled`, perhaps with some of the instances; `crash` is
        that with all. The instances at which it crashes are given up, as are those that the calls
        left do not reach.
        """
        session, job = self._session, self._session.job()
        good = [i for i in session.instances if i.expression in compiled.expressions]
        bad: list[Instance] = []
        crashed = [[i for i in session.instances if i not in good]]
        while crashed:
            group = crashed.pop()
            if len(group) == 1 or self._halvings == 0:
                bad += group
                continue
            middle = len(group) // 2
            for half in (group[:middle], group[middle:]):
                self._halvings = max(0, self._halvings - 1)
                tried = tuple(i.expression for i in (*good, *half))
                try:
                    outcome = self._call(replace(job, expressions=tried))
                except CrashError:
                    crashed.append(half)
                else:
                    good += half
        for instance in bad:
            session.refusals.setdefault(instance.kernel, (instance, str(crash)))
        session.give_up(bad)
        session.waiting += [i for i in session.instances if i not in good]  # others of these
        session.instances = good
        return outcome
