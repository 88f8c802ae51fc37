"""Two numbers in one register: `f16x2`, `bf16x2`, `u16x2`, `s16x2`, `f32x2`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from perflint.sim.meaning.comparison import comparison, joined_with
from perflint.sim.meaning.floating import flushed
from perflint.sim.meaning.registry import Form, Function, Meaning, resolve
from perflint.sim.values import DTYPE, Value, bf16_to_f32


def halves(function: Function, held: str, count: int) -> Function:
    """A function of 16-bit values, applied to both halves of 32-bit registers."""
    dtype = DTYPE[held]

    def both(*sources: Value) -> Value:
        low = function(*(x.astype(np.uint16).view(dtype) for x in sources[:count]))
        high = function(
            *((x >> np.uint32(16)).astype(np.uint16).view(dtype) for x in sources[:count])
        )
        upper = high.view(np.uint16).astype(np.uint32) << np.uint32(16)
        return upper | low.view(np.uint16).astype(np.uint32)

    return both


def float_pairs(function: Function, count: int) -> Function:
    """A function of float32, applied to both halves of 64-bit registers."""

    def both(*sources: Value) -> Value:
        low = function(*(x.astype(np.uint32).view(np.float32) for x in sources[:count]))
        high = function(
            *((x >> np.uint64(32)).astype(np.uint32).view(np.float32) for x in sources[:count])
        )
        upper = high.view(np.uint32).astype(np.uint64) << np.uint64(32)
        return upper | low.view(np.uint32).astype(np.uint64)

    return both


def compared(form: Form) -> tuple[Meaning, ...]:
    """`setp.f16x2 p|q`: p compares the lower halves, q the upper ones."""
    out = []
    for shift in (0, 16):
        compare = _compare_half(form, shift)
        if compare is None:
            return ()
        out.append(joined_with(form, compare, "b32"))
    return tuple(out)


def _compare_half(form: Form, shift: int) -> Function | None:
    single = form.type[:-2]
    compare = comparison(form.modifiers[0], single)
    if compare is None:
        return None
    flush = flushed if "ftz" in form.flags else lambda a: a

    def function(a: Value, b: Value) -> Value:
        halves = [(x >> np.uint32(shift)).astype(np.uint16) for x in (a, b)]
        if single == "bf16":
            return compare(*(bf16_to_f32(x) for x in halves))
        return compare(*(flush(x.view(DTYPE[single])) for x in halves))

    return function


_PACKED = frozenset(("add", "sub", "mul", "fma", "min", "max", "ex2", "tanh", "set", "abs", "neg"))


@lru_cache(maxsize=1024)
def resolve_packed(opcode: str, modifiers: tuple[str, ...], operands: int) -> Meaning | None:
    """The meaning of an instruction on two halves, by way of the one on single halves."""
    if modifiers[-1:] == ("f32x2",) and opcode in ("add", "sub", "mul", "fma"):
        single = resolve(opcode, (*modifiers[:-1], "f32"), operands)
        if single is None:
            return None
        count = len(single.sources)
        return Meaning(float_pairs(single.function, count), ("b64",), ("b64",) * count)
    packed = next((m for m in modifiers if m in DTYPE and m.endswith("x2")), None)
    if packed is None or opcode not in _PACKED:
        return None
    names = {packed: packed[:-2], "u32": "u16", "s32": "s16"}  # each half has its half of the mask
    single = resolve(opcode, tuple(names.get(m, m) for m in modifiers), operands)
    if single is None:
        return None
    function = halves(single.function, single.results[0], len(single.sources))
    return Meaning(function, ("b32",), ("b32",) * len(single.sources))
