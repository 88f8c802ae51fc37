"""Matrix instructions against NumPy; fragments as the manual lays them out (PTX ISA 9.7.14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from perflint.grammar import parse
from perflint.sim import simulate
from perflint.sim.launch import Buffer, Launch, UnsupportedInstructionError
from tests.sim.kernels import result

#: (group, thread in group, i) -> index, of the manual's "row =" and "col =" lines.
Place = Callable[[int, int, int], int]


@dataclass(frozen=True)
class Case:
    """An `mma` with the manual's formulas: registers of a, b, c; row and column of each element."""

    name: str
    extents: tuple[int, int, int]
    registers: tuple[int, int, int]
    a_row: Place
    a_column: Place
    b_row: Place
    c_rows: int  #: 8 or 16


def _upper(rows: int, period: int) -> Place:
    """Elements in turns of `period`, of this row group and of the one eight below."""
    return lambda g, t, i: g + 8 * (i // period % 2 if rows == 16 else 0)


CASES = [
    Case("m16n8k8.row.col.f32.f16.f16.f32", (16, 8, 8), (2, 1, 4), _upper(16, 2),
         lambda g, t, i: t * 2 + (i & 1), lambda g, t, i: t * 2 + i, 16),
    Case("m16n8k16.row.col.f32.f16.f16.f32", (16, 8, 16), (4, 2, 4), _upper(16, 2),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 4 else 0),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 2 else 0), 16),
    Case("m16n8k16.row.col.f16.f16.f16.f16", (16, 8, 16), (4, 2, 2), _upper(16, 2),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 4 else 0),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 2 else 0), 16),
    Case("m16n8k16.row.col.f32.bf16.bf16.f32", (16, 8, 16), (4, 2, 4), _upper(16, 2),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 4 else 0),
         lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 2 else 0), 16),
    Case("m16n8k4.row.col.f32.tf32.tf32.f32", (16, 8, 4), (2, 1, 4), _upper(16, 1),
         lambda g, t, i: t, lambda g, t, i: t, 16),
    Case("m16n8k8.row.col.f32.tf32.tf32.f32", (16, 8, 8), (4, 2, 4), _upper(16, 1),
         lambda g, t, i: t + (4 if i >= 2 else 0), lambda g, t, i: t + (4 if i >= 1 else 0), 16),
    Case("m8n8k4.row.col.f64.f64.f64.f64", (8, 8, 4), (1, 1, 2), _upper(8, 1),
         lambda g, t, i: t, lambda g, t, i: t, 8),
    Case("m16n8k16.row.col.f64.f64.f64.f64", (16, 8, 16), (8, 4, 4), _upper(16, 1),
         lambda g, t, i: (i * 2 if i % 2 == 0 else i * 2 - 2) + t, lambda g, t, i: i * 4 + t, 16),
    Case("m8n8k16.row.col.s32.u8.s8.s32", (8, 8, 16), (1, 1, 2), _upper(8, 1),
         lambda g, t, i: t * 4 + i, lambda g, t, i: t * 4 + i, 8),
    Case("m16n8k16.row.col.s32.s8.s8.s32", (16, 8, 16), (2, 1, 4), _upper(16, 4),
         lambda g, t, i: t * 4 + (i & 3), lambda g, t, i: t * 4 + i, 16),
    Case("m16n8k32.row.col.s32.s8.u8.s32", (16, 8, 32), (4, 2, 4), _upper(16, 4),
         lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 8 else 0),
         lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 4 else 0), 16),
    Case("m16n8k64.row.col.s32.s4.u4.s32", (16, 8, 64), (4, 2, 4), _upper(16, 8),
         lambda g, t, i: t * 8 + (i & 7) + (32 if i >= 16 else 0),
         lambda g, t, i: t * 8 + (i & 7) + (32 if i >= 8 else 0), 16),
    Case("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", (8, 8, 128), (1, 1, 2), _upper(8, 1),
         lambda g, t, i: t * 32 + i, lambda g, t, i: t * 32 + i, 8),
    Case("m8n8k128.row.col.s32.b1.b1.s32.and.popc", (8, 8, 128), (1, 1, 2), _upper(8, 1),
         lambda g, t, i: t * 32 + i, lambda g, t, i: t * 32 + i, 8),
]  # fmt: skip

BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8,
        "s4": 4, "u4": 4, "b1": 1}  # fmt: skip


def drawn(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    """Numbers whose products and sums are exact in every type that holds them."""
    if kind[0] in "fbt" and kind != "b1":
        return rng.integers(-4, 5, shape).astype(float) / 2
    low, high = {"u": (0, 2 ** BITS[kind] - 1), "b": (0, 1)}.get(
        kind[0], (-(2 ** (min(BITS[kind], 20) - 1)), 2 ** (min(BITS[kind], 20) - 1) - 1)
    )
    return rng.integers(low, high + 1, shape)


def encoded(values: list[float], kind: str) -> bytes:
    """The registers that hold some elements, the first in the lowest bits."""
    bits = BITS[kind]
    codes = {
        "f64": "f8",
        "f32": "f4",
        "tf32": "f4",
        "f16": "f2",
        "s32": "i4",
        "s8": "i1",
        "u8": "u1",
    }
    if kind in codes:
        return np.array(values).astype(codes[kind]).tobytes()
    if kind == "bf16":
        return (np.array(values, "f4").view("u4") >> 16).astype("u2").tobytes()
    word = sum((int(v) & ((1 << bits) - 1)) << (bits * k) for k, v in enumerate(values))
    return word.to_bytes(len(values) * bits // 8, "little")


def run_mma(case: Case, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Give every lane its fragments, run the instruction, put the result together."""
    d_kind, a_kind, b_kind, c_kind = case.name.split(".")[3:7]
    m, n, _ = case.extents
    counts = (*case.registers[:2], case.registers[2])
    size = 8 if a_kind == "f64" else 4
    image = b""
    for lane in range(32):
        g, t = lane // 4, lane % 4
        for kind, count, matrix, row, column in (
            (a_kind, counts[0], a, case.a_row, case.a_column),
            (b_kind, counts[1], b, case.b_row, lambda g, t, i: g),
            (c_kind, counts[2], c, _upper(m, 2), lambda g, t, i: t * 2 + (i & 1)),
        ):
            each = count * 8 * size // BITS[kind]
            places = [(row(g, t, i), column(g, t, i)) for i in range(each)]
            image += encoded([matrix[at] for at in places], kind)
    registers = sum(counts)
    kind = "f64" if size == 8 else "b32"
    loads = "\n".join(f"ld.global.{kind} %x{k}, [%rd1+{k * size}];" for k in range(registers))
    stores = "\n".join(f"st.global.{kind} [%rd2+{k * size}], %y{k};" for k in range(counts[2]))
    held = "f32" if c_kind == "f32" else kind
    turned = "\n".join(
        f"mov.b32 %c{k}, %x{counts[0] + counts[1] + k};" if held == "f32" else ""
        for k in range(counts[2])
    )

    def group(prefix: str, first: int, count: int) -> str:
        return "{" + ", ".join(f"%{prefix}{first + k}" for k in range(count)) + "}"

    last = counts[0] + counts[1]
    accumulators = group("c", 0, counts[2]) if held == "f32" else group("x", last, counts[2])
    module = parse(
        f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p_in, .param .u64 p_out) {{
.reg .{kind} %x<32>; .reg .{held} %y<9>, %c<9>; .reg .b64 %rd<9>; .reg .b32 %r<4>;
ld.param.u64 %rd1, [p_in]; ld.param.u64 %rd2, [p_out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, {registers * size}; add.s64 %rd1, %rd1, %rd3;
mul.wide.u32 %rd4, %r1, {counts[2] * size}; add.s64 %rd2, %rd2, %rd4;
{loads}
{turned}
mma.sync.aligned.{case.name} {group("y", 0, counts[2])}, {group("x", 0, counts[0])},
    {group("x", counts[0], counts[1])}, {accumulators};
{stores}
ret; }}"""
    )
    buffers = (Buffer("in", data=np.frombuffer(image, np.uint8)), Buffer("out"))
    out = result(simulate(module, "k", Launch((1, 1, 1), (32, 1, 1), buffers)), "u1")
    codes = {"f64": "f8", "f32": "f4", "f16": "f2", "s32": "i4"}
    numbers = out[: 32 * counts[2] * size].view(codes[d_kind]).reshape(32, -1)
    whole = np.full((m, n), np.nan)
    for lane in range(32):
        for i, value in enumerate(numbers[lane]):
            whole[_upper(m, 2)(lane // 4, lane % 4, i), lane % 4 * 2 + (i & 1)] = value
    return whole


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_mma_multiplies_the_matrices_that_its_fragments_hold(case: Case) -> None:
    m, n, k = case.extents
    rng = np.random.default_rng(sum(case.name.encode()))
    kinds = case.name.split(".")[3:7]
    a, b, c = (
        drawn(rng, kind, shape)
        for kind, shape in zip(kinds[1:], [(m, k), (k, n), (m, n)], strict=True)
    )
    want = a @ b if "xor" not in case.name else (a[:, :, None] ^ b[None]).sum(axis=1)
    assert np.array_equal(run_mma(case, a, b, c), want + c)


def test_mma_reads_no_more_than_tf32_of_its_sources() -> None:
    case = next(each for each in CASES if each.name.startswith("m16n8k4"))
    a, b = np.full((16, 4), 1 + 2.0**-20), np.ones((4, 8))
    assert np.array_equal(run_mma(case, a, b, np.zeros((16, 8))), np.full((16, 8), 4.0))


@pytest.mark.parametrize(
    "name", ["m16n8k16.row.row.f32.f16.f16.f32", "m16n8k32.row.col.f32.f16.f16.f32"]
)
def test_shapes_that_do_not_exist_are_refused(name: str) -> None:
    case = Case(name, (16, 8, 16), (4, 2, 4), CASES[1].a_row, CASES[1].a_column, CASES[1].b_row, 16)
    ones = np.ones((16, 16))
    with pytest.raises(UnsupportedInstructionError, match=r"mma\.sync"):
        run_mma(case, ones, ones, ones)


#: shape, type of a and b, type of c and d, registers of a, b and c (PTX ISA 9.7.14.4.1)
WMMA = [
    ("m16n16k16", "f16", "f32", (8, 8, 8)),
    ("m16n16k16", "f16", "f16", (8, 8, 4)),
    ("m8n32k16", "f16", "f32", (8, 8, 8)),
    ("m32n8k16", "f16", "f32", (8, 8, 8)),
    ("m16n16k16", "bf16", "f32", (4, 4, 8)),
    ("m8n32k16", "bf16", "f32", (2, 8, 8)),
    ("m16n16k8", "tf32", "f32", (4, 4, 8)),
    ("m16n16k16", "u8", "s32", (2, 2, 8)),
    ("m32n8k16", "s8", "s32", (4, 1, 8)),
    ("m8n8k32", "s4", "s32", (1, 1, 2)),
    ("m8n8k4", "f64", "f64", (1, 1, 2)),
]


#: Of 4-bit elements a lies by rows and b by columns only.
LAID_OUT = [
    (*case, layouts)
    for case in WMMA
    for layouts in (("row", "col", "row"), ("col", "row", "col"))
    if case[1] != "s4" or layouts[0] == "row"
]


@pytest.mark.parametrize(("shape", "kind", "total", "counts", "layouts"), LAID_OUT)
def test_wmma_loads_multiplies_and_stores(
    shape: str, kind: str, total: str, counts: tuple[int, int, int], layouts: tuple[str, ...]
) -> None:
    m, n, k = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
    rng = np.random.default_rng(3)
    a, b, c = drawn(rng, kind, (m, k)), drawn(rng, kind, (k, n)), drawn(rng, total, (m, n))
    pad = 8

    def image(matrix: np.ndarray, layout: str, element: str) -> tuple[bytes, int]:
        by_rows = matrix if layout == "row" else matrix.T
        padded = np.zeros((by_rows.shape[0], by_rows.shape[1] + pad))
        padded[:, : by_rows.shape[1]] = by_rows
        return encoded(list(padded.reshape(-1)), element), padded.shape[1]

    (first, lda), (second, ldb), (third, ldc) = (
        image(x, layout, element)
        for x, layout, element in zip((a, b, c), layouts, (kind, kind, total), strict=True)
    )
    held = [
        "f64" if element == "f64" else "f32" if element == "f32" else "b32"
        for element in (kind, kind, total)
    ]
    regs = [
        "{" + ", ".join(f"%{x}{i}" for i in range(count)) + "}"
        for x, count in zip("abc", counts, strict=True)
    ]
    types = f"{total}.{total}" if kind == "f16" else f"{total}.{kind}.{kind}.{total}"
    sync = "sync.aligned"
    module = parse(
        f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p_in, .param .u64 p_out) {{
.reg .{held[0]} %a<9>; .reg .{held[1]} %b<9>; .reg .{held[2]} %c<9>; .reg .b64 %rd<9>;
.reg .b32 %r<9>;
ld.param.u64 %rd1, [p_in]; ld.param.u64 %rd2, [p_out]; mov.u32 %r1, {lda};
wmma.load.a.{sync}.{layouts[0]}.{shape}.global.{kind} {regs[0]}, [%rd1], %r1;
wmma.load.b.{sync}.{layouts[1]}.{shape}.{kind} {regs[1]}, [%rd1+{len(first)}], {ldb};
wmma.load.c.{sync}.{layouts[2]}.{shape}.global.{total}
    {regs[2]}, [%rd1+{len(first + second)}], {ldc};
wmma.mma.{sync}.{layouts[0]}.{layouts[1]}.{shape}.{types}
    {regs[2]}, {regs[0]}, {regs[1]}, {regs[2]};
wmma.store.d.{sync}.{layouts[2]}.{shape}.global.{total} [%rd2], {regs[2]}, {ldc};
ret; }}"""
    )
    data = np.frombuffer(first + second + third, np.uint8)
    run = simulate(
        module, "k", Launch((1, 1, 1), (64, 1, 1), (Buffer("in", data=data), Buffer("out")))
    )
    code = {"f64": "f8", "f32": "f4", "f16": "f2", "s32": "i4"}[total]
    out = result(run, "u1")
    lines = m if layouts[2] == "row" else n
    size = lines * ldc * np.dtype(code).itemsize
    whole = np.zeros(size, np.uint8)
    whole[: len(out)] = out[:size]
    got = whole.view(code).reshape(lines, ldc)[:, : ldc - pad]
    assert np.array_equal(got if layouts[2] == "row" else got.T, a @ b + c)


MATRICES = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p_in, .param .u64 p_out) {
.reg .b32 %r<20>; .reg .b64 %rd<9>;
.shared .align 16 .b8 tile[512];
ld.param.u64 %rd1, [p_in]; ld.param.u64 %rd2, [p_out];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;
cvt.u64.u32 %rd3, %r2; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1];
INSTRUCTIONS
bar.sync 0;
ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r3];
st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
ret; }"""


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_stmatrix_and_ldmatrix_are_inverse(turns: int) -> None:
    """Load, perhaps transposed, and store, perhaps transposed: the rows come back, or columns."""
    load = ".trans" if turns >= 1 else ""
    store = ".trans" if turns >= 2 else ""
    body = f"""st.shared.v4.b32 [%r3], {{%r4, %r5, %r6, %r7}};
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4{load}.shared.b16 {{%r8, %r9, %r10, %r11}}, [%r3];
bar.sync 0;
stmatrix.sync.aligned.m8n8.x4{store}.shared.b16 [%r3], {{%r8, %r9, %r10, %r11}};"""
    data = np.arange(256, dtype=np.uint16)
    module = parse(MATRICES.replace("INSTRUCTIONS", body))
    run = simulate(
        module, "k", Launch((1, 1, 1), (32, 1, 1), (Buffer("in", data=data), Buffer("out")))
    )
    got = result(run, "u2")[:256].reshape(4, 8, 8)
    want = data.reshape(4, 8, 8)
    assert np.array_equal(got, want.transpose(0, 2, 1) if turns == 1 else want)


def test_movmatrix_transposes_across_lanes() -> None:
    body = """st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r3];
movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r8;
stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r8};"""
    data = np.arange(256, dtype=np.uint16)
    module = parse(MATRICES.replace("INSTRUCTIONS", body))
    run = simulate(
        module, "k", Launch((1, 1, 1), (32, 1, 1), (Buffer("in", data=data), Buffer("out")))
    )
    assert np.array_equal(result(run, "u2")[:64].reshape(8, 8), data[:64].reshape(8, 8).T)
