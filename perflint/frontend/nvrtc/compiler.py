"""Compile a `.cu` file as it is, with no flags: what fails says what to help with next.

Each round compiles, reads the messages and takes the gentlest remedy there is for them (`repair`).
Rounds are counted, and the compiler's processor time is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from perflint.base import chance
from perflint.base.patterns import pattern
from perflint.frontend.mangling import nested_name
from perflint.frontend.nvrtc.crashes import Calls
from perflint.frontend.nvrtc.diagnostics import readable, with_real_paths
from perflint.frontend.nvrtc.library import Outcome
from perflint.frontend.nvrtc.needed_macros import wanted_by_conditions
from perflint.frontend.nvrtc.pool import Pool, WorkerError
from perflint.frontend.nvrtc.repair import Repair, first_message
from perflint.frontend.nvrtc.result import Allowance, Result
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance
from perflint.frontend.nvrtc.trials import settle_trials
from perflint.frontend.source.language.model import SourceKernel

#: No file of those surveyed got a kernel after the 18th.
ROUNDS = 20
#: Processor time of the compiler for one source, all rounds together.
SECONDS = 60.0
#: After so much of it, no more template arguments are tried.
_TRYING = 10.0
_ENTRY = pattern(r"\.entry\s+([\w$]+)")
_EXTERN = pattern(r"\.extern\s+\.func\b[^;]*?([\w$]+)\s*(?:\(\s*\.param|\(\s*\)|;|\n)")


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
        self._allowance = allowance or Allowance(SECONDS, ROUNDS)
        self.session = session
        self.result = Result()
        self._calls = Calls(session, pool, self._allowance, self.result)
        self._repair = Repair(session, self.result, is_fragment, thorough, self._given)
        self._defaulted: set[str] = set()
        self._hoped: list[Instance] = []  #: with assumed arguments, asked for beside all else
        self._seen = False  #: what compiles has been, once

    def run(self) -> Result:
        """Compile until it succeeds or nothing helps. Raises CompilerMissingError."""
        result = self.result
        try:
            self._hope()
            self.session.in_vain = self._is_in_vain()
            for _ in range(min(ROUNDS, self._allowance.rounds)):
                if self._is_in_vain():
                    break
                self._allowance.rounds -= 1
                outcome = self._calls.compile()
                if outcome.code == 0:
                    if self._calls.spent > SECONDS or not self._more(outcome):
                        self._succeed(outcome)
                        break
                elif not self._mend(outcome.log):
                    result.failure = readable(
                        first_message(outcome.log), self.session.closure.aliases
                    )
                    break
                if result.wanted:
                    break
                if self._calls.spent > _TRYING:
                    chance.cut()
                    self.session.spare.clear()
                if self._calls.spent > SECONDS or self._allowance.spent > self._allowance.seconds:
                    result.failure = f"it did not compile within {SECONDS:g} s of processor time"
                    break
            else:
                result.failure = f"it did not compile in {ROUNDS} rounds"
        except WorkerError as error:
            result.failure = str(error)
        result.guessed = dict(self.session.guesses)
        return result

    def _hope(self) -> None:
        """Ask for instances with assumed arguments at once: in most files nothing is refused."""
        session = self.session
        self._hoped = [*session.waiting, *self._defaults(())]
        session.instances += self._hoped

    def _mend(self, log: str) -> bool:
        """Do something about these messages. False if nothing can be done."""
        hoped, self._hoped = self._hoped, []
        if not hoped:
            return self._repair.help(log)
        session = self.session
        if self._repair.is_about(log, hoped):
            self._repair.compiled, session.waiting = True, []
            return self._repair.help(log)
        if not self._repair.concerns(log, hoped):
            self._hoped = hoped
            return self._repair.help(log)
        # One after the other: these may be refused because of what else is wrong.
        session.instances = [i for i in session.instances if i not in hoped]
        self._defaulted.clear()
        return self._repair.help(log, hoped)

    def _more(self, outcome: Outcome) -> bool:
        """Is there something to add before the PTX is complete?"""
        session = self.session
        if settle_trials(session, None):
            return True
        hoped, self._hoped = self._hoped, []
        externals = {nested_name(n)[-1] for n in _EXTERN.findall(outcome.ptx)}
        called = (externals & session.host_functions) - session.keep
        if called:
            self._repair.give_back(called)
            return True
        found = [(e, nested_name(e)[-1]) for e in _ENTRY.findall(outcome.ptx)]
        entries = {name for _, name in found}
        if not self._seen:
            self.result.wanted = wanted_by_conditions(session, entries) & self._given
        self._seen = self._repair.compiled = True
        waiting, session.waiting = session.waiting, []
        if hoped:
            # Nothing was to be assumed of what a macro, say, instantiates.
            assumed = {outcome.lowered.get(i.expression) for i in hoped if i not in waiting}
            known = {name for entry, name in found if entry not in assumed}
            needless = [i for i in hoped if i not in waiting and i.kernel in known]
            session.instances = [i for i in session.instances if i not in needless]
            added = [i for i in self._defaults(entries) if i not in needless]
            session.instances += added
            return bool(needless or added)
        self._defaulted |= {i.qualified for i in waiting}
        added = [*waiting, *self._defaults(entries)]
        session.instances += added
        return bool(added)

    def _defaults(self, entries: Collection[str]) -> list[Instance]:
        """Instances of the kernels of which there is none: neither an entry nor asked for."""
        session, added = self.session, []
        asked = {i.kernel for i in (*session.instances, *session.waiting)} if not self._seen else ()
        for kernel in self._kernels():
            if kernel.name in entries or kernel.qualified in self._defaulted:
                continue
            if kernel.name in session.lost_kernels or kernel.name in asked:
                continue
            if not kernel.template_parameters:
                if kernel.active and self._seen:  # `static`, and its launches are gone
                    self._defaulted.add(kernel.qualified)
                    added.append(
                        Instance(kernel.name, kernel.qualified, (), qualified=kernel.qualified)
                    )
                continue
            self._defaulted.add(kernel.qualified)
            given_up = session.given_up
            tries = [i for i in session.templates.assumed(kernel) if i.expression not in given_up]
            added += tries[:1]
            session.spare.setdefault(kernel.name, tries[1:])
        return added

    def _is_in_vain(self) -> bool:
        """Are all kernels lost, whatever else compiles?"""
        session = self.session
        asked = {i.kernel for i in (*session.instances, *session.waiting)}
        return bool(session.lost_kernels) and all(
            kernel.name in session.unwanted
            or session.is_lost(path, kernel)
            or (path != session.main and kernel.template_parameters and kernel.name not in asked)
            for path, kernels in session.kernels.items()
            for kernel in kernels
        )

    def _kernels(self) -> Iterable[SourceKernel]:
        """Those of the file itself, and of the fragment that it is compiled for.

        Other headers' templates are instantiated where launched only.
        """
        session = self.session
        own = (k for path in session.own for k in session.kernels.get(path, ()))
        return [k for k in own if k.name not in session.unwanted]

    def _succeed(self, outcome: Outcome) -> None:
        instances = {i.expression: i for i in self.session.instances}
        if not self.result.losses:
            self.session.conclude()
        self.result.ptx = with_real_paths(outcome.ptx, self.session.closure.aliases)
        self.result.architecture = outcome.architecture
        self.result.job = self.session.job()
        self.result.lowered = {
            name: instances[expression]
            for expression, name in outcome.lowered.items()
            if expression in instances
        }
