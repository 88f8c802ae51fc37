"""Compile a `.cu` file as it is, with no flags: what fails says what to help with next.

Each round compiles, reads the messages and takes the gentlest remedy there is for them: a header
of CUDA's, a host function given back, the user's error recorded, host code blanked, a macro
guessed, device code blanked, and a kernel last. Every loss is kept with the message that led to
it. Rounds and time are bounded.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from perflint.base import chance
from perflint.frontend.known_headers import wants_full_groups
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import CompileError
from perflint.frontend.nvrtc.diagnostics import Diagnostic, parse, readable, with_real_paths
from perflint.frontend.nvrtc.enclosing_declaration import RANK, Declaration, enclosing
from perflint.frontend.nvrtc.genuine import Doubts, is_genuine
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.needed_macros import wanted_by_conditions, wanted_by_messages
from perflint.frontend.nvrtc.pool import CrashError, Pool, WorkerError
from perflint.frontend.nvrtc.remedies import (
    Located,
    add_headers,
    drop_refused_instances,
    empty_host_headers,
    empty_specifiers,
    free_host_members,
    guess_macros,
    make_constants,
    take_dialect,
    take_long,
    take_pytorch_flags,
)
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance, assumed_instances
from perflint.frontend.source.model import SourceKernel

ROUNDS = 40
SECONDS = 60.0
#: After so long, no more template arguments are tried.
_TRYING = 10.0
#: Calls in which the instances of a file are looked for at which the compiler crashes.
_HALVINGS = 40
#: NVRTC's own name for the list of name expressions.
_NAME_MAP = "__nv_name_map"
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_EXTERN = re.compile(r"\.extern\s+\.func\b[^;]*?([\w$]+)\s*(?:\(\s*\.param|\(\s*\)|;|\n)")


@dataclass(frozen=True)
class Loss:
    """A declaration that was blanked because it did not compile."""

    path: Path
    declaration: Declaration
    reason: str


@dataclass
class Result:
    """How compiling ended."""

    ptx: str | None = None
    lowered: dict[str, Instance] = field(default_factory=dict)  #: entry name → instance
    architecture: int = 0  #: compiled for; 0 if nothing was
    job: Job | None = None  #: the call that made the PTX
    errors: list[CompileError] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    failure: str = ""  #: why there is no PTX
    guessed: dict[str, str] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()  #: macros that the build gives, to begin anew with


#: What a name that a header would declare leads to, beside being called undefined.
_UNKNOWN_NAME = re.compile(
    'name followed by "::"|has no member|not a class or struct|not a template'
)


class Compiler:
    """Compiles one closure."""

    def __init__(
        self,
        session: Session,
        pool: Pool,
        is_fragment: Callable[[], bool] = lambda: False,
        thorough: bool = True,
        given: Collection[str] = (),
        end: float | None = None,
    ) -> None:
        """`is_fragment` tells whether another file includes this one; then nothing is blamed on
        the user, and unless `thorough`, nothing of the device code given up for it either. `given`
        are the names of macros that the build gives, `end` the time at which to stop.
        """
        self.thorough = thorough
        self._given = frozenset(given)
        self._end = end
        self.session = session
        self.result = Result()
        self._pool = pool
        self._is_fragment = is_fragment
        self._defaulted: set[str] = set()
        self._crashes = False  #: the compiler does, at the instances of what does not compile
        self._halvings = _HALVINGS  #: that are left
        self._compiled = False  #: all but instances with assumed arguments

    def run(self) -> Result:
        """Compile until it succeeds or nothing helps. Raises CompilerMissingError."""
        start = time.monotonic()
        end = min(start + SECONDS, self._end if self._end is not None else math.inf)
        result = self.result
        try:
            for _ in range(ROUNDS):
                outcome = self._compile()
                if outcome.code == 0:
                    if not self._more(outcome):
                        self._succeed(outcome)
                        break
                elif not self._help(outcome.log):
                    result.failure = self._named(_first_message(outcome.log))
                    break
                if result.wanted:
                    break
                if time.monotonic() > start + _TRYING:
                    chance.cut()
                    self.session.spare.clear()
                if time.monotonic() > end:
                    result.failure = f"it did not compile within {SECONDS:g} s"
                    break
            else:
                result.failure = f"it did not compile in {ROUNDS} rounds"
        except WorkerError as error:
            result.failure = str(error)
        result.guessed = dict(self.session.guesses)
        return result

    def _compile(self) -> Outcome:
        """Compile once; with one instance of each kernel if all of them take too long.

        A compiler that crashes may do so at instances of what does not compile: the errors that are
        there without any are mended first.
        """
        job = self.session.job()
        bare = replace(job, expressions=())
        if self._crashes:
            if (outcome := self._pool.compile(bare)).code != 0 or bare == job:
                return outcome
            self._crashes = False  # there are no errors left for it to crash at
        try:
            return self._pool.compile(job)
        except WorkerError as error:
            self._crashes = isinstance(error, CrashError)
            if bare == job:
                raise
            outcome = self._pool.compile(bare)
            if outcome.code != 0:
                return outcome
            if isinstance(error, CrashError):
                self._crashes = False
                return self._without_crashes(outcome, error)
            fewer = list({i.kernel: i for i in reversed(self.session.instances)}.values())
            if len(fewer) == len(self.session.instances):
                raise
            self.session.give_up([i for i in self.session.instances if i not in fewer])
            return self._pool.compile(self.session.job())

    def _without_crashes(self, outcome: Outcome, crash: CrashError) -> Outcome:
        """What comes of the instances at which the compiler does not crash, found by halves.

        `outcome` is that without any, `crash` that with all. The instances at which it crashes are
        given up, as are those that the calls left do not reach.
        """
        session, job = self.session, self.session.job()
        good: list[Instance] = []
        bad: list[Instance] = []
        crashed = [session.instances]
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
                    outcome = self._pool.compile(replace(job, expressions=tried))
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

    # --- after success ---------------------------------------------------------------------------

    def _more(self, outcome: Outcome) -> bool:
        """Is there something to add before the PTX is complete?"""
        externals = {nested_name(n)[-1] for n in _EXTERN.findall(outcome.ptx)}
        called = (externals & self.session.host_functions) - self.session.keep
        if called:
            self._give_back(called)
            return True
        entries = {nested_name(e)[-1] for e in _ENTRY.findall(outcome.ptx)}
        if not self._compiled:
            self.result.wanted = wanted_by_conditions(self.session, entries) & self._given
        self._compiled = True
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

    # --- after failure ---------------------------------------------------------------------------

    def _help(self, log: str) -> bool:
        """Take the gentlest remedy for these messages. False if there is none."""
        session = self.session
        diagnostics, regrouped = parse(log), False
        if "requires separate compilation mode" in log and not session.separate:
            session.separate = True
            return True
        if session.light_groups and any(_wants_full_groups(d) for d in diagnostics):
            session.light_groups = False
            diagnostics = tuple(d for d in diagnostics if not _wants_full_groups(d))
            if not any(d.file in session.closure.aliases for d in diagnostics):
                return True
            regrouped = True
        own = [d for d in diagnostics if d.file in session.closure.aliases]
        named = [d for d in diagnostics if d.file == _NAME_MAP]
        if wanted := wanted_by_messages(session, (*own, *named)) & self._given:
            self.result.wanted = wanted
            return True
        # What is refused beside other errors may be refused because of them.
        if not own and (add_headers(session, named) or drop_refused_instances(session, named)):
            return True
        located = [x for d in own if (x := self._locate(d))]
        hosts = [x.diagnostic for x in located if x.declaration.kind == "host"]
        if add_headers(session, diagnostics, hosts):
            return True
        if self._give_back_called(located):
            return True
        if take_pytorch_flags(
            session, [x.diagnostic for x in located if x.declaration.kind != "host"]
        ):
            return True
        if make_constants(session, located) or empty_specifiers(session, located):
            return True
        if take_dialect(session, own) or free_host_members(session, own) or take_long(session, own):
            return True
        if empty_host_headers(session, located):
            return True
        if self._compiled and self._drop_assumed(own):
            return True
        host = [x for x in located if RANK[x.declaration.kind] <= RANK["host"]]
        if host:
            return self._remove(host)
        if regrouped:  # what else there is may come from what was left out
            return True
        types = [x for x in located if x.declaration.kind == "type"]
        if located and not types and not self.thorough and self._is_fragment():
            return False
        if self._drop_assumed(own):
            return True
        genuine = self._genuine(located)
        if genuine:
            return self._blame(genuine)
        if guess_macros(session, located):
            return True
        if located:
            lowest = min(RANK[x.declaration.kind] for x in located)
            return self._remove([x for x in located if RANK[x.declaration.kind] == lowest])
        return self._drop_any_instance(diagnostics)

    def _locate(self, diagnostic: Diagnostic) -> Located | None:
        path = self.session.closure.aliases[diagnostic.file]
        declaration = enclosing(
            self.session.codes[path],
            diagnostic.line,
            diagnostic.column,
            self.session.macros(path),
            self.session.globals,
            self.session.specifiers(path),
        )
        if declaration is None:
            return None
        name = declaration.name.split("::")[-1]
        if declaration.kind == "host" and name in self.session.keep:  # taken for device code
            declaration = replace(declaration, kind="device")
        return Located(diagnostic, path, declaration)

    def _drop_assumed(self, diagnostics: list[Diagnostic]) -> bool:
        """Give up instances whose bodies do not compile and that were assumed or have others."""
        contexts = " ".join(d.context for d in diagnostics)
        bad = [
            i
            for i in self.session.instances
            if (i.assumed or self.session.spare.get(i.kernel))
            and re.search(rf"\b{re.escape(i.kernel)}[<(]", contexts)
        ]
        for instance in bad:
            about = re.compile(rf"\b{re.escape(instance.kernel)}[<(]")
            first = next((d for d in diagnostics if about.search(d.context)), None)
            if first is not None and (x := self._locate(first)) is not None:
                self.session.refusals.setdefault(instance.kernel, (instance, self._reason(x)))
        self.session.give_up(bad)
        return bool(bad)

    def _drop_any_instance(self, diagnostics: tuple[Diagnostic, ...]) -> bool:
        """The last resort where a message points into no file of the user's."""
        contexts = " ".join(f"{d.context} {d.text}" for d in diagnostics)
        named = [i for i in self.session.instances if i.kernel in contexts]
        self.session.give_up(named or self.session.instances[-1:])
        return bool(named or self.session.instances)

    def _give_back_called(self, located: list[Located]) -> bool:
        """Device code calls a host function that was blanked: a macro says `__device__`."""
        session = self.session
        names = {
            x.diagnostic.absent
            for x in located
            if x.declaration.kind in {"kernel", "device", "type"} and x.diagnostic.absent
        }
        # A class that is left out has constructors of its name.
        classes = {name.decode("latin-1") for name in session.emptied_names}
        called = {n for n in names if n in session.host_functions} - session.keep - classes
        if called:
            self._give_back(called)
        return bool(called)

    def _give_back(self, names: set[str]) -> None:
        self.session.restore(names)
        listed = ", ".join(f"`{n}`" for n in sorted(names))
        self.result.remarks.append(
            f"{self.session.main}: {listed} has no `__device__` in sight but is called by "
            "device code: taken for device code"
        )

    def _remove(self, located: list[Located]) -> bool:
        """Blank what these messages point into."""
        groups: dict[tuple[Path, int, int], list[Located]] = {}
        for x in located:
            key = (x.path, x.declaration.start, x.declaration.end)
            groups.setdefault(key, []).append(x)
        # From the end, so that what comes before stays where it is.
        for key in sorted(groups, key=lambda k: k[1], reverse=True):
            x = min(groups[key], key=self._weight)
            reason = self._reason(x)
            if x.declaration.kind in {"kernel", "device", "type"}:
                self.result.losses.append(Loss(x.path, x.declaration, reason))
            if x.declaration.kind == "directive" and x.diagnostic.fatal:
                self.result.remarks.append(f"{x.path}:{x.declaration.line}: left out: {reason}")
            self.session.remove(x.path, x.declaration, reason)
            if x.declaration.kind == "kernel":
                name = x.declaration.name.split("::")[-1]
                self.session.give_up([i for i in self.session.instances if i.kernel == name])
        return bool(located)

    def _message(self, located: Located) -> str:
        """The compiler's message, or what is behind it."""
        line = self.session.codes[located.path].split(b"\n")[located.diagnostic.line - 1]
        if located.diagnostic.syntax and not line.isascii():
            return "CUDA's compilers take only ASCII characters in the names of device code"
        return self._named(located.diagnostic.text)

    def _weight(self, located: Located) -> int:
        """Which of a declaration's messages tells most: one that names what is lacking."""
        name = located.diagnostic.undefined
        return 0 if name in self.session.removed else 1 if name else 2

    def _named(self, text: str) -> str:
        return readable(text, self.session.closure.aliases)

    def _reason(self, located: Located) -> str:
        """The first message about the declaration, or what it follows from."""
        diagnostic = located.diagnostic
        name = diagnostic.undefined
        if name in self.session.removed:
            return f"it needs `{name}`, which did not compile: {self.session.removed[name]}"
        text = self._named(diagnostic.text)
        if self.session.closure.missing and (name or _UNKNOWN_NAME.search(text)):
            headers = ", ".join(self.session.closure.missing[:3])
            text += f" (headers not found: {headers}; give their folder with -I)"
        where = f"{located.path.name}:{diagnostic.line}"
        return f"{where}: {text}"

    # --- the user's own errors -------------------------------------------------------------------

    def _genuine(self, located: list[Located]) -> list[Located]:
        session = self.session
        device = [x for x in located if x.declaration.kind in {"kernel", "device"}]
        # Once something was left out for want of knowledge, what follows may follow from that.
        if not device or self.result.losses:
            return []
        doubts = Doubts(
            bool(session.closure.missing or session.guesses),
            set(session.removed),
            {m.decode("latin-1") for m in session.closure.macros},
            self._is_fragment(),
            len({x.diagnostic.undefined for x in located} - {None}),
            session.words(),
        )
        found, unknown = [], set()
        for x in device:
            piece = session.codes[x.path][x.declaration.start : x.declaration.end]
            if is_genuine(x.diagnostic, x.declaration, piece.decode("utf-8", "replace"), doubts):
                found.append(x)
            elif x.diagnostic.undefined:
                unknown.add((x.path, x.declaration.start))
        # Beside a name that we know nothing of, a syntax error may come from a macro or a type.
        return [x for x in found if (x.path, x.declaration.start) not in unknown]

    def _blame(self, located: list[Located]) -> bool:
        """Record the user's errors, and go on without the declarations they stand in."""
        blamed: set[tuple[Path, int]] = set()
        for x in located:
            key = (x.path, x.declaration.start)
            # What follows a syntax error is a consequence, more often than not.
            if key in blamed and not x.diagnostic.undefined:
                continue
            blamed.add(key)
            self.result.errors.append(
                CompileError(
                    x.path,
                    x.diagnostic.line,
                    x.diagnostic.column,
                    self._message(x),
                )
            )
        for path, start in sorted(blamed, key=lambda b: b[1], reverse=True):
            one = next(x for x in located if (x.path, x.declaration.start) == (path, start))
            self.session.remove(path, one.declaration, self._reason(one))
        return True


def _wants_full_groups(diagnostic: Diagnostic) -> bool:
    text = f"{diagnostic.file} {diagnostic.text} {diagnostic.context}"
    return wants_full_groups(text, diagnostic.absent)


def _first_message(log: str) -> str:
    diagnostics = parse(log)
    if diagnostics:
        return diagnostics[0].text
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[0].strip() if lines else "the compiler gave no reason"
