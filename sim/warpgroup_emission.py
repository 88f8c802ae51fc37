"""How `wgmma` is compiled: the product is there at once, so that fences and groups mean nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.grammar.model import Immediate, Instruction, Operand, Vector
from perflint.sim.emission import elements, handles
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.meaning.fragments import BITS
from perflint.sim.meaning.warpgroup import WarpgroupProduct, accumulator
from perflint.sim.site import Site

_SHAPE = re.compile(r"m64n(\d+)k(\d+)\Z")
#: Extents along k by the type of A (PTX ISA 9.7.15.2): 32 bytes of each row.
_K = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}
_SUMS = {"f16": ("f16", "f32"), "e4m3": ("f16", "f32"), "e5m2": ("f16", "f32"),
         "s8": ("s32",), "u8": ("s32",)}  # fmt: skip
_A_REGISTERS = 4


@handles("wgmma")
def _wgmma(e: Emitter, i: Instruction) -> None:
    if i.modifiers[0] in ("fence", "commit_group", "wait_group"):
        return
    product, keep = _product(i)
    d, a, b = i.operands[:3]
    held = accumulator(product.n, product.d)
    sums, multiplicands = elements(d), elements(a)
    if len(sums) != held.registers or len(multiplicands) != (_A_REGISTERS if product.a_held else 1):
        raise NoMeaningError
    site: Site = replace(e.names[e.site(i, "shared", "load", "b32", 4)], traced=False)
    left = ", ".join(e.use(each, "b32" if product.a_held else "u64") for each in multiplicands)
    before = ", ".join(e.use(each, held.held) for each in sums)
    results = [e.fresh() for _ in sums]
    e.line(
        f"{', '.join(results)}, = {e.refer(product)}(m, a, {e.refer(site)}, ({left},), "
        f"{e.use(b, 'u64')}, {e.use(keep, 'pred')}, ({before},))"
    )
    for destination, variable in zip(sums, results, strict=True):
        e.write(destination, variable, held.held)


def _product(i: Instruction) -> tuple[WarpgroupProduct, Operand]:
    """What is multiplied how, and the operand that says whether d is kept."""
    shapes = [found for m in i.modifiers if (found := _SHAPE.match(m))]
    types = [m for m in i.modifiers if m in BITS]
    sparse = any(m.startswith("sp") for m in i.modifiers)
    if len(shapes) != 1 or len(types) != 3 or sparse or "satfinite" in i.modifiers:
        raise NoMeaningError
    n, k = int(shapes[0][1]), int(shapes[0][2])
    d, a, b = types
    if _K.get(a) != k or _K.get(b) != k or d not in _SUMS.get(a, ("f32",)):
        raise NoMeaningError
    if not 8 <= n <= 256 or n % 8 or len(i.operands) < 4:
        raise NoMeaningError
    a_held = isinstance(i.operands[1], Vector)
    scales = [_signed(each) for each in i.operands[4:6]]
    transposed = [_number(each) == 1 for each in i.operands[6:]]
    if a_held:  # what is in registers is not transposed
        transposed.insert(0, False)
    if len(scales) == 1 or any(s not in (1, -1) for s in scales) or len(transposed) > 2:
        raise NoMeaningError
    first, second = (*transposed, False, False)[:2]
    if (first or second) and BITS[a] != 16:
        raise NoMeaningError
    sign = scales[0] * scales[1] if scales else 1
    return WarpgroupProduct(n, k, d, a, b, a_held, (first, second), sign), i.operands[3]


def _number(operand: Operand) -> int:
    if not isinstance(operand, Immediate):
        raise NoMeaningError
    return operand.bits


def _signed(operand: Operand) -> int:
    bits = _number(operand) & 0xFFFFFFFF
    return bits - (1 << 32) if bits >> 31 else bits
