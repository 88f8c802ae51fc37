"""Which of a build's macros a source does not do without.

Nothing is taken from a build file that nobody missed: `-DDEBUG` and its like change the program.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from perflint.base.patterns import pattern
from perflint.frontend.closure import Closure, SourceFile
from perflint.frontend.directives import every_definition, includes
from perflint.frontend.nvrtc.blank import device_macros, mentions_device
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.source.language.model import SourceFacts, SourceKernel

_WORD = pattern(r"[A-Za-z_]\w*")
_CONDITIONAL = pattern(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE
)
#: What asks for nothing but that a macro be defined; a comparison only of CUDA_VERSION.
_SWITCH = pattern(
    r"#\s*if(?:def)?\s+(?:defined\b)?[\s(]*([A-Za-z_]\w*)[\s)]*"
    r"|#\s*if\s+[\s(]*(CUDA_VERSION)\s*>=?\s*\d+[\s)]*"
)
_INSISTS = pattern(
    rb"^[ \t]*#[ \t]*(?:ifndef[ \t]+(\w+)|if[ \t]+![ \t]*defined\b[ \t(]*(\w+)[ \t)]*)[ \t]*\r?\n"
    rb"[ \t]*#[ \t]*error\b",
    re.MULTILINE,
)
_CONDITIONAL_OR_ERROR = pattern(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|error)\b((?:[^\n\\]|\\\r?\n|\\.)*)",
    re.MULTILINE,
)
_HIDES_KERNELS = pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+__global__[ \t]*(?://[^\n]*)?\r?$", re.MULTILINE
)
#: CUDA's headers, and a project's for CUDA.
_OF_CUDA = pattern(rb'^[ \t]*#[ \t]*include[ \t]*[<"][^\n<>"]*(?:cuda|cublas)', re.MULTILINE)
_GUARDED = pattern(rb"\s*#[ \t]*define[ \t]+(\w+)")
_UNDEFINED = pattern(r"ifndef[ \t]+(\w+)[ \t\r]*\Z|if[ \t]+![ \t]*defined\b[ \t(]*(\w+)[ \t)\r]*\Z")
_FALSE = pattern(r"if[ \t]*![ \t]*\(?[ \t]*([A-Za-z_]\w*)[ \t]*\)?[ \t\r]*\Z")
_COMPARED = pattern(r"(?:el)?if[ \t(]+([A-Za-z]\w*)[ \t]*==[ \t]*\w+[ \t)\r]*\Z")
#: A macro, a class, an alias, or what a type stands before.
_DECLARED = (
    rb"^[ \t]*#[ \t]*define[ \t]+%(name)s\b"
    rb"|\b(?:struct|class|union|enum|using|namespace)\s+%(name)s\b"
    rb"|[\w>][\s*&]+%(name)s\s*[=;(\[{]"
)
#: What stands between a name and what declares it, of which the last word is a keyword, perhaps.
_BETWEEN = frozenset(b" \t\n\r\f\v*&")
_LAST_WORD = pattern(rb"\w+\Z")
_LONGEST = len("namespace")
#: cuda.h's own, from what the compiler says of itself.
VERSION = "(__CUDACC_VER_MAJOR__*1000+__CUDACC_VER_MINOR__*10)"


def wanted_by_messages(session: Session, diagnostics: Iterable[Diagnostic]) -> frozenset[str]:
    """The names that messages call undefined, and those that an `#error` asks to define."""
    names: set[str] = set()
    for diagnostic in diagnostics:
        name = diagnostic.absent or ""
        if name.isidentifier():
            body = session.closure.macros.get(name.encode(), b"")
            codes = [file.code for file in session.closure.files.values()]
            names |= {name, *_WORD.findall(body.decode("latin-1")), *_tested_for(codes, name)}
        elif diagnostic.text.startswith("#error") and diagnostic.file in session.closure.aliases:
            path = session.closure.aliases[diagnostic.file]
            names |= tested_around(session.closure.files[path].code, diagnostic.line)
    return frozenset(names)


def _tested_for(codes: Iterable[bytes], name: str) -> frozenset[str]:
    """The names in the conditions under which a macro is defined, or a type or function declared.

    A whole header may stand in an `#ifdef`.
    """
    return frozenset().union(*(_tested_in(code, name.encode()) for code in codes))


@lru_cache(maxsize=1 << 14)
def _tested_in(code: bytes, name: bytes) -> frozenset[str]:
    """The same in one source: each round of a compilation asks, mostly of what is not there."""
    ends = _declared_at(code, name)
    return frozenset().union(*(_tested_at(code, code.rfind(b"\n", 0, end) + 1) for end in ends))


def _declared_at(code: bytes, name: bytes) -> Iterator[int]:
    """Where declarations of a name end.

    A pattern that begins with any letter would be tried at each letter of the source: what may
    stand before the name is looked at from the name on.
    """
    declared: re.Pattern[bytes] | None = None
    at = code.find(name)
    while at >= 0:
        before = at
        while before and code[before - 1] in _BETWEEN:
            before -= 1
        if before < at:
            declared = declared or re.compile(_DECLARED % {b"name": name}, re.MULTILINE)
            word = _LAST_WORD.search(code[max(0, before - _LONGEST) : before])
            keyword = before - len(word[0]) if word else before
            starts = (code.rfind(b"\n", 0, at) + 1, keyword, max(0, before - 1))
            matches = (declared.match(code, start) for start in starts)
            if (match := next(filter(None, matches), None)) is not None:
                yield match.end()
        at = code.find(name, at + 1)


def tested_around(code: bytes, line: int) -> frozenset[str]:
    """The names in the conditions of each `#if … #elif … #endif` that a line stands in."""
    return _tested_at(code, sum(len(text) + 1 for text in code.split(b"\n", line - 1)[: line - 1]))


def _tested_at(code: bytes, at: int) -> frozenset[str]:
    """The same of the line that begins at an offset."""
    starts, names = _conditions(code)
    number = bisect_right(starts, at)
    return names[number - 1] if number else frozenset()


@lru_cache(maxsize=1024)
def _conditions(code: bytes) -> tuple[Sequence[int], Sequence[frozenset[str]]]:
    """Where each line of a condition begins, and the names in those of the chains open from it."""
    chains: list[set[str]] = []
    starts, names = [], []
    for match in _CONDITIONAL.finditer(code):
        if match[1].startswith(b"if"):
            chains.append(set())
        elif match[1] == b"endif" and chains:
            chains.pop()
        if chains:
            chains[-1] |= set(_WORD.findall(match[2].decode("latin-1"))) - {"defined"}
        starts.append(match.start())
        names.append(frozenset().union(*chains))
    return starts, names


def wanted_by_conditions(session: Session, present: Collection[str]) -> frozenset[str]:
    """The names in the `#if`s that switch kernels off which are not among those `present`."""
    off = (
        kernel.condition
        for kernel in session.kernels[session.main]
        if kernel.condition and kernel.name not in present
    )
    return frozenset(name for text in off for name in _WORD.findall(text) if name != "defined")


def wanted_by_stand_ins(closure: Closure) -> frozenset[str]:
    """The names that decide whether `__global__` is a macro for nothing.

    What defines it so is there for compilers without CUDA, and no kernel is one with it.
    """
    hiding = {p for p, f in closure.files.items() if _HIDES_KERNELS.search(f.code)}
    found: set[str] = set()
    for file in closure.files.values() if hiding else ():
        lines = [
            file.code.count(b"\n", 0, m.start()) + 1 for m in _HIDES_KERNELS.finditer(file.code)
        ]
        for include in includes(file.code):
            resolution = file.resolutions.get((include.name, include.quoted))
            if resolution is not None and resolution.path in hiding:
                lines.append(include.line)
        found = found.union(*(tested_around(file.code, line) for line in lines))
    return frozenset(found)


def wanted_by_kernels(kernels: Collection[SourceKernel]) -> frozenset[str]:
    """The names in the `#if`s that switch all of a file's kernels off."""
    if any(kernel.active for kernel in kernels):
        return frozenset()
    words = (_WORD.findall(kernel.condition) for kernel in kernels)
    return frozenset(name for found in words for name in found if name != "defined")


