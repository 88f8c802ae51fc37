"""Macros that open or close namespaces: `PROJECT_BEGIN_NAMESPACE`, alone in its line.

A parser takes one for the type of what follows, and does not see the declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from perflint.base.patterns import pattern
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.tokens import blank


class Namespace(NamedTuple):
    """A namespace that a macro opens, from there to what closes it, in bytes."""

    name: str
    start: int
    end: int


#: One that is not in sight says by its name what it does.
_NAMED = r"\w*(?:NAMESPACE_(?:BEGIN|END|OPEN|CLOSE|START)|(?:BEGIN|END|OPEN|CLOSE)_NAMESPACE)\w*"
#: Alone before a namespace, which is no C++ but a macro's; and then behind all else, too.
_BEFORE = (
    r"[A-Z_][A-Z0-9_]+(?=[ \t]*;?[ \t]*\n(?:[ \t]*(?://[^\n]*)?\n)*"
    r"[ \t]*(?:inline[ \t]+)?namespace\b)"
)
_LAST = r"[A-Z_][A-Z0-9_]+(?=[ \t]*;?\s*(?:(?:#|//)[^\n]*\s*)*\Z)"
_OPENING = pattern(rf"^[ \t]*{_BEFORE}", re.MULTILINE)
_UNKNOWN = pattern(rf"^[ \t]*({_BEFORE}|{_LAST})", re.MULTILINE)
_OPENS = pattern(r"(?:(?:inline )?namespace (\w+(?: :: \w+)*) \{ ?)+")
_NAME = pattern(r"namespace (\w+(?: :: \w+)*) \{")
_CLOSES = pattern(r"(?:\} ?)+")


def without_namespaces(text: str, unit: Preprocessed) -> tuple[str, tuple[Namespace, ...]]:
    """The text with spaces for such macros, and the namespaces that they make."""
    bodies = {
        name: " ".join(t.text for t in macro.body)
        for name, macro in unit.named.items()
        if macro.known and macro.parameters is None
    }
    bodies = {n: b for n, b in bodies.items() if _OPENS.fullmatch(b) or _CLOSES.fullmatch(b)}
    if not bodies and "NAMESPACE" not in text and not _OPENING.search(text):
        return text, ()
    unknown = (_BEFORE, _LAST) if _OPENING.search(text) else ()
    names = "|".join((*map(re.escape, sorted(bodies)), _NAMED, *unknown))
    alone = re.compile(rf"^[ \t]*({names})[ \t]*;?[ \t]*(?=$|//|/\*)", re.MULTILINE)
    uses = [(m.start(), m.end(), bodies.get(m[1], "")) for m in alone.finditer(text)]
    pieces, position = [], 0
    for start, end, _ in uses:
        pieces += [text[position:start], blank(text[start:end])]
        position = end
    found = tuple(sorted(_namespaces(text, uses), key=lambda n: n.start))
    return "".join((*pieces, text[position:])), found


def around_namespaces(text: str) -> frozenset[str]:
    """The words of a text that stand alone where nothing but a macro can."""
    return frozenset(_UNKNOWN.findall(text) if _OPENING.search(text) else ())


def _namespaces(text: str, uses: Sequence[tuple[int, int, str]]) -> Iterator[Namespace]:
    """The namespaces that macros open at some places; the rest of the file where none closes it."""

    def offset(at: int) -> int:
        return len(text[:at].encode("utf-8", "replace"))

    around: list[tuple[str, int]] = []
    for start, _, body in uses:
        # An inner one starts later, if only by a byte, so that their order can be told.
        opened = enumerate(_NAME.findall(body))
        around += [(name.replace(" ", ""), offset(start) + depth) for depth, name in opened]
        for _ in range(body.count("}")):
            if around:
                name, begin = around.pop()
                yield Namespace(name, begin, offset(start))
    for name, begin in around:
        yield Namespace(name, begin, offset(len(text)))
