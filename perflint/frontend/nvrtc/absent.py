"""Leaving out at once what headers that were not found would declare, and what needs that.

`glm::vec3` without glm is an error wherever it stands, and so is what is made of it: an alias, the
classes, functions and kernels that name the alias. The compiler would tell one layer of them a
call. So are those of a type that does not compile. What stands under conditions of its own is left
to the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.known_headers import CCCL_FOLDERS
from perflint.frontend.nvrtc.enclosing_declaration import Declaration, enclosing, in_namespaces
from perflint.frontend.nvrtc.needed_macros import tested_around
from perflint.frontend.nvrtc.result import Loss, Result
from perflint.frontend.nvrtc.session import Session, own_headers
from perflint.frontend.nvrtc.undeclared import NO_CODE, bare, undeclared_scopes

#: Macros that are defined where device code is compiled.
_ON = frozenset({"__CUDACC__", "__CUDA_ARCH__", "__cplusplus", "__NVCC__"})
#: Layers of what needs what: an alias, a class, another class.
_LAYERS = 12
_NOT_A_LINE = pattern(rb"[^\r\n]")
_CONDITION = pattern(rb"^[ \t]*#[ \t]*(?:if|el|endif)", re.MULTILINE)
_TYPEDEF = pattern(rb"\btypedef\b.*?\b(\w+)\s*;\s*\Z", re.DOTALL)
#: A namespace, a class, or a macro that may name one: `namespace a::b`, `class API b`.
_NAMES = (
    rb"\bnamespace\s+(?:\w+::)*%(name)s\b(?![\w:\s]*;)|\busing\s+%(name)s\s*="
    rb"|\b(?:class|struct|union|enum|typedef|define)\s+(?:\w+(?:::|[ \t]+)){0,4}%(name)s\b(?!\s*::)"
)
_QUALIFIED = rb"(?<![\w:])(?:::)?(?:%s)"
_WORD = pattern(rb"[A-Za-z_]\w*")
_NAMED = rb"(?<![\w.])(?<!->)(?<!::)(?:%s)\b"
#: Another declaration of a name, of a type or of anything else.
_DECLARED = (
    rb"\b(?:struct|class|union|enum|using|typename|namespace)\s+(?:class\s+)?%(name)s\b"
    rb"|\b(?!return\b|const\b)[A-Za-z_]\w*(?:<[^<>;{}]*>)?[\s*&]+%(name)s\s*[=;,\[{)>]"
    rb"|,\s*%(name)s\s*[;=\[]"
)

#: A name as a type: before what has it, a pointer's star, or in the brackets of a template.
_TYPED = (
    rb"(?<![\w.:])(?<!->)%(name)s\b(?=\s*(?:const\s+)?(?:[*&]+\s*(?:const\s*|__restrict__\s*|__restrict\s*)?)?"
    rb"(?:[A-Za-z_]\w*|[)>,*]))"
)


#: What makes one of a type: `vec(0, 1)`, `vec{}`, `vec::zero()`, where it is not declared.
_MADE = (
    rb"(?<![\w.:])(?<!->)(?<!~)(?<!\bstruct )(?<!\bclass )(?<!\bunion )(?<!\benum )"
    rb"(?<!\bnamespace )%(name)s\b(?=\s*(?:[({]|::(?!\s*~)))"
)
#: A function of that name, at the begin of a declaration: `a * vec(1)` is a product.
_FUNCTION = (
    rb"(?:[;{}>]|\A)\s*(?:(?!(?:return|new|else|do|throw|case|co_return|co_yield)\b)[A-Za-z_]\w*"
    rb"(?:\s*<[^<>;{}()]*>)?[\s*&]+)+%(name)s\s*\("
)


def leave_out_absent(session: Session, result: Result) -> None:
    """Leave out what names a namespace of headers that were not found, and what names that."""
    reasons = _namespaces(session)
    members = {name: _members(session, name) for name in reasons}
    reasons = {name: why for name, why in reasons.items() if members[name]}
    others = _scopes(session, undeclared_scopes(session) - reasons.keys())
    reasons |= others
    members |= dict.fromkeys(others, rb"\s*::")
    _drop_instances(session, others)
    wanted = _QUALIFIED % b"|".join(name + members[name] for name in sorted(reasons))
    _leave_out(session, result, reasons, wanted, frozenset(others))


def _scopes(session: Session, names: Iterable[bytes]) -> dict[bytes, str]:
    """What is said of namespaces and classes that nothing in sight declares."""
    headers = ", ".join(session.closure.missing[:3])
    return {
        name: f"`{name.decode()}::` is declared by nothing in sight (headers not found: {headers}; "
        "give their folder with -I)"
        for name in sorted(names)
    }


def _drop_instances(session: Session, reasons: Mapping[bytes, str]) -> None:
    """Give up what names such a namespace as a kernel's template argument."""
    for instance in session.instances:
        for name, why in reasons.items():
            if re.search(rf"\b{name.decode()}\s*::", instance.expression):
                session.refusals.setdefault(instance.kernel, (instance, why))
                session.give_up([instance])


