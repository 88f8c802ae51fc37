"""Tensor memory and what moves and multiplies there (PTX ISA 9.7.16)."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Launch, Run, UnsupportedInstructionError
from perflint.sim.program import build
from perflint.sim.slice import Part
from perflint.sim.tracers.memory_checker import MemoryChecker
from tests.sim.kernels import kernel, launch, result
from tests.sim.traces import difference, seen

OUTSIDE = (
    ".shared .align 4 .b32 slot;\n.shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[16384];\n"
)
#: Warp 0 allocates; `%t0` is the address, `%tw` that of the warp's own lanes.
TAKE = """
    .reg .b32 %v<129>, %w<129>, %t0, %tw, %warp;
    shr.u32 %warp, %i, 5;
    setp.eq.u32 %p1, %warp, 0;
    @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], COLUMNS;
    @%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    ld.shared.u32 %t0, [slot];
    shl.b32 %tw, %warp, 21;
    add.u32 %tw, %tw, %t0;
"""


def take(columns: int) -> str:
    return TAKE.replace("COLUMNS", str(columns))


def vector(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{k}" for k in range(count)) + "}"


def stored(name: str, count: int, first: int, pitch: int) -> str:
    """Each thread's registers behind one another, in a row of `pitch` words."""
    lines = [f"mul.lo.u32 %r1, %t, {4 * pitch};\ncvt.u64.u32 %rd1, %r1;\nadd.s64 %rd1, %rd1, %out;"]
    lines += [f"st.global.b32 [%rd1+{4 * (first + k)}], %{name}{k};" for k in range(count)]
    return "\n".join(lines)


def run(module: Module, data: np.ndarray | None = None, blocks: int = 1) -> Run:
    return launch(module, data, grid=(blocks, 1, 1), block=(128, 1, 1), arch="sm_100")


#: Where the words of a fragment lie in rows of `w` columns: (thread modes, value modes), each mode
#: (extent, stride), the first the fastest; as CUTLASS has it in its copy_traits_sm100.hpp.
LAYOUTS = {
    "32x32b": lambda n, w: (((32, w),), ((n, 1),)),
    "16x64b": lambda n, w: (((2, 8 * w), (2, 1), (8, w)), ((n, 2),)),
    "16x128b": lambda n, w: (((4, 1), (8, w)), ((2, 8 * w), (n, 4))),
    "16x256b": lambda n, w: (((4, 2), (8, w)), ((2, 1), (2, 8 * w), (n, 8))),
    "16x32bx2": lambda n, w: (((16, w), (2, n)), ((n, 1),)),
}
COLUMNS = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8, "16x32bx2": 2}


def words(modes: tuple[tuple[int, int], ...]) -> np.ndarray:
    found = np.zeros(1, np.int64)
    for extent, stride in modes:
        found = (np.arange(extent)[:, None] * stride + found).reshape(-1)
    return found


@pytest.mark.parametrize(
    ("shape", "times"),
    [("32x32b", 1), ("32x32b", 2), ("32x32b", 128), ("16x64b", 1), ("16x64b", 4), ("16x64b", 64),
     ("16x128b", 1), ("16x128b", 2), ("16x128b", 32), ("16x256b", 1), ("16x256b", 2),
     ("16x256b", 16), ("16x32bx2", 1), ("16x32bx2", 4), ("16x32bx2", 64)],
)  # fmt: skip
@pytest.mark.parametrize("first", [0, 128])
def test_fragments_lie_as_the_manual_shows(shape: str, times: int, first: int) -> None:
    """Stored in a shape, loaded in the same one and lane by lane."""
    width = COLUMNS[shape] * times
    thread, value = (words(modes) for modes in LAYOUTS[shape](times, width))
    count = len(value)
    split = f", {times}" if shape == "16x32bx2" else ""
    body = take(512)
    body += "".join(f"mad.lo.u32 %v{k}, %i, 1000, {k + 1};\n" for k in range(count))
    body += f"""
    tcgen05.st.sync.aligned.{shape}.x{times}.b32 [%tw+{first}]{split}, {vector("v", count)};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.{shape}.x{times}.b32 {vector("w", count)}, [%tw+{first}]{split};
    tcgen05.ld.sync.aligned.32x32b.x{width}.b32 {vector("v", width)}, [%tw+{first}];
    tcgen05.wait::ld.sync.aligned;
    @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t0, 512;
    {stored("w", count, 0, count + width)}
    {stored("v", width, count, count + width)}
"""
    done = run(kernel(body, OUTSIDE), blocks=2)
    assert done.faults == ()
    found = result(done)[: 256 * (count + width)].reshape(2, 4, 32, count + width)
    sent = np.arange(128).reshape(4, 32, 1) * 1000 + np.arange(count) + 1
    held = np.zeros((4, 32 * width), np.int64)
    held[:, thread[:, None] + value] = sent
    for block in found:
        np.testing.assert_array_equal(block[:, :, :count], sent)
        np.testing.assert_array_equal(block[:, :, count:], held.reshape(4, 32, width))


