"""Fetches from texture references: `tex1Dfetch(t, i)`."""

from __future__ import annotations

from typing import Any

from perflint.frontend.csubset.conversions import convert, in_register
from perflint.frontend.csubset.lower_expressions import value
from perflint.frontend.csubset.lowering import Lowering
from perflint.frontend.csubset.types import FLOAT, INT, UINT, Struct
from perflint.frontend.csubset.values import Value, register_class, suffix
from perflint.frontend.source.c_types import CType

#: name → (dimensions, type of the coordinates)
_FETCHES = {
    **{"tex1Dfetch": (1, INT), "tex1D": (1, FLOAT)},
    **{"tex2D": (2, FLOAT), "tex3D": (3, FLOAT)},
}


def call(x: Lowering, name: str, node: Any) -> Value | None:
    """The value of a texture fetch; None if the name is none, or the texture is not in sight."""
    fetch = _FETCHES.get(name)
    arguments = node.args.exprs if node.args else ()
    if fetch is None or not arguments or type(arguments[0]).__name__ != "ID":
        return None
    texture = x.unit.textures.get(arguments[0].name)
    dimensions, coordinate = fetch
    if texture is None or len(arguments) != 1 + dimensions:
        return None
    b = x.builder
    at = [in_register(b, convert(b, value(x, a), coordinate)) for a in arguments[1:]]
    if dimensions == 3:
        at.append(at[-1])  # the fourth coordinate is ignored (PTX ISA, tex)
    element = texture.element
    scalars = [f.type for f in element.fields] if isinstance(element, Struct) else [element]
    first = scalars[0]
    assert isinstance(first, CType)
    wide = first if first.size == 4 else (INT if first.signed else UINT)
    opcode = f"tex.{dimensions}d.v4.{suffix(wide)}.{suffix(coordinate)}"
    operand = f"[{texture.name}, {{{', '.join(at)}}}]"
    registers = b.emit_parts(opcode, register_class(wide), 4, operand)
    x.textures.add(texture.name)
    parts = [convert(b, Value(wide, r), first) for r in registers[: len(scalars)]]
    return Value(element, parts=tuple(parts)) if isinstance(element, Struct) else parts[0]
