"""Variables that a macro used as a statement declares: `SHAPE(n); k<<<grid, block>>>(n);`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.tokens import closing, spell, tokenize
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_LONGEST = 2_000  #: characters of one use


def inside_macro(place: Environment, name: str) -> Environment | None:
    """The end of the macro's expansion that declares a variable of the function around a place."""
    body, function = place.body(), place.function
    if body is None or function is None or place.outer is not None or not name.isidentifier():
        return None
    declaring = place.file.declaring_macros.get(name)
    if not declaring:
        return None
    source, around = place.file.source, body.enclosing(place.at)
    names = "|".join(map(re.escape, sorted(declaring)))
    own = body.visible(name, place.at)
    since = body.start if own is None else own.start
    before = source.slice(since, place.at)
    for match in reversed([*re.finditer(rf"(?<=[;{{}}])\s*({names})\b", before)]):
        at = since + len(before[: match.start(1)].encode())
        if all(region in around for region in body.enclosing(at)):
            inner = _expanded(place, at, before[match.start(1) :][:_LONGEST])
            if inner is None:
                return None
            end = inner.declarations.functions[0].node.end_byte - 1
            return type(place)(place.session, inner, end, outer=place.moved(at))
    return None


def _expanded(place: Environment, at: int, text: str) -> File | None:
    """What the use at a byte offset expands to, as the body of a function of its own."""
    known = place.session.project.expanded
    key = (id(place.file), at)
    if key not in known:
        known[key] = _read(place, at, text)
    return known[key]


def _read(place: Environment, at: int, text: str) -> File | None:
    macros = place.file.macros_at(at)
    tokens = tokenize(text)
    macro = macros.get(tokens[0].text)
    end: int | None = 0
    if macro is not None and macro.parameters is not None:
        end = closing(tokens, 1) if len(tokens) > 1 and tokens[1].text == "(" else None
    if macro is None or end is None:
        return None
    try:
        written = spell(expand(tokens[: end + 1], macros))
    except ExpansionError:
        return None
    result = File(Preprocessed(place.file.path, f"void expansion() {{ {written} ; }}", macros))
    result.family = [result, *place.file.family]
    return result