def leave_out_users(session: Session, result: Result, removed: Mapping[bytes, str]) -> None:
    """Leave out what names types that were left out, by (name, why), and what names that."""
    leave_out_unknown(session, result, _of_users(session, removed))


def leave_out_unknown(session: Session, result: Result, unknown: Mapping[bytes, str]) -> None:
    """Leave out what names types that nothing declares, by (name, why), and what names that."""
    _leave_out(session, result, unknown, _naming(unknown))


def _leave_out(
    session: Session,
    result: Result,
    reasons: Mapping[bytes, str],
    wanted: bytes,
    doubted: Collection[bytes] = (),
) -> None:
    """`doubted`: those of the reasons that are none for device code under a condition."""
    for _ in range(_LAYERS):
        if not reasons:
            return
        names: dict[bytes, str] = {}
        for path in session.own_codes:
            for declaration, word, first in _with(session, path, wanted, reasons):
                why = reasons[word]
                if word in doubted and _is_conditional(session, path, declaration):
                    continue
                if why.startswith("`"):  # of a namespace: it begins here
                    why = f"{path.name}:{declaration.line}: {why}"
                names |= dict.fromkeys(declared_types(session, path, declaration), why)
                if declaration.kind != "host":
                    result.losses.append(Loss(path, declaration, why))
                session.remove(path, declaration, why, first)
        reasons = _of_users(session, names)
        wanted = _naming(reasons)


def _is_conditional(session: Session, path: Path, declaration: Declaration) -> bool:
    """Whether device code may be off, as no condition is evaluated here."""
    if declaration.kind == "host":
        return False
    macros = session.closure.macros
    tested = tested_around(session.closure.files[path].code, declaration.line) - _ON
    return any(macros.get(name.encode()) != b"" for name in tested)  # else it is a guard


def _naming(names: Iterable[bytes]) -> bytes:
    return _NAMED % b"|".join(map(re.escape, sorted(names)))


def _of_users(session: Session, removed: Mapping[bytes, str]) -> dict[bytes, str]:
    """What is said of what needs a type that was left out, if nothing else declares one."""
    return {
        name: f"it needs `{name.decode('latin-1')}`, which did not compile: {why}"
        for name, why in removed.items()
        if not _is_declared(session, name)
    }


def _namespaces(session: Session) -> dict[bytes, str]:
    """Namespaces called as the folders of missing headers are, and what is said of them."""
    found: dict[bytes, list[str]] = {}
    for header in session.closure.missing:
        folder, _, rest = header.partition("/")
        if rest and re.fullmatch(r"[A-Za-z_]\w*", folder) and f"{folder}/" not in CCCL_FOLDERS:
            found.setdefault(folder.encode(), []).append(header)
    if not found:
        return {}
    return {
        name: f"`{name.decode()}::` is of headers not found: {', '.join(headers[:3])}; "
        "give their folder with -I"
        for name, headers in found.items()
    }


