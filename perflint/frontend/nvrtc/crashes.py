"""Compiling although the compiler crashes, or takes too long, at some instances or kernels.

NVRTC crashes at name expressions of what does not compile, one of them is enough. Without any it
tells the errors, which can be mended; what is then left to crash at is found by halves. So are the
kernels at which it crashes with no name expression at all: at some inline assembly, say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from perflint.base.patterns import pattern
from perflint.frontend.nvrtc.blank import Cut, blank
from perflint.frontend.nvrtc.diagnostics import parse
from perflint.frontend.nvrtc.enclosing_declaration import Declaration, enclosing
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.pool import CrashError, Pool, WorkerError
from perflint.frontend.nvrtc.result import Allowance, Loss, Result
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance

#: Calls in which the instances and kernels of a file are looked for at which the compiler crashes.
_HALVINGS = 40
#: Where it takes too long: seconds of processor time that each of these may take beyond the last
#: that compiled, and of all of the compiler's after which no more are made.
_PROBE, _PROBING = 8.0, 100.0
#: What the compiler's back end ends with where it does not crash of it: it names no place.
_BACK_END = pattern(r"^error: (.+)", re.MULTILINE)

_T = TypeVar("_T")


class Calls:
    """The calls of the compiler for one session, paid from an allowance."""

    def __init__(self, session: Session, pool: Pool, allowance: Allowance, result: Result) -> None:
        """The kernels at which the compiler crashes are told in `result`."""
        self._session, self._result = session, result
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
            if (outcome := self._bare(bare)).code != 0 or bare == job:
                return outcome
            self._crashes = False  # there are no errors left for it to crash at
        try:
            return self._call(job)
        except WorkerError as error:
            self._crashes = isinstance(error, CrashError) and bare != job
            if bare == job:
                return self._without_kernels(error)
            compiled = self._compiled
            if compiled is None or replace(compiled[0], expressions=()) != bare:
                if (outcome := self._bare(bare)).code != 0:
                    return outcome
                compiled = bare, outcome
            if isinstance(error, CrashError):
                self._crashes = False
                return self._without_crashes(*compiled, error)
            fewer = list({i.kernel: i for i in reversed(session.instances)}.values())
            if len(fewer) < len(session.instances):
                session.give_up([i for i in session.instances if i not in fewer], in_turn=True)
                with suppress(WorkerError):
                    return self._call(session.job())
            session.spare.clear()  # others of a kernel's are as slow
            return self._without_crashes(*compiled, error)

    def _call(self, job: Job) -> Outcome:
        try:
            outcome = self._pool.compile(job)
        except WorkerError as error:
            self._pay(error.seconds)
            raise
        self._pay(outcome.seconds)
        if outcome.code == 0:
            self._compiled = job, outcome
        elif (end := _BACK_END.search(outcome.log)) and not parse(outcome.log):
            raise CrashError(f"the compiler failed in its back end: {end[1]}")
        return outcome

    def _pay(self, seconds: float) -> None:
        self.spent += seconds
        self._allowance.spent += seconds

    def _without_crashes(self, compiled: Job, outcome: Outcome, crash: WorkerError) -> Outcome:
        """What comes of the instances at which the compiler does not crash, found by halves.

        `outcome` is that of what has `compiled`, perhaps with some of the instances; `crash` is
        that with all. The instances at which it crashes are given up, as are those that the calls
        left do not reach.
        """
        session, job = self._session, self._session.job()
        good = [i for i in session.instances if i.expression in compiled.expressions]

        def call(tried: Sequence[Instance], seconds: float | None) -> Outcome:
            asked = tuple(i.expression for i in tried)
            return self._call(replace(job, expressions=asked, seconds=seconds))

        rest = [i for i in session.instances if i not in good]
        good, bad, outcome = self._by_halves(good, rest, outcome, call, crash)
        for instance in bad:
            session.refusals.setdefault(instance.kernel, (instance, str(crash)))
        session.give_up(bad, in_turn=True)
        session.waiting += [i for i in session.instances if i not in good]  # others of these
        session.instances = good
        return outcome

    def _bare(self, job: Job) -> Outcome:
        """Compile what has no instances."""
        try:
            return self._call(job)
        except WorkerError as error:
            return self._without_kernels(error)

    def _without_kernels(self, crash: WorkerError) -> Outcome:
        """What comes of the kernels at which the compiler does not crash; the others are lost.

        Raises `crash` where it crashes without any.
        """
        session, codes = self._session, self._session.codes
        every = list(_kernels(session))

        def call(
            tried: Collection[tuple[Path, Declaration]], seconds: float | None = None
        ) -> Outcome:
            cuts: dict[Path, list[Cut]] = {}
            for path, kernel in every:
                if (path, kernel) not in tried:
                    cuts.setdefault(path, []).append(Cut(kernel.start, kernel.end, ""))
            session.codes = codes | {p: blank(codes[p], tuple(c)) for p, c in cuts.items()}
            outcome = self._call(replace(session.job(), expressions=(), seconds=seconds))
            if outcome.code != 0:  # it needs what was left out
                raise crash
            return outcome

        try:
            _, bad, outcome = self._by_halves([], every, call(()), call, crash)
        finally:
            session.codes = codes
        for path, kernel in bad:
            self._result.losses.append(Loss(path, kernel, str(crash)))
            session.remove(path, kernel, str(crash))
        return outcome

    def _by_halves(
        self,
        good: list[_T],
        rest: list[_T],
        outcome: Outcome,
        call: Callable[[list[_T], float | None], Outcome],
        crash: WorkerError,
    ) -> tuple[list[_T], list[_T], Outcome]:
        """Those at which a call does not end as in `crash`, the others, and the outcome of these.

        `outcome` is that of the `good`; what the calls left do not reach counts for bad.
        """
        slow = not isinstance(crash, CrashError)
        bad: list[_T] = []
        crashed = [rest]
        while crashed:
            group = crashed.pop()
            if len(group) < 2 or self._halvings == 0 or (slow and self.spent > _PROBING):
                bad += group
                continue
            middle = len(group) // 2
            for half in (group[:middle], group[middle:]):
                self._halvings = max(0, self._halvings - 1)
                try:
                    outcome = call([*good, *half], outcome.seconds + _PROBE if slow else None)
                except WorkerError:
                    crashed.append(half)
                else:
                    good = [*good, *half]
        return good, bad, outcome


def _kernels(session: Session) -> Iterator[tuple[Path, Declaration]]:
    """The kernels that are compiled without being asked for."""
    for path, kernels in session.kernels.items():
        code, macros, specifiers = (
            session.codes[path],
            session.macros(path),
            session.specifiers(path),
        )
        for kernel in kernels:
            if kernel.template_parameters or not kernel.active:
                continue
            at = kernel.name_span
            found = enclosing(code, at.line, at.column, macros, session.globals, specifiers)
            if found is not None and found.kind == "kernel":
                yield path, found
