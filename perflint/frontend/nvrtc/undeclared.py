"""Names before `::` that nothing in sight declares: those of headers that were not found.

`cv::Mat` without OpenCV, of which only `opencv2/core.hpp` is named: wherever the name stands, `::`
stands behind it, so that nothing can be what declares it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache

from perflint.base.patterns import pattern
from perflint.frontend.nvrtc.session import Session, own_headers
from perflint.frontend.source.project.user_files import words

#: Comments, strings and directives.
NO_CODE = pattern(
    rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\""
    rb"|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*",
    re.DOTALL | re.MULTILINE,
)
_SCOPE = rb"(?<![\w:.>])(?:::\s*)?\b(%s)\s*::"
_ANY = pattern(_SCOPE % rb"[A-Za-z_]\w*")
_WORD = pattern(rb"[A-Za-z_]\w*")
_JOINED = pattern(rb"(\w+)\s*##|##\s*(\w+)")
#: Namespaces of the headers that NVRTC opens itself, which are in no text of ours.
_CUDAS = words("cooperative_groups cub cuda nv nvcuda std thrust")
_OPENED = re.compile(
    rb"\busing\s+namespace\s+(?:::\s*)?(?:%s)\b" % "|".join(sorted(_CUDAS - {"std"})).encode()
)


@lru_cache(maxsize=64)
def bare(code: bytes) -> bytes:
    """A text without comments, strings and directives: it is asked for one name after the other."""
    return NO_CODE.sub(b" ", code)


def undeclared_scopes(session: Session) -> frozenset[bytes]:
    """The names before `::` that only headers that are not there can declare."""
    if not session.closure.missing:
        return frozenset()
    given = b"\n".join(i.expression.encode() for i in session.instances)
    own = [given, *(bare(c) for c in session.own_codes.values() if b"::" in c)]
    if any(_OPENED.search(text) for text in own):
        return frozenset()
    macros = session.closure.macros
    known = {n.encode() for n in (*_CUDAS, *session.defined, *session.guesses)}
    known |= _ours() | macros.keys()
    scopes = {name for text in own for name in _ANY.findall(text)} - known
    scopes -= set(_joined(scopes, macros.values()))
    if not scopes:
        return frozenset()
    names = b"|".join(sorted(scopes))
    word, scope = re.compile(rb"\b(?:%s)\b" % names), re.compile(_SCOPE % names)
    counted: Counter[bytes] = Counter()
    rest = (bare(c) for c in session.codes.values() if b"::" not in c)
    declared = "\n".join(session.names).encode()
    for text in (*own, *rest, declared, *macros.values()):
        counted.update(word.findall(text))
        counted.subtract(scope.findall(text))
    return frozenset(name for name in scopes if not counted[name])


def _joined(names: Collection[bytes], bodies: Iterable[bytes]) -> Iterator[bytes]:
    """Those of some names that macros may make: `name##_of` makes `size_of`."""
    parts = {p for body in bodies if b"##" in body for m in _JOINED.findall(body) for p in m}
    parts = {p for p in parts if len(p) > 1}
    for name in names:
        if any(name != p and (name.startswith(p) or name.endswith(p)) for p in parts):
            yield name


@cache
def _ours() -> frozenset[bytes]:
    """The words of our own headers."""
    return frozenset(w for text in own_headers().values() for w in _WORD.findall(text.encode()))