def wanted_by_device_code(files: Iterable[SourceFile], names: Collection[str]) -> frozenset[str]:
    """Those of the names of which an `#if` asks that they be defined, with device code in it.

    Or with what device code needs: one of CUDA's headers, or one of the files with device code.
    """
    if not names:
        return frozenset()
    files = tuple(files)
    macros = device_macros(every_definition(f.code for f in files))
    codes = {f.path: f.code for f in files}
    words = [name.encode() for name in names]
    found: set[str] = set()
    for file in files:
        if any(word in file.code for word in words):
            behind = {
                key: codes.get(r.path, b"")
                for key, r in file.resolutions.items()
                if r.path is not None
            }
            found.update(_switching(file.code, macros, behind))
    return frozenset(found.intersection(names))


def insisted(codes: Iterable[bytes]) -> frozenset[str]:
    """The names without which a source is an error: `#ifndef NAME` before an `#error`."""
    return frozenset(
        (match[1] or match[2]).decode("latin-1")
        for code in codes
        if b"error" in code
        for match in _INSISTS.finditer(code)
    )


def insisted_on(codes: Iterable[bytes]) -> frozenset[str]:
    """The names of which every source's first condition insists that they have a known value.

    `#ifndef NAME` before an `#error`, or `#if NAME == 32 … #elif NAME == 64 … #else` before one,
    under no other condition than the include guard.
    """
    return frozenset(name for code in codes if b"error" in code for name in _insisting(code))


