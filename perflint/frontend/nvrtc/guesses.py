"""Macros that nothing in sight defines, and what they are taken to be: nothing, or a number.

A name that the sources use otherwise, or declare, is no such macro: as one it would break what is
right, in a round in which nothing could tell any more why.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from perflint.base.patterns import pattern
from perflint.frontend.nvrtc.blank import Cut
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.needed_macros import insisting_errors
from perflint.frontend.nvrtc.remedies import Located, source_line, word_at
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.source.language.namespace_macros import around_namespaces
from perflint.frontend.source.language.preprocessor import PREDEFINED

_MACRO = pattern(r"_*[A-Z][A-Z0-9_]{0,40}")
#: What no build defines: constants of CUDA's own, which are no sizes.
_OF_CUDA = "CUDART_"
#: A macro that the build defines is a number, a block's size more often than not.
_LARGE = pattern("THREAD|TPB|NUM|SIZE_X|BLOCK_?SIZE")
#: `API`, or more of its kind, then a type and what has it, or a constructor of a class with small
#: letters.
_SPECIFIED = (
    rb"\s*(?:template\s*<[^<>]*>\s*)?%s\s+(?:[A-Z_][A-Z0-9_]+\s+)*(?:(?:const|static|inline|constexpr|unsigned|explicit)\s+)*"
    rb"(?:[A-Za-z_][\w:]*(?:<[^;(){}]*>)?[\s*&]+(?:operator\b|[A-Za-z_]\w*\s*[(=;])"
    rb"|[A-Z]\w*[a-z]\w*\s*\([^;{}]*\)\s*(?::|\{|$))"
)
_NOT_COMPLETE = pattern(r'incomplete type "(?:\w+::)*(\w+)"')
_CLASS_SPECIFIER = pattern(rb"\b(?:class|struct)\s+([A-Z_][A-Z0-9_]*)\s+[A-Za-z_]\w*")
#: `class API Name {`, `enum class API Name : int {`: of two words the first is a macro, unless it
#: is a class itself and has a variable, `struct Node list{…}`.
_BEFORE_A_CLASS = pattern(
    r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+([A-Z_][A-Z0-9_]+)\s+"
    r"[A-Za-z_]\w*\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{"
)
_WRAPPED = pattern(rb"([A-Z_][A-Z0-9_]*)\s*\(\s*[A-Za-z_][\w:]*[\s*&]+\w+\s*\(")
_COUNTER = b"__COUNTER__"
#: A macro called in an `#if`, where it is not defined.
_IN_CONDITION = "function call is not allowed in a constant expression"
_CALLED = pattern(r"\b([A-Za-z_]\w*)\s*\(")
_NO_CODE = pattern(
    rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*",
    re.DOTALL | re.MULTILINE,
)
#: What a specifier does not stand before: it says something of a declaration.
_NOT_BEFORE = rb"\b%s\s*(?:[,)>\]\[.=<+\-/?:|%%^!]|&&|\*\s*[\d(])"
#: A type and a name behind it that it declares, among the parameters of a template, too.
_DECLARES = rb"\b([A-Za-z_]\w*)(?:<[^<>;{}]*>)?\s+%s\s*(?:[=;,\[{)>])"
_NO_TYPES = frozenset(b"return case goto throw else new delete sizeof".split())
_ENUMERATORS = pattern(rb"\benum\b[^{};()]*\{([^{}]*)\}")


def expect_empty(session: Session) -> None:
    """What stands alone before a namespace is a macro: an empty one if nothing defines it.

    So is what stands between `class` and a class's name.
    """
    given = {name.decode("latin-1") for name in session.closure.macros} | session.defined
    before_classes: set[str] = set()
    for code in session.own_codes.values():
        text = code.decode("latin-1")
        if "namespace" in text:
            session.guesses |= dict.fromkeys(around_namespaces(text) - given, "")
        before_classes.update(_BEFORE_A_CLASS.findall(text))
    unknown = before_classes - given - session.guesses.keys()
    session.take_as_empty(n for n in unknown if not _is_class(session, n.encode()))


def expect_counter(session: Session) -> None:
    """Take the line for `__COUNTER__`, which nvcc's host compiler has, and NVRTC not.

    It makes names that differ, more often than not: in two lines they do.
    """
    if any(_COUNTER in code for code in session.own_codes.values()):
        session.guesses[_COUNTER.decode()] = "__LINE__"


def expect_insisted(session: Session, given: Collection[str]) -> None:
    """Take what a file insists on, and neither the sources nor a build (`given`) define, as said.

    `#ifndef GPU` before an `#error` goes without; after `#if !GPU` before one, it is 1, where the
    file is one whose kernels are wanted: others may be included under that condition only. What a
    compiler defines is left to it: `#if !__cplusplus`.
    """
    known = {n.decode("latin-1") for n in session.closure.macros} | session.defined | {*given}
    known |= PREDEFINED.keys()
    for path, code in session.own_codes.items():
        found = [e for e in insisting_errors(code) if e[0] not in known] if b"#" in code else []
        found = [e for e in found if not e[1] or (path in session.own and e[0][:2] != "__")]
        session.guesses |= {name: "1" for name, is_true, _, _ in found if is_true}
        session.cut(path, [Cut(start, end, "") for _, _, start, end in found])


def _is_class(session: Session, name: bytes) -> bool:
    """Is a name declared as a class's own?"""
    declared = re.compile(rb"\b(?:class|struct|union|enum)\s+%s\s*[:;{]" % name)
    return any(declared.search(code) for code in session.own_codes.values())


