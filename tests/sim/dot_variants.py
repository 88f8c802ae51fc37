"""Compile one matrix product for Hopper or Blackwell in many layouts, run each on the emulator.

A program of its own, for Triton reads kernels from files: prints `exact` for each that agrees with
NumPy. Its argument is the compute capability, 90 or 100.
"""

# ruff: noqa: N803 (constants of a kernel are written in capitals)
from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import perflint


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, n, k, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr, HELD: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * am + inner[None, :] * ak
    b = b_ptr + inner[:, None] * bk + columns[None, :] * bn
    integers: tl.constexpr = a_ptr.dtype.element_ty == tl.int8
    total = tl.zeros((BM, BN), dtype=tl.int32 if integers else tl.float32)
    for _ in range(0, k, BK):
        left = tl.load(a)
        right = tl.load(b)
        if HELD:  # the left matrix then comes from registers
            left = (left + left).to(left.dtype)
        total = tl.dot(left, right, total)
        a += BK * ak
        b += BK * bk
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total)


#: By compute capability: the products' instruction and the variants.
INSTRUCTIONS = {90: "wgmma.mma_async", 100: "tcgen05.mma"}
VARIANTS = {
    90: (
        ("fp16", 64, 64, 64),
        ("fp16", 64, 64, 16),
        ("fp16", 64, 64, 32, True),
        ("fp16", 128, 128, 64, True, True),
        ("fp16", 64, 16, 32),
        ("fp16", 64, 16, 64, False, True, True),
        ("bf16", 128, 64, 64, True, False, False, 8),
        ("fp32", 64, 64, 32, False, True),
        ("fp8e5", 64, 64, 64, False, True),
        ("i8", 64, 64, 64, False, True),
    ),
    100: (
        ("fp16", 128, 64, 64),
        ("fp16", 128, 128, 64, True, True),
        ("fp16", 128, 16, 16, False, True),
        ("fp16", 128, 64, 64, False, False, True),
        ("fp16", 64, 64, 32, False, True, True),
        ("fp16", 128, 128, 64, False, False, False, 8),
        ("bf16", 128, 64, 32, True),
        ("bf16", 64, 8, 64),
        ("fp32", 128, 64, 32, False, True),
        ("fp8e5", 128, 64, 64, False, True),
    ),
}


def numbers(rng, type_, shape):
    """(what the kernel is given, its values) of small integers of a type."""
    if type_ == "i8":
        values = rng.integers(-128, 128, shape)
        return values.astype(np.int8), values
    values = rng.integers(-3, 4, shape)
    if type_ == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), values
    if type_ == "fp8e5":
        return (values.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8), values
    return values.astype(np.float16 if type_ == "fp16" else np.float32), values


def agrees(capability, type_, bm, bn, bk, a_turned=False, b_turned=False, held=False, warps=4):
    pointers = {"a_ptr": f"*{type_}", "b_ptr": f"*{type_}"}
    pointers["c_ptr"] = "*i32" if type_ == "i8" else "*fp32"
    constants = {"BM": bm, "BN": bn, "BK": bk, "HELD": held}
    constants |= {"am" if a_turned else "ak": 1, "bk" if b_turned else "bn": 1}
    types = {
        name: "constexpr" if name in constants else pointers.get(name, "i32")
        for name in matmul.arg_names
    }
    sixteens = {
        (i,): [["tt.divisibility", 16]] for i, t in enumerate(types.values()) if t != "constexpr"
    }
    source = ASTSource(matmul, types, constants, sixteens)
    compiled = triton.compile(
        source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps}
    )
    assert INSTRUCTIONS[capability] in compiled.asm["ptx"]
    rng = np.random.default_rng(1)
    m, n, k = bm, 2 * bn, 2 * bk
    a, a_values = numbers(rng, type_, (m, k))
    b, b_values = numbers(rng, type_, (k, n))
    c = np.zeros((m, n), np.int32 if type_ == "i8" else np.float32)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.ptx"
        file.write_text(compiled.asm["ptx"])
        arch = f"sm_{capability}"
        kernel = perflint.load(file, arch=arch)["matmul"]
        given = [np.ascontiguousarray(a.T if a_turned else a)]
        given += [np.ascontiguousarray(b.T if b_turned else b), c, n, k]
        given += [m if a_turned else k, k if b_turned else n]
        given += [None] * (len(kernel.parameters) - len(given))
        kernel.launch(
            (1, 2), 32 * warps, given, arch=arch, shared=compiled.metadata.shared, check=False
        )
    return np.array_equal(c, (1 + held) * (a_values @ b_values))


if __name__ == "__main__":
    for variant in VARIANTS[int(sys.argv[1])]:
        print("exact" if agrees(int(sys.argv[1]), *variant) else f"WRONG:{variant}")