def test_columns_are_given_back() -> None:
    """Two allocations behind one another, then all columns again."""
    alloc = "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot]"
    dealloc = "@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32"
    body = f"""{take(256)}
    {alloc}, 64;
    ld.shared.u32 %v0, [slot];
    {dealloc} %t0, 256;
    {dealloc} %v0, 64;
    {alloc}, 512;
    ld.shared.u32 %v1, [slot];
    @%p1 bra WRITE;
    ret;
WRITE:
    {stored("v", 2, 0, 2)}
"""
    assert result(run(kernel(body, OUTSIDE)))[:2].tolist() == [256, 0]


@pytest.mark.parametrize(
    ("columns", "again", "said"),
    [(512, 32, "32 columns of tensor memory are waited for, 0 of 512 are free"),
     (256, 512, "512 columns of tensor memory are waited for, 256 of 512 are free"),
     (48, 32, "48 columns of tensor memory are no power of two"),
     (1024, 32, "1024 columns of tensor memory are no power of two")],
)  # fmt: skip
def test_a_block_that_takes_too_much_ends(columns: int, again: int, said: str) -> None:
    alloc = "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot]"
    stop = run(kernel(f"{take(columns)}\n{alloc}, {again};", OUTSIDE)).stop
    assert stop is not None
    assert stop.reason == "trap"
    assert said in stop.detail


@pytest.mark.parametrize("address", ["%t0", "%tw+32"], ids=["of another warp", "not allocated"])
def test_a_warp_reaches_its_own_lanes_of_allocated_columns(address: str) -> None:
    body = f"""{take(32)}
    mov.u32 %v0, 7;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [{address}], {{%v0}};
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v1}}, [{address}];
    {stored("v", 2, 0, 2)}
"""
    done = run(kernel(body, OUTSIDE))
    assert {fault.kind for fault in done.faults} == {"out-of-region"}
    out = result(done)[:256].reshape(128, 2)[:, 1]
    reached = 32 if address == "%t0" else 0
    assert out.tolist() == [7] * reached + [0] * (128 - reached)


#: Thread 0 multiplies what all have copied from global to shared memory, 16384 bytes.
PRODUCT = """
    setp.eq.u32 %p2, %i, 0;
    mov.u32 %r2, s;
    shl.b32 %r3, %i, 4;
    mov.u32 %r4, 0;
COPY:
    add.u32 %r5, %r3, %r4;
    cvt.u64.u32 %rd2, %r5;
    add.s64 %rd2, %rd2, %in;
    add.u32 %r5, %r5, %r2;
    cp.async.cg.shared.global [%r5], [%rd2], 16;
    add.u32 %r4, %r4, 2048;
    setp.lt.u32 %p3, %r4, 16384;
    @%p3 bra COPY;
    cp.async.wait_all;
    @%p2 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    fence.proxy.async.shared::cta;
    @!%p2 bra WAIT;
    shr.u32 %r6, %r2, 4;
    cvt.u64.u32 %rd3, %r6;
    mov.pred %p4, 0;
MULTIPLY
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0;
    @!%p5 bra WAIT;
    tcgen05.fence::after_thread_sync;
"""


def loaded(n: int) -> int:
    """A number of columns that there is a load for."""
    return 1 << (n - 1).bit_length()