def _insisting(code: bytes) -> Iterator[str]:
    for conditions, _ in _errors(code):
        yield from _asked_for(conditions)


def insisting_errors(code: bytes) -> Iterator[tuple[str, bool, int, int]]:
    """Each `#error` of a source that only the value of one macro decides on, as `insisted_on` has.

    With the macro's name, whether it has to be true, and where the line begins and ends: `#ifndef
    NAME` is content with whatever it is, `#if !NAME` is not.
    """
    for conditions, (start, end) in _errors(code):
        if len(conditions) == 1 and (match := _FALSE.match(conditions[0])):
            yield match[1], True, start, end
        elif len(conditions) == 1 and (match := _UNDEFINED.match(conditions[0])):
            yield match[1] or match[2], False, start, end


def _errors(code: bytes) -> Iterator[tuple[Sequence[str], tuple[int, int]]]:
    """Each `#error` under no other condition than one chain of them and the include guard."""
    chains: list[list[str]] = []  #: the conditions of each `#if … #elif … #else`
    for match in _CONDITIONAL_OR_ERROR.finditer(code):
        word, rest = match[1].decode(), match[2].decode("latin-1")
        if word.startswith("if"):
            guard = _GUARDED.match(code, match.end()) if word == "ifndef" else None
            chains.append([f"{word} {rest}"])
            if guard is not None and guard[1].decode() in _WORD.findall(rest):
                chains.pop()
                chains.append([])
        elif word == "endif":
            chains = chains[:-1]
        elif word in ("elif", "else") and chains:
            chains[-1].append(f"{word} {rest}")
        elif word == "error" and chains and not any(chains[:-1]):
            yield chains[-1], match.span()


def _asked_for(conditions: Sequence[str]) -> set[str]:
    """The one name that a chain's last condition says is undefined or has no known value."""
    if len(conditions) == 1:
        match = _UNDEFINED.match(conditions[0])
        return {match[1] or match[2]} if match else set()
    if not conditions or not conditions[-1].startswith("else"):
        return set()
    compared = [_COMPARED.match(each) for each in conditions[:-1]]
    names = {match[1] if match else "" for match in compared}
    return names if len(names) == 1 and "" not in names else set()


def _switching(
    code: bytes, macros: frozenset[bytes], behind: Mapping[tuple[str, bool], bytes]
) -> Iterator[str]:
    """The names in each `#ifdef NAME` and its like whose branch has device code.

    `behind` are the codes of what is included, by (name, quoted).
    """
    open_ones: list[tuple[str, int]] = []
    for match in _CONDITIONAL.finditer(code):
        if not match[1].startswith(b"if") and open_ones:
            name, start = open_ones.pop()
            branch = code[start : match.start()]
            if name and (
                mentions_device(branch, macros)
                or _OF_CUDA.search(branch)
                or any(
                    mentions_device(behind.get((i.name, i.quoted), b""), macros)
                    for i in includes(branch)
                )
            ):
                yield name
        if match[1] in {b"else", b"elif"}:
            open_ones.append(("", match.end()))
        elif match[1].startswith(b"if"):
            switch = _SWITCH.fullmatch(match[0].decode("latin-1").strip())
            open_ones.append((switch[1] or "" if switch else "", match.end()))


def switches(kernels: Iterable[SourceKernel], defined: Collection[str]) -> Mapping[str, str]:
    """What would switch kernels on, all of which an `#if` switches off: name → value.

    Only for `#ifdef NAME` and its like, where nothing in sight (`defined`) says what it is; a
    comparison with CUDA_VERSION is taken to be about the compiler's own.
    """
    found: dict[str, str] = {}
    for kernel in kernels:
        match = _SWITCH.fullmatch(kernel.condition)
        name = "" if match is None else match[1] or match[2]
        if not name or name in defined:
            return {}
        found[name] = VERSION if name == "CUDA_VERSION" else "1"
    return found


def wanted_by_launches(facts: Iterable[SourceFacts], codes: Collection[bytes]) -> frozenset[str]:
    """The names in launches' extents that are not known, and that no source declares.

    With those in the conditions under which a macro of that name is defined.
    """
    names = {
        name
        for fact in facts
        for site in fact.launches
        for extent in (site.block, site.grid)
        if extent.value is None
        for name in _WORD.findall(f"{extent.text} {extent.x.text} {extent.y.text} {extent.z.text}")
    }
    unknown = [name for name in names if not any(_declares(c, name) for c in codes)]
    return frozenset(unknown).union(*(_tested_for(codes, name) for name in unknown))


def _declares(code: bytes, name: str) -> bool:
    return bool(re.search(rb"\w[\s*&]+%s\s*[=;,()\[{]" % name.encode(), code))