def _members(session: Session, namespace: bytes) -> bytes:
    """A pattern of what stands behind a namespace's name that nothing in sight declares.

    Of one that the sources only add to, `namespace Eigen { … }`, it is each name that stands
    nowhere else.
    """
    declares = re.compile(_NAMES % {b"name": namespace})
    if declares.search(_ours()):
        return b""
    codes = session.codes.values()
    if not any(namespace in code and declares.search(code) for code in codes):
        return rb"\s*::"
    of_it = re.compile(rb"(\b%s\s*::\s*)?\b([A-Za-z_]\w*)" % namespace)
    found: dict[bool, set[bytes]] = {True: set(), False: set()}
    for code in codes:
        for match in of_it.finditer(bare(code)):
            found[bool(match[1])].add(match[2])
    names = b"|".join(sorted(found[True] - found[False]))
    return rb"\s*::\s*(?:%s)\b" % names if names else b""


@lru_cache(maxsize=1)
def _ours() -> bytes:
    return "\n".join(own_headers().values()).encode()


def _with(
    session: Session, path: Path, wanted: bytes, words: Collection[bytes]
) -> Iterator[tuple[Declaration, bytes, int]]:
    """The declarations of a file that something wanted stands in, that, and where it first does."""
    code = session.codes[path]
    if not any(word in code for word in words):
        return
    text = NO_CODE.sub(lambda m: _NOT_A_LINE.sub(b" ", m[0]), code)
    beyond = 0
    for match in re.finditer(wanted, text):
        if match.start() < beyond:
            continue
        line = text.count(b"\n", 0, match.start()) + 1
        column = match.start() - (text.rfind(b"\n", 0, match.start()) + 1) + 1
        found = enclosing(
            code,
            line,
            column,
            session.macros(path),
            session.globals,
            session.specifiers(path),
        )
        if found is None or found.kind == "directive" or found.start > match.start():
            continue
        if _CONDITION.search(code, found.start, found.end):
            continue
        piece = code[found.start : found.end]
        if piece.count(b"__global__") > (found.kind == "kernel") or found.broken:
            continue  # a tree gone wrong
        if found.kind == "kernel" and not _is_active(session, path, found):
            continue
        beyond = found.end
        yield found, _WORD.findall(match[0])[0], match.start()


def _is_active(session: Session, path: Path, kernel: Declaration) -> bool:
    lines = range(kernel.line, kernel.end_line + 1)
    return any(k.active and k.name_span.line in lines for k in session.kernels.get(path, ()))


def is_type_only(session: Session, name: bytes) -> bool:
    """Does a name that nothing in sight declares stand wherever it does as a type of something?

    Once at least as the type of a variable: what is only called, or stands behind `using base::`,
    may be found where a template is instantiated. What a macro is given may be declared by it.
    """
    typed, made, function = (re.compile(p % {b"name": name}) for p in (_TYPED, _MADE, _FUNCTION))
    given = re.compile(rb"\b[A-Z][A-Z0-9_]*\s*\([^()]*\b%s\b" % name)
    word = re.compile(rb"\b%s\b" % name)
    called = re.compile(rb"\b%s\s*\(" % name)  # most are not: that is soon told
    texts = [bare(code) for code in session.codes.values() if name in code]
    return any(map(typed.search, texts)) and all(
        len(word.findall(text)) == len(typed.findall(text)) + len(made.findall(text))
        and not given.search(text)
        and not (called.search(text) and function.search(text))
        for text in texts
    )


def declared_types(session: Session, path: Path, declaration: Declaration) -> list[bytes]:
    """The type that a declaration declares out of all classes."""
    code = session.codes[path]
    if declaration.kind != "type" or not in_namespaces(code[: declaration.start]):
        return []
    typedef = _TYPEDEF.search(code[declaration.start : declaration.end])
    name = typedef[1] if typedef else declaration.name.encode()
    return [name] if re.fullmatch(rb"\w+", name) else []


def _is_declared(session: Session, name: bytes) -> bool:
    other = re.compile(_DECLARED % {b"name": name})
    return any(name in code and other.search(bare(code)) for code in session.codes.values())
