"""What the modifiers of an instruction say by themselves: types, vector size, state spaces."""

from __future__ import annotations

from functools import lru_cache

from perflint.grammar.model import TYPE_SIZE, Instruction

#: Types that occur as modifiers only, in bytes: those of packed and sub-byte matrix elements
#: (PTX ISA 5.2.3) have no variables of their own.
MODIFIER_TYPES = frozenset(TYPE_SIZE) | {
    "b1", "u4", "s4", "u2", "s2", "b1024",
    "e2m1", "e2m3", "e3m2", "ue8m0", "ue4m3",
    "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2",
    "e2m1x4", "e2m3x4", "e3m2x4", "e4m3x4", "e5m2x4",
    "b8x16", "b4x16_p64", "b6x16_p32", "b6p2x16", "s2f6x2", "f32x2",
}  # fmt: skip

_SPACES = {
    "global": "global",
    "const": "const",
    "local": "local",
    "param": "param",
    "param::entry": "param",
    "param::func": "param",
    "shared": "shared",
    "shared::cta": "shared",
    "shared::cluster": "shared",
}

_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def types(instruction: Instruction) -> tuple[str, ...]:
    """The type modifiers in written order: `("f32", "s32")` of `cvt.rn.f32.s32`."""
    return _types(instruction.modifiers)


@lru_cache(maxsize=4096)
def _types(modifiers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in modifiers if each in MODIFIER_TYPES)


def vector(instruction: Instruction) -> int:
    """Elements of a vector access: 4 of `ld.global.v4.f32`, else 1."""
    return next((_VECTORS[each] for each in instruction.modifiers if each in _VECTORS), 1)


def spaces(instruction: Instruction) -> tuple[str, ...]:
    """The state spaces among the modifiers, in order: shared then global of `cp.async`."""
    return tuple(_SPACES[each] for each in instruction.modifiers if each in _SPACES)
