"""Compile a `.cu` file as it is, with no flags: what fails says what to help with next.

Each round compiles, reads the messages and takes the gentlest remedy there is for them: a header
of CUDA's, a host function given back, the user's error recorded, host code blanked, a macro
guessed, device code blanked, and a kernel last. Every loss is kept with the message that led to
it. Rounds and time are bounded.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from perflint.frontend.diagnostics import Diagnostic, parse
from perflint.frontend.enclosing import RANK, Declaration, enclosing
from perflint.frontend.genuine import Doubts, is_genuine
from perflint.frontend.kernels import KernelDefinition
from perflint.frontend.known_headers import REMEDIES
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import CompileError
from perflint.frontend.nvrtc import Outcome
from perflint.frontend.pool import Pool, WorkerError
from perflint.frontend.session import Session
from perflint.frontend.templates import Instance, default_instance

ROUNDS = 40
SECONDS = 60.0
#: NVRTC's own name for the list of name expressions.
_NAME_MAP = "__nv_name_map"
_REFUSED = re.compile(r'Input name expression was: "(.*)"')
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_EXTERN = re.compile(r"\.extern\s+\.func\b[^;]*?([\w$]+)\s*(?:\(\s*\.param|\(\s*\)|;|\n)")
#: Macros that a build defines are numbers, sizes of blocks more often than not.
_LARGE = re.compile("THREAD|TPB|NUM|SIZE_X|BLOCK_?SIZE")


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
    errors: list[CompileError] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    failure: str = ""  #: why there is no PTX
    rounds: int = 0
    guessed: dict[str, str] = field(default_factory=dict)
    defaulted: list[Instance] = field(default_factory=list)


@dataclass(frozen=True)
class _Located:
    """A message with the declaration that it points into."""

    diagnostic: Diagnostic
    path: Path
    declaration: Declaration


class Compiler:
    """Compiles one closure."""

    def __init__(
        self,
        session: Session,
        pool: Pool,
        is_fragment: Callable[[], bool] = lambda: False,
        thorough: bool = True,
    ) -> None:
        """`is_fragment` tells whether another file includes this one; then nothing is blamed on
        the user, and unless `thorough`, nothing of the device code given up for it either.
        """
        self.thorough = thorough
        self.session = session
        self.result = Result()
        self._pool = pool
        self._is_fragment = is_fragment
        self._tried: set[str] = set()  #: expressions that were given up
        self._defaulted: set[str] = set()
        self._real_since = session.real

    def run(self) -> Result:
        """Compile until it succeeds or nothing helps. Raises CompilerMissingError."""
        end = time.monotonic() + SECONDS
        result = self.result
        try:
            for _ in range(ROUNDS):
                result.rounds += 1
                outcome = self._pool.compile(self.session.job())
                if outcome.code == 0:
                    if not self._more(outcome):
                        self._succeed(outcome)
                        break
                elif not self._help(outcome.log):
                    result.failure = self._readable(_first_message(outcome.log))
                    break
                if time.monotonic() > end:
                    result.failure = f"it did not compile within {SECONDS:g} s"
                    break
            else:
                result.failure = f"it did not compile in {ROUNDS} rounds"
        except WorkerError as error:
            result.failure = str(error)
        result.guessed = dict(self.session.guesses)
        return result

    # --- after success ---------------------------------------------------------------------------

    def _more(self, outcome: Outcome) -> bool:
        """Is there something to add before the PTX is complete?"""
        externals = {nested_name(n)[-1] for n in _EXTERN.findall(outcome.ptx)}
        called = (externals & self.session.host_functions) - self.session.keep
        if called:
            self._give_back(called)
            return True
        entries = {nested_name(e)[-1] for e in _ENTRY.findall(outcome.ptx)}
        added: list[Instance] = []
        for kernel in self._templates():
            if kernel.name in entries or kernel.qualified in self._defaulted:
                continue
            self._defaulted.add(kernel.qualified)
            instance = default_instance(kernel)
            if instance is not None and instance.expression not in self._tried:
                added.append(instance)
        self.session.instances += added
        self.result.defaulted += added
        return bool(added)

    def _templates(self) -> Iterable[KernelDefinition]:
        """Kernel templates that are still there. Headers' are instantiated where launched only."""
        return (k for k in self.session.kernels[self.session.main] if k.template)

    def _succeed(self, outcome: Outcome) -> None:
        instances = {i.expression: i for i in self.session.instances}
        self.result.ptx = self._real_paths(outcome.ptx)
        self.result.architecture = outcome.architecture
        self.result.lowered = {
            name: instances[expression]
            for expression, name in outcome.lowered.items()
            if expression in instances
        }

    # --- after failure ---------------------------------------------------------------------------

    def _help(self, log: str) -> bool:
        """Take the gentlest remedy for these messages. False if there is none."""
        session = self.session
        diagnostics = parse(log)
        if "requires separate compilation mode" in log and not session.separate:
            session.separate = True
            return True
        if session.uses_light_headers and any(_wants_more(d) for d in diagnostics):
            session.take_real_headers()
            if not any(d.file in session.closure.aliases for d in diagnostics):
                return True
            diagnostics = tuple(d for d in diagnostics if not _wants_more(d))
            if not diagnostics:
                return True
        own = [d for d in diagnostics if d.file in session.closure.aliases]
        if self._drop_instances([d for d in diagnostics if d.file == _NAME_MAP]) and not own:
            return True
        if self._add_headers(diagnostics):
            return True
        located = [x for d in own if (x := self._locate(d))]
        if self._give_back_called(located):
            return True
        if self._make_constants(located) or self._empty_specifiers(located):
            return True
        host = [x for x in located if RANK[x.declaration.kind] <= RANK["host"]]
        if host:
            return self._remove(host)
        if self._real_since != session.real:
            self._real_since = session.real
            return True
        if located and session.uses_light_headers:
            session.take_real_headers()
            self._real_since = session.real
            return True
        types = [x for x in located if x.declaration.kind == "type"]
        if located and not types and not self.thorough and self._is_fragment():
            return False
        if self._drop_assumed(own):
            return True
        genuine = self._genuine(located)
        if genuine:
            return self._blame(genuine)
        if self._guess(located):
            return True
        if located:
            lowest = min(RANK[x.declaration.kind] for x in located)
            return self._remove([x for x in located if RANK[x.declaration.kind] == lowest])
        return self._drop_any_instance(diagnostics)

    def _locate(self, diagnostic: Diagnostic) -> _Located | None:
        path = self.session.closure.aliases[diagnostic.file]
        declaration = enclosing(
            self.session.codes[path],
            diagnostic.line,
            diagnostic.column,
            self.session.macros(path),
            self.session.globals,
        )
        return _Located(diagnostic, path, declaration) if declaration else None

    def _drop_instances(self, diagnostics: list[Diagnostic]) -> bool:
        """Give up the name expressions that do not parse or resolve."""
        refused = {
            "".join(match[1].split()) for d in diagnostics if (match := _REFUSED.search(d.text))
        }
        bad = [i for i in self.session.instances if "".join(i.expression.split()) in refused]
        self._give_up(bad)
        return bool(bad)

    def _drop_assumed(self, diagnostics: list[Diagnostic]) -> bool:
        """Give up instances with assumed arguments whose bodies do not compile."""
        contexts = " ".join(d.context for d in diagnostics)
        bad = [
            i
            for i in self.session.instances
            if i.assumed and re.search(rf"\b{re.escape(i.kernel)}[<(]", contexts)
        ]
        self._give_up(bad)
        return bool(bad)

    def _drop_any_instance(self, diagnostics: tuple[Diagnostic, ...]) -> bool:
        """The last resort where a message points into no file of the user's."""
        contexts = " ".join(f"{d.context} {d.text}" for d in diagnostics)
        named = [i for i in self.session.instances if i.kernel in contexts]
        self._give_up(named or self.session.instances[-1:])
        return bool(named or self.session.instances)

    def _give_up(self, bad: list[Instance]) -> None:
        self._tried |= {i.expression for i in bad}
        self.session.instances = [i for i in self.session.instances if i not in bad]

    def _add_headers(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Include the headers of CUDA's that undefined names come from."""
        session = self.session
        names = [
            self._word_at(d) if "namespace name" in d.text else d.undefined for d in diagnostics
        ]
        wanted = {REMEDIES[name] for name in names if name in REMEDIES}
        if any("required runtime APIs are not declared" in d.text for d in diagnostics):
            wanted.add("cuda_device_runtime_api.h")
        real = {f"perflint/{h}" if h in _OWN_ONLY else h for h in wanted}
        new = sorted(real - set(session.includes))
        session.includes += new
        return bool(new)

    def _word_at(self, diagnostic: Diagnostic) -> str:
        """The word that a message points at, unless a `(` follows it."""
        path = self.session.closure.aliases.get(diagnostic.file)
        if path is None:
            return ""
        lines = self.session.codes[path].split(b"\n")
        rest = lines[diagnostic.line - 1][diagnostic.column - 1 :]
        word = re.match(rb"(\w+)\b(?!\s*\()", rest)
        return word[1].decode("latin-1") if word else ""

    def _make_constants(self, located: list[_Located]) -> bool:
        """`const float a = 1.0f / b;` is a constant to nvcc: make it one that NVRTC takes."""
        paths = {
            x.path
            for x in located
            if x.diagnostic.text.startswith("dynamic initialization is not supported")
        } - self.session.constant
        self.session.constant |= paths
        return bool(paths)

    def _empty_specifiers(self, located: list[_Located]) -> bool:
        """An undefined macro before a declaration is a specifier: `API float f(…)`."""
        found = {
            word
            for x in located
            if x.diagnostic.text.startswith("this declaration has no storage class")
            and re.fullmatch(r"_*[A-Z][A-Z0-9_]*", word := self._word_at(x.diagnostic))
        } - set(self.session.guesses)
        self.session.guesses |= dict.fromkeys(found, "")
        return bool(found)

    def _give_back_called(self, located: list[_Located]) -> bool:
        """Device code calls a host function that was blanked: a macro says `__device__`."""
        session = self.session
        names = {
            x.diagnostic.absent
            for x in located
            if x.declaration.kind in {"kernel", "device", "type"} and x.diagnostic.absent
        }
        called = {n for n in names if n in session.host_functions} - session.keep
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

    def _remove(self, located: list[_Located]) -> bool:
        """Blank what these messages point into."""
        groups: dict[tuple[Path, int, int], list[_Located]] = {}
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
                self._give_up([i for i in self.session.instances if i.kernel == name])
        return bool(located)

    def _weight(self, located: _Located) -> int:
        """Which of a declaration's messages tells most: one that names what is lacking."""
        name = located.diagnostic.undefined
        return 0 if name in self.session.removed else 1 if name else 2

    def _reason(self, located: _Located) -> str:
        """The first message about the declaration, or what it follows from."""
        diagnostic = located.diagnostic
        name = diagnostic.undefined
        if name in self.session.removed:
            return f"it needs `{name}`, which did not compile: {self.session.removed[name]}"
        text = self._readable(diagnostic.text)
        if self.session.closure.missing and name:
            headers = ", ".join(self.session.closure.missing[:3])
            text += f" (headers not found: {headers})"
        where = f"{located.path.name}:{diagnostic.line}"
        return f"{where}: {text}"

    def _guess(self, located: list[_Located]) -> bool:
        """Give undefined macros in device code a number, as the build would have."""
        session, found = self.session, False
        for x in located:
            name = x.diagnostic.undefined
            if x.declaration.kind not in {"kernel", "device"}:
                continue
            if not name or not re.fullmatch(r"[A-Z][A-Z0-9_]{1,40}", name):
                continue
            used = [session.codes[x.path].split(b"\n")[x.diagnostic.line - 1]]
            used += session.closure.macros.values()
            number = re.compile(rb"\b%s\b(?!\s*(?:\(|[*&]?\s*\w+\s*[=;,)]))" % name.encode())
            if name in session.guesses or not all(
                number.search(line) for line in used if name.encode() in line
            ):
                continue
            session.guesses[name] = "256" if _LARGE.search(name) else "16"
            found = True
        return found

    # --- the user's own errors -------------------------------------------------------------------

    def _genuine(self, located: list[_Located]) -> list[_Located]:
        session = self.session
        if not any(x.declaration.kind in {"kernel", "device"} for x in located):
            return []
        doubts = Doubts(
            bool(session.closure.missing or session.guesses),
            set(session.removed),
            {m.decode("latin-1") for m in session.closure.macros},
            self._is_fragment(),
            session.words(),
        )
        found = []
        for x in located:
            piece = session.codes[x.path][x.declaration.start : x.declaration.end]
            if is_genuine(x.diagnostic, x.declaration, piece.decode("utf-8", "replace"), doubts):
                found.append(x)
        return found

    def _blame(self, located: list[_Located]) -> bool:
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
                    self._readable(x.diagnostic.text),
                )
            )
        for path, start in sorted(blamed, key=lambda b: b[1], reverse=True):
            one = next(x for x in located if (x.path, x.declaration.start) == (path, start))
            self.session.remove(path, one.declaration, self._reason(one))
        return True

    # --- names -----------------------------------------------------------------------------------

    def _readable(self, text: str) -> str:
        """A message with the files' own names in place of the compiler's."""
        for alias, path in self.session.closure.aliases.items():
            text = re.sub(rf"(?<![\w-]){re.escape(alias)}\b", lambda _, p=path: p.name, text)
        return text

    def _real_paths(self, ptx: str) -> str:
        """PTX whose `.file` directives name the user's files and nothing of this machine's."""
        aliases = self.session.closure.aliases

        def put(match: re.Match[str]) -> str:
            name = match[2].replace("\\", "/")
            path = aliases.get(name.rsplit("/", 1)[-1])
            if path is not None:
                shown = path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
            else:
                own = re.search(r"(?:^|/)(perflint/\w+\.h)$", name)
                shown = own[1] if own else match[2]
            return f'{match[1]}"{shown}"'

        return re.sub(r'^(\s*\.file\s+\d+\s+)"([^"\n]*)"', put, ptx, flags=re.MULTILINE)


#: Remedies that are headers of ours.
_OWN_ONLY = frozenset({"curand_kernel.h", "cooperative_groups.h"})


def _wants_more(diagnostic: Diagnostic) -> bool:
    """Is the message about something that a light header of ours does not have?"""
    return diagnostic.file.startswith("perflint/") or "cooperative_groups" in diagnostic.text


def _first_message(log: str) -> str:
    diagnostics = parse(log)
    if diagnostics:
        return diagnostics[0].text
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[0].strip() if lines else "the compiler gave no reason"