def empty_specifiers(session: Session, located: Iterable[Located]) -> bool:
    """An undefined macro before a declaration is a specifier: `API float f(…)`."""
    found = set()
    for x in located:
        text = x.diagnostic.text
        if text.startswith(("this declaration has no storage class", "explicit type is missing")):
            found.add(word_at(session, x.diagnostic))
        elif (name := x.diagnostic.undefined) and _is_specifier(session, x, name):
            found.add(name)
        elif match := _NOT_COMPLETE.match(text):  # `class API Name {…}`
            found |= {match[1]} & _class_specifiers(session, x)
    found = {w for w in found if _MACRO.fullmatch(w) and w not in session.guesses}
    known = (
        session.closure.macros.keys() - session.specifier_macros
    )  # else: in a branch that is off
    found = {w for w in found if w.encode() not in known}
    found = {w for w in found if len(w) > 1 and _may_specify(session, w.encode())}
    session.take_as_empty(found)
    return bool(found)


def _may_specify(session: Session, name: bytes) -> bool:
    """Does a declaration follow a name wherever it stands?"""
    other = re.compile(_NOT_BEFORE % name)
    return not any(other.search(text) for text in _with_word(session, name))


def _is_declared(session: Session, name: bytes) -> bool:
    """Do the sources declare a name, if only where the compiler did not see it?"""
    by_type = re.compile(_DECLARES % name)
    word = re.compile(rb"\b%s\b" % name)
    return any(
        any(kind not in _NO_TYPES for kind in by_type.findall(text))
        or any(word.search(listed) for listed in _ENUMERATORS.findall(text))
        for text in _with_word(session, name)
    )


def _with_word(session: Session, name: bytes) -> Iterator[bytes]:
    """The sources that have a word in them, without comments and directives."""
    for file in session.closure.files.values():
        if name in file.code:
            yield _NO_CODE.sub(b" ", file.code)


def _class_specifiers(session: Session, located: Located) -> set[str]:
    """The words between `class` and a class's name in a line."""
    line = session.line(located.path, located.diagnostic.line)
    return {word.decode("latin-1") for word in _CLASS_SPECIFIER.findall(line)}


def unwrap_declarations(session: Session, located: Iterable[Located]) -> bool:
    """`DEPRECATED(void f(int));` is what it holds, where no branch that is on defines the macro."""
    lines = [
        session.line(x.path, x.diagnostic.line)[x.diagnostic.column - 1 :]
        for x in located
        if x.diagnostic.text.startswith("explicit type is missing")
    ]
    wraps = (match for line in lines if (match := _WRAPPED.match(line)))
    found = {f"{match[1].decode('latin-1')}(...)" for match in wraps} - session.guesses.keys()
    session.guesses |= dict.fromkeys(found, "__VA_ARGS__")
    return bool(found)


def _is_specifier(session: Session, located: Located, name: str) -> bool:
    """Does a type and the name that it declares follow a name that begins a line?"""
    line = session.line(located.path, located.diagnostic.line)
    return bool(re.match(_SPECIFIED % name.encode(), line))


def take_absent_conditions(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """`#if HAVE(X)` with a macro that nothing defines is false, as `#if HAVE` would be."""
    lines = [source_line(session, d) for d in diagnostics if _IN_CONDITION in d.text]
    called = {f"{name}(...)" for line in lines for name in _CALLED.findall(line)}
    known = {name.decode("latin-1") for name in session.closure.macros}
    found = {c for c in called if c.partition("(")[0] not in known | {"defined"}}
    new = {c for c in found - session.guesses.keys() if not c.startswith("__has_")}
    session.guesses |= dict.fromkeys(new, "0")
    return bool(new)


def guess_macros(session: Session, located: Iterable[Located]) -> bool:
    """Give undefined macros in device code a number, as the build would have."""
    found = False
    for x in located:
        name = x.diagnostic.undefined
        if x.declaration.kind not in {"kernel", "device"} or not name or len(name) < 2:
            continue
        if not _MACRO.fullmatch(name) or name in session.guesses or name.startswith(_OF_CUDA):
            continue
        if _is_number(session, x, name) and not _is_declared(session, name.encode()):
            session.guesses[name] = "256" if _LARGE.search(name) else "16"
            found = True
    return found


def _is_number(session: Session, located: Located, name: str) -> bool:
    """Is a name used as a value, not called and not a type, there and in macros that use it?"""
    line = session.line(located.path, located.diagnostic.line)
    value = re.compile(rb"\b%s\b(?!\s*(?:\(|[*&]?\s*\w+\s*[=;,)]))" % name.encode())
    uses = [t for t in (line, *session.closure.macros.values()) if name.encode() in t]
    return all(value.search(text) for text in uses)
