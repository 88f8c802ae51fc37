"""What can be done about a compiler's messages short of taking code out.

Each remedy changes the session and tells whether it did anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint.frontend.known_headers import REMEDIES, libcxx
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.enclosing import Declaration
from perflint.frontend.nvrtc.session import Session

_REFUSED = re.compile(r'Input name expression was: "(.*)"')
_MACRO = re.compile(r"_*[A-Z][A-Z0-9_]{0,40}")
#: A macro that the build defines is a number, a block's size more often than not.
_LARGE = re.compile("THREAD|TPB|NUM|SIZE_X|BLOCK_?SIZE")
_RUNTIME = "cuda_device_runtime_api.h"
#: Remedies that are headers of ours.
_OWN = frozenset({"curand_kernel.h", "cub.h", "philox.h", "std.h"})


@dataclass(frozen=True)
class Located:
    """A message with the declaration that it points into."""

    diagnostic: Diagnostic
    path: Path
    declaration: Declaration


def drop_refused_instances(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Give up the name expressions that do not parse or resolve."""
    refused = {"".join(match[1].split()) for d in diagnostics if (match := _REFUSED.search(d.text))}
    bad = [i for i in session.instances if "".join(i.expression.split()) in refused]
    session.give_up(bad)
    return bool(bad)


def add_headers(
    session: Session, diagnostics: Sequence[Diagnostic], host: Sequence[Diagnostic] = ()
) -> bool:
    """Include the headers of CUDA's that undefined names come from.

    `host`: those of the messages that are about host code, where the runtime is no surprise.
    """
    names = [
        word_at(session, d)
        if "namespace name" in d.text
        else d.absent
        if d.absent == "philox"
        else d.undefined
        for d in diagnostics
    ]
    wanted = {
        REMEDIES[name]
        for name, diagnostic in zip(names, diagnostics, strict=True)
        if name in REMEDIES and not (REMEDIES[name] == _RUNTIME and diagnostic in host)
    }
    if any("required runtime APIs are not declared" in d.text for d in diagnostics):
        wanted.add(_RUNTIME)
    for diagnostic in diagnostics:
        if diagnostic in host or not diagnostic.text.startswith('namespace "std" has no member'):
            continue
        if header := libcxx(diagnostic.absent or ""):
            wanted |= {header, "std.h"}
    named = {f"perflint/{h}" if h in _OWN else h for h in wanted}
    new = sorted(named - set(session.includes))
    session.includes += new
    return bool(new)


def take_pytorch_flags(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Compile as PyTorch's extensions are built, without half's implicit conversions.

    With them an assignment of `at::Half` to `__half` is ambiguous (torch/utils/cpp_extension.py).
    """
    ambiguous = any(d.text.startswith("more than one") for d in diagnostics)
    if not ambiguous or session.pytorch_flags or not session.closure.uses_pytorch:
        return False
    session.pytorch_flags = True
    return True


def make_constants(session: Session, located: Iterable[Located]) -> bool:
    """`const float a = 1.0f / b;` is a constant to nvcc: make it one that NVRTC takes."""
    paths = {
        x.path
        for x in located
        if x.diagnostic.text.startswith("dynamic initialization is not supported")
    } - session.constant
    session.constant |= paths
    return bool(paths)


def empty_specifiers(session: Session, located: Iterable[Located]) -> bool:
    """An undefined macro before a declaration is a specifier: `API float f(…)`."""
    found = {
        word
        for x in located
        if x.diagnostic.text.startswith("this declaration has no storage class")
        and _MACRO.fullmatch(word := word_at(session, x.diagnostic))
    } - set(session.guesses)
    session.guesses |= dict.fromkeys(found, "")
    return bool(found)


def guess_macros(session: Session, located: Iterable[Located]) -> bool:
    """Give undefined macros in device code a number, as the build would have."""
    found = False
    for x in located:
        name = x.diagnostic.undefined
        if x.declaration.kind not in {"kernel", "device"} or not name or len(name) < 2:
            continue
        if _MACRO.fullmatch(name) and name not in session.guesses and _is_number(session, x, name):
            session.guesses[name] = "256" if _LARGE.search(name) else "16"
            found = True
    return found


def _is_number(session: Session, located: Located, name: str) -> bool:
    """Is a name used as a value, not called and not a type, there and in macros that use it?"""
    line = session.codes[located.path].split(b"\n")[located.diagnostic.line - 1]
    value = re.compile(rb"\b%s\b(?!\s*(?:\(|[*&]?\s*\w+\s*[=;,)]))" % name.encode())
    uses = [t for t in (line, *session.closure.macros.values()) if name.encode() in t]
    return all(value.search(text) for text in uses)


def word_at(session: Session, diagnostic: Diagnostic) -> str:
    """The word that a message points at, unless a `(` follows it."""
    path = session.closure.aliases.get(diagnostic.file)
    if path is None:
        return ""
    lines = session.codes[path].split(b"\n")
    rest = lines[diagnostic.line - 1][diagnostic.column - 1 :]
    word = re.match(rb"(\w+)\b(?!\s*\()", rest)
    return word[1].decode("latin-1") if word else ""
