"""Compile a `.cu` file as it is, with no flags: what fails says what to help with next.

Each round compiles, reads the messages and takes the gentlest remedy there is for them (`repair`).
Rounds are counted, and the compiler's processor time is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from perflint.base import chance
from perflint.frontend.mangling import nested_name
from perflint.frontend.nvrtc.crashes import Calls
from perflint.frontend.nvrtc.diagnostics import readable, with_real_paths
from perflint.frontend.nvrtc.library import Outcome
from perflint.frontend.nvrtc.needed_macros import wanted_by_conditions
from perflint.frontend.nvrtc.pool import Pool, WorkerError
from perflint.frontend.nvrtc.repair import Repair, first_message
from perflint.frontend.nvrtc.result import Allowance, Result
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance, assumed_instances
from perflint.frontend.source.model import SourceKernel

ROUNDS = 40
#: Processor time of the compiler for one source, all rounds together.
SECONDS = 60.0
#: After so much of it, no more template arguments are tried.
_TRYING = 10.0
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_EXTERN = re.compile(r"\.extern\s+\.func\b[^;]*?([\w$]+)\s*(?:\(\s*\.param|\(\s*\)|;|\n)")


class Compiler:
    """Compiles one closure."""

    def __init__(
        self,
        session: Session,
        pool: Pool,
        is_fragment: Callable[[], bool] = lambda: False,
        thorough: bool = True,
        given: Collection[str] = (),
        allowance: Allowance | None = None,
    ) -> None:
        """`is_fragment` tells whether another file includes this one; then nothing is blamed on
        the user, and unless `thorough`, nothing of the device code given up for it either. `given`
        are the names of macros that the build gives, `allowance` is what the file may take in all.
        """
        self._given = frozenset(given)
        self._allowance = allowance or Allowance(SECONDS)
        self.session = session
        self.result = Result()
        self._calls = Calls(session, pool, self._allowance)
        self._repair = Repair(session, self.result, is_fragment, thorough, self._given)
        self._defaulted: set[str] = set()

    def run(self) -> Result:
        """Compile until it succeeds or nothing helps. Raises CompilerMissingError."""
        result = self.result
        try:
            for _ in range(ROUNDS):
                outcome = self._calls.compile()
                if outcome.code == 0:
                    if not self._more(outcome):
                        self._succeed(outcome)
                        break
                elif not self._repair.help(outcome.log):
                    result.failure = readable(
                        first_message(outcome.log), self.session.closure.aliases
                    )
                    break
                if result.wanted:
                    break
                if self._calls.spent > _TRYING:
                    chance.cut()
                    self.session.spare.clear()
                if self._calls.spent > SECONDS or self._allowance.is_spent:
                    result.failure = f"it did not compile within {SECONDS:g} s of processor time"
                    break
            else:
                result.failure = f"it did not compile in {ROUNDS} rounds"
        except WorkerError as error:
            result.failure = str(error)
        result.guessed = dict(self.session.guesses)
        return result

    def _more(self, outcome: Outcome) -> bool:
        """Is there something to add before the PTX is complete?"""
        externals = {nested_name(n)[-1] for n in _EXTERN.findall(outcome.ptx)}
        called = (externals & self.session.host_functions) - self.session.keep
        if called:
            self._repair.give_back(called)
            return True
        entries = {nested_name(e)[-1] for e in _ENTRY.findall(outcome.ptx)}
        if not self._repair.compiled:
            self.result.wanted = wanted_by_conditions(self.session, entries) & self._given
        self._repair.compiled = True
        added, self.session.waiting = self.session.waiting, []
        self._defaulted |= {i.expression.partition("<")[0] for i in added}
        for kernel in self._kernels():
            if kernel.name in entries or kernel.qualified in self._defaulted:
                continue
            if kernel.name in self.session.lost_kernels:
                continue
            self._defaulted.add(kernel.qualified)
            if not kernel.template_parameters:
                if kernel.active:  # `static`, and its launches are gone: it must be asked for
                    added.append(Instance(kernel.name, kernel.qualified, ()))
                continue
            given_up = self.session.given_up
            tries = [i for i in assumed_instances(kernel) if i.expression not in given_up]
            added += tries[:1]
            self.session.spare.setdefault(kernel.name, tries[1:])
        self.session.instances += added
        return bool(added)

    def _kernels(self) -> Iterable[SourceKernel]:
        """Those of the file itself. Headers' templates are instantiated where launched only."""
        return self.session.kernels[self.session.main]

    def _succeed(self, outcome: Outcome) -> None:
        instances = {i.expression: i for i in self.session.instances}
        self.result.ptx = with_real_paths(outcome.ptx, self.session.closure.aliases)
        self.result.architecture = outcome.architecture
        self.result.job = self.session.job()
        self.result.lowered = {
            name: instances[expression]
            for expression, name in outcome.lowered.items()
            if expression in instances
        }
