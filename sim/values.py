"""How PTX types are held in NumPy, and conversions between the holdings.

A value is an array over lanes, or a NumPy scalar where all lanes agree: every function of the
emulator takes both. Untyped bits and packed or brain floats are held as unsigned integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: One value: an array over lanes, (n,), or a scalar that all lanes share.
Value = Any

DTYPE: dict[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for code, held in {
        "?": "pred",
        "u1": "b8 u8",
        "i1": "s8",
        "u2": "b16 u16 bf16",
        "i2": "s16",
        "f2": "f16",
        "u4": "b32 u32 tf32 f16x2 bf16x2 u16x2 s16x2",
        "i4": "s32",
        "f4": "f32",
        "u8": "b64 u64",
        "i8": "s64",
        "f8": "f64",
    }.items()
    for name in held.split()
}

UNSIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype("u1"),
    2: np.dtype("u2"),
    4: np.dtype("u4"),
    8: np.dtype("u8"),
}
SIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype("i1"),
    2: np.dtype("i2"),
    4: np.dtype("i4"),
    8: np.dtype("i8"),
}


def register_dtype(ptx_type: str) -> np.dtype[Any]:
    """What a register of a declared type is held as between basic blocks."""
    dtype = DTYPE[ptx_type]
    return UNSIGNED[dtype.itemsize] if dtype.kind == "i" else dtype


def recast(value: Value, dtype: np.dtype[Any], signed: bool = False) -> Value:
    """The bits of `value` as `dtype`: reinterpreted, cut to fewer, or extended to more.

    PTX lets `ld`, `st` and `cvt` use registers wider than their type (PTX ISA 9.4.1): a wider
    source is cut, a narrower result is sign-extended where `signed`, else zero-extended.
    """
    have = value.dtype
    if have == dtype:
        return value
    if have.kind == "b" or dtype.kind == "b":
        return value.astype(dtype)
    if have.itemsize == dtype.itemsize:
        return value.view(dtype)
    kind = SIGNED if signed else UNSIGNED
    narrow = value.view(kind[have.itemsize])
    return narrow.astype(kind[dtype.itemsize]).view(dtype)


def constant(bits: int, kind: str, dtype: np.dtype[Any]) -> Value:
    """An immediate operand as a scalar. `kind` says how the bits are meant: int, f32 or f64."""
    if kind == "int":
        if dtype.kind == "f":
            return dtype.type(bits)
        if dtype.kind == "b":
            return np.bool_(bits != 0)
        width = 8 * dtype.itemsize
        return np.array([bits & ((1 << width) - 1)], UNSIGNED[dtype.itemsize]).view(dtype)[0]
    source = np.dtype("f4") if kind == "f32" else np.dtype("f8")
    number = np.array([bits], UNSIGNED[source.itemsize]).view(source)[0]
    if dtype.kind == "f":
        # A NaN keeps its bits only where the width is the same.
        return number if dtype == source else number.astype(dtype)
    return recast(number, dtype)


def bf16_to_f32(bits: Value) -> Value:
    """Brain floats, held as uint16, as float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(number: Value) -> Value:
    """Round to nearest even; NaN becomes the canonical 0x7fff."""
    bits = number.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + (np.uint32(0x7FFF) + odd)) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(number), np.uint16(0x7FFF), rounded)
