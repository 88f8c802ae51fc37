"""Declarations of texture references: `texture<float, 1> t;`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perflint.frontend.csubset.items import Item
from perflint.frontend.csubset.types import Struct, vector
from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType
from perflint.frontend.source.tokens import closing_angle, split


@dataclass(frozen=True)
class Texture:
    """A texture reference at file scope."""

    name: str
    element: CType | Struct


def texture_of(item: Item) -> Texture | None:
    """The texture reference that a declaration declares, or None."""
    tokens = [t for t in item.tokens if t.text not in ("static", "extern")]
    if item.kind != "variable" or len(tokens) < 5 or tokens[0].text != "texture":
        return None
    end = closing_angle(tokens, 1)
    if end is None or end + 1 >= len(tokens) or tokens[end + 1].kind != "name":
        return None
    parts = split(tokens[2:end])
    element = _element([t.text for t in parts[0]])
    if element is None or any(t.text == "cudaReadModeNormalizedFloat" for t in tokens):
        return None
    return Texture(tokens[end + 1].text, element)


def _element(words: Sequence[str]) -> CType | Struct | None:
    struct = vector(words[0]) if len(words) == 1 else None
    found = struct or c_types.basic_type(tuple(words))
    return None if found is None or getattr(found, "kind", "") == "opaque" else found
