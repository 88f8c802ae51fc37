"""What a compiler's messages lead to: the gentlest remedy there is for them.

A header of CUDA's, a host function given back, the user's error recorded, host code blanked, a
macro guessed, device code blanked, and a kernel last. Every loss is kept with the message that led
to it. No remedy changes what a kernel computes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.known_headers import (
    CCCL_FOLDERS,
    may_be_the_projects,
    wants_full_groups,
)
from perflint.frontend.model import CompileError
from perflint.frontend.nvrtc.absent import (
    declared_types,
    is_type_only,
    leave_out_absent,
    leave_out_unknown,
    leave_out_users,
)
from perflint.frontend.nvrtc.diagnostics import Diagnostic, parse, readable
from perflint.frontend.nvrtc.enclosing_declaration import RANK, Declaration, enclosing
from perflint.frontend.nvrtc.genuine import NEWER, Doubts, is_genuine, strays
from perflint.frontend.nvrtc.guesses import (
    empty_specifiers,
    expect_counter,
    expect_empty,
    expect_insisted,
    guess_macros,
    take_absent_conditions,
    unwrap_declarations,
)
from perflint.frontend.nvrtc.needed_macros import wanted_by_messages
from perflint.frontend.nvrtc.remedies import (
    NAME_MAP,
    Located,
    add_headers,
    drop_refused_instances,
    drop_unknown_instances,
    empty_host_headers,
    expect_dialect,
    expect_host_marks,
    expect_legacy_math,
    expect_libraries,
    expect_long,
    expect_std,
    free_host_members,
    give_headers_back,
    make_constants,
    narrow_down,
    refused_expressions,
    source_line,
    take_dialect,
    take_host_classes,
    take_long,
    take_once,
    take_pytorch_flags,
    take_specialisations,
    try_long,
)
from perflint.frontend.nvrtc.result import Loss, Result
from perflint.frontend.nvrtc.session import NAMES, Session
from perflint.frontend.nvrtc.templates import Instance
from perflint.frontend.nvrtc.trials import messages_of, settle_trials

#: What a type is refused for, whatever number stands beside it.
_OF_TYPES = pattern(
    r"class type|must be a class|\(pointer-to-\) function type|has no member"
    r"|must have pointer-to-object type|must be a pointer"
)
#: What it is refused for as only a pointer would be taken.
_NO_POINTER = pattern("must have pointer-to-object type|must be a pointer")
#: What it is refused for as no float would be taken.
_NO_FLOAT = pattern("must have integral")
#: What it is refused for as no other number would be taken.
_NO_NUMBER = pattern("class type|must be a class")
#: That something is called that is neither a function nor an object of a functor's class, or asked
#: for what only a class's own scope has.
_NO_OTHER = pattern(
    r"apparent call must have \(pointer-to-\) function type|without appropriate operator\(\)"
    r'|name followed by "::" must be a class or namespace name'
)
#: That a type is no class, or has no such member; and the member that is asked for.
_NO_CLASS = pattern(r'must have (?:\(?pointer-to-\)?)?class type but it has type "([^"]+)"')
_LACKS = pattern(r'\Aclass "([^"]+)" has no member "(\w+)"')
_ACCESSED = pattern(r"\w+(?:\s*\[[^\[\]]*\])*\s*(?:\.|->)\s*(?:template\s+)?(\w+)")
#: The members that a type to try may have.
_OF_VECTORS = ("x", "y", "z", "w")
#: Of a function that was left out: it is declared, and what calls it calls nothing else.
_DECLARED_BEFORE = '"= delete" can only appear'
#: What a name that a header would declare leads to, beside being called undefined.
_UNKNOWN_NAME = pattern(
    'name followed by "::"|has no (?:member)?|not a class or struct|not a template'
)


class Repair:
    """Mends one session by what the compiler says of it."""

    def __init__(
        self,
        session: Session,
        result: Result,
        is_fragment: Callable[[], bool],
        thorough: bool,
        given: frozenset[str],
    ) -> None:
        """What is lost and blamed is told in `result`; the rest is as for `Compiler`."""
        self.session, self.result = session, result
        self.compiled = False  #: all has, but instances with assumed arguments
        self._cut = False  #: something was left out for what the compiler said
        self._before: set[tuple[str, int]] = set()  #: files' lines with errors before that
        self._is_fragment, self._thorough, self._given = is_fragment, thorough, given
        expect_dialect(session)
        expect_empty(session)
        expect_counter(session)
        expect_insisted(session, given)
        expect_host_marks(session)
        expect_std(session)
        expect_legacy_math(session)
        expect_libraries(session)
        expect_long(session)
        leave_out_absent(session, result)

    def is_about(self, log: str, instances: Sequence[Instance]) -> bool:
        """Are all messages about these instances, and none about anything else?"""
        diagnostics = parse(log)
        names = {"".join(i.expression.split()) for i in instances}
        about = _about(i.kernel for i in instances)
        return refused_expressions(diagnostics) <= names and all(
            d.file == NAME_MAP
            or about.search(d.context)
            or any(_lacks_body(i, (d,)) for i in instances)
            for d in diagnostics
        )

    def concerns(self, log: str, instances: Sequence[Instance]) -> bool:
        """Is any message about these instances, or about the names of any?"""
        about = _about(i.kernel for i in instances)
        return any(
            d.file in (NAME_MAP, NAMES)
            or about.search(d.context)
            or any(_lacks_body(i, (d,)) for i in instances)
            for d in parse(log)
        )

    def help(self, log: str, beside: Collection[Instance] = ()) -> bool:
        """Take the gentlest remedy for these messages. False if there is none.

        Those about the instances `beside`, or others of their kernels, count for nothing.
        """
        session = self.session
        diagnostics, regrouped = parse(log), False
        if not self._cut:
            self._before |= {(d.file, d.line) for d in diagnostics}
        if settle_trials(session, diagnostics):
            return True
        if beside:
            about = _about({i.kernel for i in beside})
            diagnostics = tuple(
                d
                for d in diagnostics
                if not about.search(d.context) and not any(_lacks_body(i, (d,)) for i in beside)
            )
        if "requires separate compilation mode" in log and not session.separate:
            session.separate = True
            return True
        if session.light_groups and any(_wants_full_groups(d) for d in diagnostics):
            session.light_groups = False
            diagnostics = tuple(d for d in diagnostics if not _wants_full_groups(d))
            if not any(d.file in session.closure.aliases for d in diagnostics):
                return True
            regrouped = True
        diagnostics = _without_consequences(diagnostics)
        own = [d for d in diagnostics if d.file in session.closure.aliases]
        if self._take_out_strays(own):
            return True
        named = [d for d in diagnostics if d.file in (NAME_MAP, NAMES)]
        if wanted := wanted_by_messages(session, (*own, *named)) & self._given:
            self.result.wanted = wanted
            return True
        if give_headers_back(session, named):
            return True
        # What is refused beside other errors may be refused because of them.
        if not own and (add_headers(session, named) or drop_refused_instances(session, named)):
            return True
        located = [x for d in own if (x := self._locate(d))]
        # These messages follow from no others, and others may be dealt with beside them.
        plain = [free_host_members(session, diagnostics), take_long(session, own)]
        plain += [take_specialisations(session, own), make_constants(session, located)]
        plain += [drop_unknown_instances(session, named)]
        hosts = [x.diagnostic for x in located if x.declaration.kind == "host"]
        if add_headers(session, diagnostics, hosts):
            return True
        if take_absent_conditions(session, own) or unwrap_declarations(session, located):
            return True
        if empty_specifiers(session, located) or self._give_back_called(located):
            return True
        if take_pytorch_flags(
            session, [x.diagnostic for x in located if x.declaration.kind != "host"]
        ):
            return True
        if any(plain) or take_dialect(session, own) or take_once(session, own):
            return True
        if narrow_down(session, located) or take_host_classes(session, located):
            return True
        if empty_host_headers(session, located):
            return True
        if self.compiled and self._drop_assumed(own):
            return True
        host = [x for x in located if RANK[x.declaration.kind] <= RANK["host"]]
        if host:
            return self._remove_with_unknown(host, located if session.closure.missing else ())
        if regrouped:  # what else there is may come from what was left out
            return True
        types = [x for x in located if x.declaration.kind == "type"]
        if located and not types and not self._thorough and self._is_fragment():
            return False
        if self._drop_assumed(own):
            return True
        genuine = self._genuine(located)
        if genuine and try_long(session):
            return True
        if genuine:
            return self._blame(genuine)
        if guess_macros(session, located):
            return True
        if located:
            lowest = min(RANK[x.declaration.kind] for x in located)
            least = [x for x in located if RANK[x.declaration.kind] == lowest]
            return self._remove_with_unknown(least, located)
        return self._drop_any_instance(diagnostics)

    def _take_out_strays(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Go on without characters that are no part of C++, `}⏎`; those that show are blamed."""
        session, found = self.session, False
        places = {(d.file, d.line) for d in diagnostics if d.text.startswith("unrecognized token")}
        for file, number in sorted(places):
            path = session.closure.aliases[file]
            start = sum(len(text) + 1 for text in session.codes[path].split(b"\n")[: number - 1])
            for offset, character in strays(session.line(path, number)):
                end = start + offset + len(character.encode())
                stray = Declaration("host", "", start + offset, end, number, number)
                message = f"`{character}` is no part of C++"
                session.remove(path, stray, message)
                found = True
                if character.isprintable():
                    self.result.errors.append(CompileError(path, number, offset + 1, message))
        return found

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
        name = declaration.own_name
        if declaration.kind == "host" and name in self.session.keep:  # taken for device code
            declaration = replace(declaration, kind="device")
        return Located(diagnostic, path, declaration)

    def _drop_assumed(self, diagnostics: list[Diagnostic]) -> bool:
        """Give up instances whose bodies do not compile and that were assumed or have others."""
        contexts = " ".join(d.context for d in diagnostics)
        bad = [
            i
            for i in self.session.instances
            if (
                (i.assumed or self.session.spare.get(i.kernel))
                and re.search(rf"\b{re.escape(i.kernel)}[<(]", contexts)
            )
            or (i.assumed and _lacks_body(i, diagnostics))
        ]
        for instance in bad:
            about = re.compile(rf"\b{re.escape(instance.kernel)}[<(]")
            first = next((d for d in diagnostics if about.search(d.context)), None)
            if first is not None and (x := self._locate(first)) is not None:
                self.session.refusals.setdefault(instance.kernel, (instance, self._reason(x)))
                mine = (d for d in diagnostics if about.search(d.context))
                if instance.assumed and any(self._wants_a_class(d, instance) for d in mine):
                    self.session.keep_specialised(instance.kernel)
                elif _NO_FLOAT.search(first.text):
                    self.session.give_up_floats(instance)
                elif _OF_TYPES.search(first.text):
                    self.session.give_up_types(
                        instance,
                        bool(_NO_NUMBER.search(first.text)),
                        bool(_NO_POINTER.search(first.text)),
                    )
        self.session.note_refused(
            i.expression
            for i in bad
            if i.assumed and not any(d.absent for d in messages_of(i, diagnostics))
        )
        self.session.give_up(bad)
        return bool(bad)

    def _wants_a_class(self, diagnostic: Diagnostic, instance: Instance) -> bool:
        """Has an assumed argument no member, call or scope that none of those to try has either?"""
        if _NO_OTHER.search(diagnostic.text):
            return True
        if match := _LACKS.search(diagnostic.text):
            of, member = match[1], match[2]
        elif match := _NO_CLASS.search(diagnostic.text):
            line = source_line(self.session, diagnostic)[diagnostic.column - 1 :]
            accessed = _ACCESSED.match(line)
            of, member = match[1], accessed[1] if accessed else ""
        else:
            return False
        given = {re.sub(r"\W|const", "", a) for a in instance.arguments}
        return re.sub(r"\W|const", "", of) in given and member not in ("", *_OF_VECTORS)

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
            self.give_back(called)
        return bool(called)

    def give_back(self, names: set[str]) -> None:
        """Take host functions for device code, which calls them."""
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
        types: dict[bytes, str] = {}
        # From the end, so that what comes before stays where it is.
        for key in sorted(groups, key=lambda k: k[1], reverse=True):
            x = min(groups[key], key=self._weight)
            reason = self._reason(x)
            told = x.diagnostic.text.startswith(_DECLARED_BEFORE)
            if x.declaration.kind in {"kernel", "device", "type"} and not told:
                self.result.losses.append(Loss(x.path, x.declaration, reason))
            if x.declaration.kind == "directive" and x.diagnostic.fatal:
                self.result.remarks.append(f"{x.path}:{x.declaration.line}: left out: {reason}")
            # The compiler reads no further than a header that it cannot open.
            self._cut |= x.declaration.kind != "directive" or not x.diagnostic.fatal
            types |= dict.fromkeys(declared_types(self.session, x.path, x.declaration), reason)
            first = min(self._offset(each) for each in groups[key])
            self.session.remove(x.path, x.declaration, reason, first)
        leave_out_users(self.session, self.result, types)
        return bool(located)

    def _remove_with_unknown(self, located: list[Located], every: Iterable[Located]) -> bool:
        """Blank what these messages point into, and what names types of which any says none is."""
        unknown = self._unknown_types(every)  # as things stand before
        removed = self._remove(located)
        leave_out_unknown(self.session, self.result, unknown)
        return removed

    def _unknown_types(self, located: Iterable[Located]) -> dict[bytes, str]:
        """What device code has for types and nothing in sight declares, with what is said of it."""
        session = self.session
        device = [x for x in located if RANK[x.declaration.kind] > RANK["host"]]
        names = {name: x for x in device if (name := x.diagnostic.undefined)}
        return {
            name.encode(): self._reason(x)
            for name, x in names.items()
            if name.encode() not in session.closure.macros
            and name not in session.removed
            and is_type_only(session, name.encode())
        }

    def _offset(self, located: Located) -> int:
        """Where a message points, in what is compiled."""
        code, line = self.session.codes[located.path], located.diagnostic.line
        before = code.split(b"\n", line - 1)[: line - 1]
        return sum(len(text) + 1 for text in before) + located.diagnostic.column - 1

    def _message(self, located: Located) -> str:
        """The compiler's message, or what is behind it."""
        line = self.session.line(located.path, located.diagnostic.line)
        if located.diagnostic.syntax and not line.isascii():
            return "CUDA's compilers take only ASCII characters in the names of device code"
        return self._named(located.diagnostic.text)

    def _weight(self, located: Located) -> int:
        """Which of a declaration's messages tells most: one that names what is lacking."""
        name = located.diagnostic.lacked
        return 0 if name in self.session.removed else 1 if name else 2

    def _named(self, text: str) -> str:
        return readable(text, self.session.closure.aliases)

    def _reason(self, located: Located) -> str:
        """The first message about the declaration, or what it follows from."""
        diagnostic = located.diagnostic
        name = diagnostic.lacked
        if name in self.session.removed:
            return f"it needs `{name}`, which did not compile: {self.session.removed[name]}"
        text = self._named(diagnostic.text)
        # CUDA's own are there; what of them we do not compile is not a matter of folders.
        absent = self.session.closure.missing
        missing = [h for h in absent if not h.startswith(CCCL_FOLDERS) or may_be_the_projects(h)]
        if missing and (name or _UNKNOWN_NAME.search(text)):
            headers = ", ".join(missing[:3])
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
            any(map(NEWER.search, session.codes.values())),
        )
        found, unknown = [], set()
        for x in device:
            if x.declaration.kind == "kernel" and not x.declaration.name:
                continue  # `__global__ void` before an `#if` that has the rest
            piece = session.codes[x.path][x.declaration.start : x.declaration.end]
            if x.declaration.broken and not session.is_whole(x.path, x.declaration):
                continue  # it may be what was left out that broke it
            if x.diagnostic.syntax and (x.diagnostic.file, x.diagnostic.line) not in self._before:
                continue  # what was left out around it may have made it
            if is_genuine(x.diagnostic, x.declaration, piece.decode("utf-8", "replace"), doubts):
                found.append(x)
            elif x.diagnostic.undefined or _UNKNOWN_NAME.search(x.diagnostic.text):
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


def _about(kernels: Iterable[str]) -> re.Pattern[str]:
    """Finds instances of these kernels in what the compiler was about."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, kernels))})[<(]")


def _without_consequences(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Without messages about templates that are given what another message refuses."""
    left = tuple(d for d in diagnostics if "<error-type>" not in d.context)
    return left or diagnostics


_NO_BODY = pattern(r"\[with (.*)\]\W*was referenced but not defined")


def _lacks_body(instance: Instance, diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether an instance may be what asks for a template of which only some types have a body."""
    given = (m[1] for d in diagnostics if (m := _NO_BODY.search(d.text)))
    with_types = {part.partition("=")[2] for each in given for part in each.split(", ")}
    return not with_types.isdisjoint(instance.arguments)


def _wants_full_groups(diagnostic: Diagnostic) -> bool:
    text = f"{diagnostic.file} {diagnostic.text} {diagnostic.context}"
    return wants_full_groups(text, diagnostic.absent)


def first_message(log: str) -> str:
    """What a log says first."""
    diagnostics = parse(log)
    if diagnostics:
        return diagnostics[0].text
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[0].strip() if lines else "the compiler gave no reason"