def product(
    m: int, n: int, steps: int, kind: str = "f16", word: int = 0, form: int = 1 << 46
) -> Module:
    """D = sum of A B over `steps`, no swizzle: pieces of eight rows by 16 bytes, two along k."""
    lines = []
    for step in range(steps):
        for at, name in ((32 * m * step, "%rd4"), (8192 + 32 * n * step, "%rd5")):
            #               stride              leading dimension   start
            fixed = form | (256 >> 4) << 32 | (128 >> 4) << 16 | at >> 4
            lines.append(f"add.s64 {name}, %rd3, {fixed};")
        described = word or m >> 4 << 24 | n >> 3 << 17 | 1 << 4 | (kind == "tf32") * 0x900
        lines.append(f"mov.u32 %r7, {described};")
        lines.append(f"tcgen05.mma.cta_group::1.kind::{kind} [%t0], %rd4, %rd5, %r7, %p4;")
        lines.append("mov.pred %p4, 1;")
    body = take(64) + PRODUCT.replace("MULTIPLY", "\n".join(lines))
    body += f"""
    tcgen05.ld.sync.aligned.32x32b.x{loaded(n)}.b32 {vector("v", loaded(n))}, [%tw];
    tcgen05.wait::ld.sync.aligned;
    @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t0, 64;
    {stored("v", loaded(n), 0, loaded(n))}
"""
    return kernel(body, OUTSIDE)


