"""Two halves in one register (`f16x2`, `bf16x2`, `u16x2`, `s16x2`), and byte-wise video forms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from perflint.sim.meaning.registry import Form, Function, Meaning, meaning, resolve
from perflint.sim.values import DTYPE, Value


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


_PACKED = frozenset(("add", "sub", "mul", "fma", "min", "max", "ex2", "tanh"))


@lru_cache(maxsize=1024)
def resolve_packed(opcode: str, modifiers: tuple[str, ...], operands: int) -> Meaning | None:
    """The meaning of an instruction on two halves, by way of the one on single halves."""
    packed = next((m for m in modifiers if m in DTYPE and m.endswith("x2")), None)
    if packed is None or opcode not in _PACKED:
        return None
    single = resolve(opcode, tuple(packed[:-2] if m == packed else m for m in modifiers), operands)
    if single is None:
        return None
    function = halves(single.function, single.results[0], len(single.sources))
    return Meaning(function, ("b32",), ("b32",) * len(single.sources))


def absolute_differences(accumulate: bool, a: Value, b: Value, c: Value) -> Value:
    """`vabsdiff4.u32.u32.u32`: per byte, or their sum added to c (`.add`)."""
    result = c.astype(np.uint32) if accumulate else np.uint32(0)
    for shift in (0, 8, 16, 24):
        x = (a >> np.uint32(shift)) & np.uint32(255)
        y = (b >> np.uint32(shift)) & np.uint32(255)
        difference = np.maximum(x, y) - np.minimum(x, y)
        result = result + (difference if accumulate else difference << np.uint32(shift))
    return result


@meaning("vabsdiff4", flags="add")
def _vabsdiff4(form: Form) -> Meaning | None:
    if form.types != ("u32", "u32", "u32"):
        return None
    accumulate = "add" in form.flags
    return Meaning(
        lambda a, b, c: absolute_differences(accumulate, a, b, c), ("u32",), ("u32",) * 3
    )
