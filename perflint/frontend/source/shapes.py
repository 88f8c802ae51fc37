"""The members of dim3-like expressions: `dim3(32, 8)`, `{4, 2}`, a variable, a single number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.c_types import UINT, Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.macros import ExpansionError, expand
from perflint.frontend.source.tokens import closing, spell, split, tokenize
from perflint.frontend.source.trees import argument_texts

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

AXES = ("x", "y", "z", "w")
MAKERS = {"dim3", "make_uint3", "make_int3", "make_uint2", "make_int2", "make_uint4", "make_int4"}


def components(
    place: Environment, text: str, kind: str = "dim3"
) -> list[tuple[str, Value | None]] | None:
    """The members of an expression, each as written and folded; None if it has none.

    `kind` is the type wanted. A single number is a dim3's x. Missing members are 1, as dim3's
    constructor has it (CUDA C++ Programming Guide, dim3).
    """
    try:
        tokens = expand(tokenize(text), place.macros)
    except ExpansionError:
        return None
    while len(tokens) > 2 and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
        if len(split(tokens[1:-1])) > 1:
            break
        tokens = tokens[1:-1]
    written = spell(tokens)
    head = tokens[0].text if tokens else ""
    arguments = None
    if head in MAKERS and len(tokens) > 2 and closing(tokens, 1) == len(tokens) - 1:
        arguments = argument_texts(spell(tokens[1:]))
    elif head in ("(", "{"):
        arguments = argument_texts(written)
    if arguments is not None:
        copied = components(place, arguments[0], "") if len(arguments) == 1 else None
        if copied is not None:
            return copied
        missing = "1" if "dim3" in (kind, head) else "0"
        texts = [*arguments, *[missing] * (3 - len(arguments))]
        return [(t, fold(t, place)) for t in texts]
    if len(tokens) == 1 and tokens[0].kind == "name" and place.is_aggregate(head):
        return [(f"{head}.{axis}", place.member(head, axis)) for axis in AXES[:3]]
    if len(tokens) == 3 and tokens[1].text == "." and tokens[2].text not in AXES:
        return _of_member(place, head, tokens[2].text)
    if kind == "dim3" and tokens:
        return [(written, fold(written, place)), *[("1", Value(1, UINT))] * 2]
    return None


def _of_member(place: Environment, name: str, member: str) -> list[tuple[str, Value | None]] | None:
    """As `components`, for a dim3 in a struct: `config.blockDim = dim3(32, 8)`."""
    found = place.reaching(name, member)
    if found is None or found.member != member:
        return None
    return components(place.moved(found.start), place.definition_text(found))