def pieces(matrix: np.ndarray, steps: int) -> np.ndarray:
    """(rows, columns) as the pieces lie, step after step, filled up to 8192 bytes."""
    each = 16 // matrix.dtype.itemsize
    split = matrix.reshape(len(matrix) // 8, 8, steps, 2, each).transpose(2, 0, 3, 1, 4)
    packed = np.zeros(8192, np.uint8)
    flat = np.ascontiguousarray(split).reshape(-1).view(np.uint8)
    packed[: len(flat)] = flat
    return packed


@pytest.mark.parametrize(
    ("m", "n", "steps", "kind"),
    [(128, 64, 2, "f16"), (128, 16, 1, "f16"), (64, 8, 1, "f16"), (64, 64, 2, "f16"),
     (128, 32, 2, "tf32"), (64, 24, 2, "tf32")],
)  # fmt: skip
def test_a_product_is_numpys(m: int, n: int, steps: int, kind: str) -> None:
    rng = np.random.default_rng(0)
    of, k = (np.float16, 16) if kind == "f16" else (np.float32, 8)
    a = rng.integers(-8, 9, (m, k * steps)).astype(of)
    b = rng.integers(-8, 9, (n, k * steps)).astype(of)
    data = np.concatenate((pieces(a, steps), pieces(b, steps)))
    done = run(product(m, n, steps, kind), data)
    assert done.faults == ()
    found = result(done, "f4")[: 128 * loaded(n)].reshape(4, 32, -1)[:, : m // 4, :n]
    np.testing.assert_array_equal(found.reshape(m, n), a.astype("f4") @ b.astype("f4").T)


@pytest.mark.parametrize(
    ("word", "why"),
    [(8 << 24 | 2 << 17, "other types"), (8 << 24 | 2 << 17 | 1 << 4 | 1 << 2, "other types"),
     (8 << 24 | 2 << 17 | 1 << 4 | 1 << 7, "mixes types"), (2 << 24 | 2 << 17 | 16, "32x16"),
     (8 << 24 | 1 << 17 | 1 << 4, "128x8")],
)  # fmt: skip
def test_products_without_a_certain_meaning_are_refused(word: int, why: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match=why):
        run(product(128, 16, 1, word=word), np.zeros(16384, np.uint8))


@pytest.mark.parametrize(
    "bits",
    [0, 2 << 46, 1 << 46 | 1 << 52, 1 << 46 | 1 << 61, 1 << 46 | 2 << 61 | 1 << 49],
    ids=["of wgmma", "of another version", "absolute", "32-byte atoms", "shifted pattern"],
)
def test_matrix_descriptors_of_other_forms_are_refused(bits: int) -> None:
    with pytest.raises(UnsupportedInstructionError, match="descriptor is of another form"):
        run(product(128, 16, 1, form=bits), np.zeros(16384, np.uint8))


@pytest.mark.parametrize(
    "body",
    [
        "tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;",
        "tcgen05.shift.cta_group::1.down [%r1];",
        "tcgen05.ld.sync.aligned.16x64b.x1.pack::16b.b32 {%r1}, [%r2];",
        "tcgen05.st.sync.aligned.16x64b.x1.unpack::16b.b32 [%r2], {%r1};",
        "tcgen05.ld.sync.aligned.16x64b.x3.b32 {%r1, %r2, %r3}, [%r2];",
        "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r1}, [%r2];",
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], 32;",
        "tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r3, %p1;",
        "tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, %p1;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, {%r4, %r5, %r6, %r7}, %p1;",
    ],
)
def test_what_has_no_certain_meaning_is_named(body: str) -> None:
    name = body.split(".cta_group")[0].split(".sync")[0].removesuffix(".ws")
    with pytest.raises(UnsupportedInstructionError, match=name.replace(".", r"\.")):
        run(kernel(body, OUTSIDE))


def given() -> Launch:
    return Launch((2, 1, 1), (128, 1, 1), (Buffer("in", limit=64), Buffer("out")))


def test_a_sliced_run_shows_what_a_whole_one_shows() -> None:
    """Nothing in tensor memory is computed, all accesses to global memory are traced."""
    module = product(128, 64, 2)
    program = build(module.functions["k"], module, slice_only=True)
    parts = {i.name: program.part(at) for at, i in enumerate(program.kernel.instructions)}
    for name, part in parts.items():
        if name.startswith(("tcgen05.alloc", "tcgen05.mma", "tcgen05.ld", "tcgen05.dealloc")):
            assert part is Part.NOTHING, name
        elif name.startswith(("cp.async.cg", "st.global")):
            assert part is Part.ADDRESS, name
        elif name.startswith(("tcgen05.commit", "mbarrier")):
            assert part is Part.WHOLE, name
    whole = seen(module, "k", given(), arch="sm_100")
    assert difference(whole, seen(module, "k", given(), arch="sm_100", slice_only=True)) == ""


def test_a_plain_run_finds_the_same() -> None:
    module = product(64, 16, 2)
    data = np.frombuffer(np.random.default_rng(1).bytes(16384), np.uint8) & 0x3F  # small numbers
    one, other = (
        launch(module, data, block=(128, 1, 1), arch="sm_100", reference=plain)
        for plain in (False, True)
    )
    np.testing.assert_array_equal(result(one), result(other))


def test_what_an_allocation_writes_counts_as_written() -> None:
    checker = MemoryChecker()
    launch(product(128, 16, 1), block=(128, 1, 1), arch="sm_100", tracers=(checker,))
    assert "uninitialised-shared-read" not in {each.kind for each in checker.violations}


def test_an_index_through_tensor_memory_is_computed() -> None:
    body = f"""{take(32)}
    xor.b32 %v0, %i, 5;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%tw], {{%v0}};
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v1}}, [%tw];
    mul.wide.u32 %rd1, %v1, 4;
    add.s64 %rd1, %rd1, %out;
    st.global.b32 [%rd1], %i;
"""
    module = kernel(body, OUTSIDE)
    whole = seen(module, "k", given(), arch="sm_100")
    assert difference(whole, seen(module, "k", given(), arch="sm_100", slice_only=True)) == ""
    assert result(run(module))[:128].tolist() == [k ^ 5 for k in range(128)]


def test_what_only_whole_runs_need_is_no_obstacle() -> None:
    """A product that the emulator cannot make, in a kernel whose accesses are looked at."""
    scaled = "kind::mxf8f6f4.block_scale [%t0], %rd1, %rd2, %r3, [%r4], [%r5], %p1;"
    body = f"""{take(32)}
    tcgen05.mma.cta_group::1.{scaled}
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v1}}, [%tw];
    st.global.b32 [%mine_out], %v1;
"""
    module = kernel(body, OUTSIDE)
    with pytest.raises(UnsupportedInstructionError, match=r"tcgen05\.mma"):
        run(module)
    assert (
        simulate(module, "k", given(), SimulationOptions(arch="sm_100", slice_only=True)).stop
        is None
    )
