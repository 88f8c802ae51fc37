"""How matrix instructions are compiled: `mma`, `wmma`, `ldmatrix` and its like."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from perflint.grammar.model import Address, Instruction, Operand, Vector
from perflint.sim.emission import elements, handles, space_of
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.matrix_moves import load_matrices, store_matrices, touch_matrices, transpose
from perflint.sim.meaning import fragments
from perflint.sim.meaning.fragments import BITS, Fragment
from perflint.sim.meaning.matrix import Product, Tile
from perflint.sim.site import Site
from perflint.sim.values import DTYPE

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)\Z")

#: Shapes of `mma` by the type of A (PTX ISA 9.7.14.5, table of shapes), densest ones.
_MMA = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
    "s8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "s4": ("m8n8k32", "m16n8k32", "m16n8k64"),
    "b1": ("m8n8k128", "m16n8k128", "m16n8k256"),
    "e4m3": ("m16n8k16", "m16n8k32"),
}
_WIDE_SHAPES = ("m16n16k16", "m8n32k16", "m32n8k16")
_WMMA = {
    "f16": _WIDE_SHAPES,
    "bf16": _WIDE_SHAPES,
    "s8": _WIDE_SHAPES,
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    "s4": ("m8n8k32",),
    "b1": ("m8n8k128",),
}
_ALIKE = {"u8": "s8", "u4": "s4", "e5m2": "e4m3"}
#: Types of C and D by the type of A.
_SUMS = {"f16": ("f16", "f32"), "f64": ("f64",), "s8": ("s32",), "s4": ("s32",), "b1": ("s32",),
         "e4m3": ("f16", "f32")}  # fmt: skip


def _types(i: Instruction) -> list[str]:
    return [m for m in i.modifiers if m in BITS]


def _shape(i: Instruction) -> tuple[str, int, int, int]:
    for modifier in i.modifiers:
        found = _SHAPE.match(modifier)
        if found:
            m, n, k = (int(extent) for extent in found.groups())
            return modifier, m, n, k
    raise NoMeaningError


def _check(shapes: dict[str, tuple[str, ...]], named: list[str], shape: str) -> None:
    """Raise NoMeaningError unless d, a, b, c are types that go together in this shape."""
    if len(named) != 4:
        raise NoMeaningError
    d, a, b, c = named
    kind = _ALIKE.get(a, a)
    sums = _SUMS.get(kind, ("f32",))
    if shape not in shapes.get(kind, ()) or _ALIKE.get(b, b) != kind:
        raise NoMeaningError
    if d not in sums or c not in sums:
        raise NoMeaningError


def _operation(i: Instruction, element: str) -> Literal["", "xor", "and"]:
    if element != "b1":
        return ""
    return "xor" if "xor" in i.modifiers else "and"


def _multiply(e: Emitter, i: Instruction, product: Product) -> None:
    operands = [elements(operand) for operand in i.operands[:4]]
    parts = (product.d, product.a, product.b, product.c)
    if len(i.operands) != 4 or [len(o) for o in operands] != [p.registers for p in parts]:
        raise NoMeaningError
    sources = [
        e.use(each, part.held)
        for group, part in zip(operands[1:], parts[1:], strict=True)
        for each in group
    ]
    results = [e.fresh() for _ in operands[0]]
    e.line(f"{', '.join(results)}, = {e.refer(product)}(a, {', '.join(sources)})")
    for destination, variable in zip(operands[0], results, strict=True):
        e.write(destination, variable, product.d.held)


_MMA_FLAGS = {"sync", "aligned", "row", "col", "satfinite", "rn", "xor", "and", "popc"}


@handles("mma")
def _mma(e: Emitter, i: Instruction) -> None:
    shape, m, n, k = _shape(i)
    named = _types(i)
    _check(_MMA, named, shape)
    layouts = [x for x in i.modifiers if x in ("row", "col")]
    if set(i.modifiers) - {*named, shape} - _MMA_FLAGS or layouts != ["row", "col"]:
        raise NoMeaningError
    d, a, b, c = named
    product = Product(
        fragments.multiplicand_a(m, k, a),
        fragments.multiplicand_b(k, n, b),
        fragments.accumulator(m, n, c),
        fragments.accumulator(m, n, d),
        _operation(i, a),
        "satfinite" in i.modifiers,
    )
    _multiply(e, i, product)


def _dealt(shape: tuple[str, int, int, int], matrix: str, element: str) -> Fragment:
    """A `wmma` fragment: of f16 multiplicands every lane has eight registers in all shapes."""
    _, m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n)}.get(matrix, (m, n))
    bits = BITS[element]
    registers = rows * columns * bits // max(bits, 32) // 32
    if element == "f16" and matrix in ("a", "b"):
        registers = 8
    return fragments.dealt(rows, columns, element, matrix == "b", registers)


@handles("wmma")
def _wmma(e: Emitter, i: Instruction) -> None:
    if i.modifiers[0] == "mma":
        _wmma_product(e, i)
    elif i.modifiers[0] in ("load", "store") and len(i.operands) >= 2:
        _wmma_memory(e, i)
    else:
        raise NoMeaningError


def _wmma_product(e: Emitter, i: Instruction) -> None:
    shape = _shape(i)
    named = _types(i)
    if len(named) == 2:  # of half precision only d and c are written
        named = [named[0], "f16", "f16", named[1]]
    _check(_WMMA, named, shape[0])
    d, a, b, c = named
    product = Product(
        _dealt(shape, "a", a),
        _dealt(shape, "b", b),
        _dealt(shape, "c", c),
        _dealt(shape, "c", d),
        _operation(i, a),
        "satfinite" in i.modifiers,
    )
    _multiply(e, i, product)


def _wmma_memory(e: Emitter, i: Instruction) -> None:
    """`wmma.load` and `wmma.store`; not traced, since which lane moves what is not defined."""
    loads = i.modifiers[0] == "load"
    matrix, shape, named = i.modifiers[1], _shape(i), _types(i)
    vector, address = i.operands[:2] if loads else i.operands[1::-1]
    if len(named) != 1 or not isinstance(address, Address) or matrix not in ("a", "b", "c", "d"):
        raise NoMeaningError
    element = named[0]
    if matrix in ("a", "b") and shape[0] not in _WMMA.get(_ALIKE.get(element, element), ()):
        raise NoMeaningError
    layout = next((m for m in i.modifiers if m in ("row", "col")), None)
    tile = Tile(_dealt(shape, matrix, element), layout == "col")
    parts = elements(vector)
    if layout is None or len(parts) != tile.fragment.registers:
        raise NoMeaningError
    if BITS[element] < 8 and (matrix == "a") == tile.by_columns:
        raise NoMeaningError
    along = tile.fragment.rows if tile.by_columns else tile.fragment.columns
    stride = (
        e.use(i.operands[2], "u32") if len(i.operands) > 2 else e.number(along, "int", DTYPE["u32"])
    )
    held = f"b{BITS[element]}" if 8 <= BITS[element] < 32 else tile.fragment.held
    space = space_of(e, i, address)
    site = _untraced(e, i, space, "load" if loads else "store", held)
    start = e.assign(e.address(address, space))
    if e.touches:
        return e.line(f"{e.refer(tile)}.touch(m.device, a, {site}, {start}, {stride})")
    if loads:
        names = [e.fresh() for _ in parts]
        e.line(
            f"{', '.join(names)}, = {e.refer(tile)}.load(m.device, a, {site}, {start}, {stride})"
        )
        for part, name in zip(parts, names, strict=True):
            e.write(part, name, tile.fragment.held)
        return
    values = ", ".join(e.use(part, tile.fragment.held) for part in parts)
    e.line(f"{e.refer(tile)}.store(m.device, a, {site}, {start}, {stride}, {values})")


def _untraced(e: Emitter, i: Instruction, space: str, kind: str, ptx_type: str) -> str:
    site: Site = e.names[e.site(i, space, kind, ptx_type)]
    return e.refer(replace(site, traced=False))


def _rows(e: Emitter, i: Instruction, vector: Operand, address: Operand, kind: str) -> str:
    """Where 1, 2 or 4 matrices of eight by eight halves lie, as what moves them takes it first."""
    count = {"x1": 1, "x2": 2, "x4": 4}.get(next((m for m in i.modifiers if m[0] == "x"), ""))
    if count is None or "m8n8" not in i.modifiers or "b16" not in i.modifiers:
        raise NoMeaningError
    if len(elements(vector)) != count or not isinstance(address, Address):
        raise NoMeaningError
    space = space_of(e, i, address)
    return f"m.device, a, {e.site(i, space, kind, 'b32', 4)}, {e.address(address, space)}"


@handles("ldmatrix")
def _ldmatrix(e: Emitter, i: Instruction) -> None:
    vector, address = i.operands[:2]
    where, parts = _rows(e, i, vector, address, "load"), elements(vector)
    if e.touches:
        return e.line(f"{e.refer(touch_matrices)}({where}, {len(parts)})")
    values = [e.fresh() for _ in parts]
    call = f"{e.refer(load_matrices)}({where}, {len(parts)}, {'trans' in i.modifiers})"
    e.line(f"{', '.join(values)}, = {call}")
    for part, value in zip(parts, values, strict=True):
        e.write(part, value, "b32")


@handles("stmatrix")
def _stmatrix(e: Emitter, i: Instruction) -> None:
    address, vector = i.operands[:2]
    where = _rows(e, i, vector, address, "store")
    values = ", ".join(e.use(part, "b32") for part in elements(vector))
    e.line(f"{e.refer(store_matrices)}({where}, {'trans' in i.modifiers}, ({values},))")


@handles("movmatrix")
def _movmatrix(e: Emitter, i: Instruction) -> None:
    destination, source = i.operands
    if isinstance(source, Vector) or "trans" not in i.modifiers:
        raise NoMeaningError
    call = f"{e.refer(transpose)}(a, {e.use(source, 'b32')})"
    e.write(destination, e.assign(call), "b32")
