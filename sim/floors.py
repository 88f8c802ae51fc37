"""Floors: cycles of a multiprocessor below which no schedule of the same work goes.

Each unit of a multiprocessor takes in so much per cycle and no more, so that the work of a launch
divided by the rate bounds its time from below, whatever the order of warps. The work is counted on
PTX, and only what ptxas cannot make less of counts: requests to memory, products and sums of
floats as if every pair that may be one `fma` were one, products of matrices, results of the special
function unit and conversions of doubles, which are its work too.
The largest of the units' floors holds; their sum would not, since they work side by side. Latency,
L2 and DRAM are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil

import numpy as np

from perflint.grammar import model as ptx
from perflint.grammar import table
from perflint.sim.architecture import Architecture

#: What is counted of each block. `fma`, `add` and `mul` are warp instructions of a pipe, `special`
#: and `lsu` warp instructions, `tensor` sixteenths of products of halves; the others are cycles
#: already, added up request by request.
COUNTS = (
    *(f"{kind}{bits}" for bits in (32, 64) for kind in ("fma", "add", "mul")),
    "special",
    "tensor",
    "lsu",
    "tags",
    "data",
    "shared",
)

_KINDS = {"fma": "fma", "mad": "fma", "add": "add", "sub": "add", "mul": "mul"}
#: Each takes a result of the special function unit at least, whatever ptxas puts around it. Not a
#: division: two by one divisor may share theirs. Conversions between doubles and floats are
#: its work as well: it is the "transcendental and data type conversion unit" (XU) of Nsight
#: Compute's Kernel Profiling Guide, and the Programming Guide's rates of them are never above it.
_SPECIAL = frozenset({"sin", "cos", "lg2", "ex2", "rsqrt", "rcp", "sqrt", "tanh"})
#: What a product of these takes of a tensor core, in sixteenths of one of halves (NVIDIA, A100
#: whitepaper, table of peak rates): `tf32` runs at half the rate of halves, bytes at twice it.
_SIXTEENTHS = {
    "tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_TYPE = re.compile(r"[sub]\d+|b?f\d+|tf32|e\dm\d")


def counted_as(instruction: ptx.Instruction) -> str:
    """The count of `COUNTS` that an arithmetic instruction adds to; "" for all others."""
    if _products(instruction):
        return "tensor"
    kind, named = _KINDS.get(instruction.opcode), table.types(instruction)
    if instruction.opcode == "cvt":
        return "special" if set(named) == {"f32", "f64"} else ""
    if "f64" in named[-1:]:
        return f"{kind}64" if kind else ""
    if "f32" not in named[-1:]:
        return ""
    return f"{kind}32" if kind else "special" if instruction.opcode in _SPECIAL else ""


def weight(instruction: ptx.Instruction) -> int:
    """What one warp instruction adds to its count."""
    return _products(instruction) or 1


def _products(instruction: ptx.Instruction) -> int:
    """Products of a warp-wide product of matrices, in sixteenths of one of halves; 0 of others.

    Sparse ones leave half of theirs out, and doubles have a rate of their own: 0 too.
    """
    modifiers = instruction.modifiers
    dense = instruction.opcode == "mma" or (instruction.opcode == "wmma" and "mma" in modifiers)
    shape = next((found for m in modifiers if (found := _SHAPE.fullmatch(m))), None)
    if not dense or shape is None or "f64" in modifiers or modifiers[:1] == ("sp",):
        return 0
    # the types of D, A, B and C; wmma on halves has those of D and C only
    written = [m for m in modifiers if _TYPE.fullmatch(m)]
    multiplied = written[1:3] if len(written) == 4 else ["f16"]
    if len(written) not in (2, 4) or not _SIXTEENTHS.keys() >= set(multiplied):
        return 0
    cost = min(_SIXTEENTHS[each] for each in multiplied)
    m, n, k = map(int, shape.groups())
    return m * n * k * cost


def floor(counts: np.ndarray, arch: Architecture) -> Mapping[str, float]:
    """Cycles of one multiprocessor that does all of `counts`, (len(COUNTS),) or (blocks, …)."""
    return {unit: float(found.sum()) for unit, found in cycles(counts, arch).items()}


def cycles(counts: np.ndarray, arch: Architecture) -> Mapping[str, np.ndarray]:
    """Cycles of each unit for each row of `counts`, (blocks, len(COUNTS)): {unit: (blocks,)}.

    A rate that is only recalled bounds nothing, and is left out.
    """
    of = dict(zip(COUNTS, np.atleast_2d(counts).T, strict=True))
    single, double = _fused(of, 32), _fused(of, 64)
    work = {
        "issue": single + double + of["special"] + of["lsu"],
        "fp32": 32 * single,
        "fp64": 32 * double,
        "special": 32 * of["special"],
        "tensor": of["tensor"] / 16,
        "lsu": of["lsu"],
        "tags": of["tags"],
        "l1_bytes": of["data"],
        "shared_wavefronts": of["shared"],
    }
    rates = {u: r.value for u, r in arch.rates.items() if r.status != "recalled" and r.value}
    done = {"tags", "l1_bytes"}  # counted in cycles, with their rates
    return {
        unit: work[unit] / (1 if unit in done else rates[unit]) for unit in work if unit in rates
    }


def instructions(counts: np.ndarray) -> Mapping[str, int]:
    """Warp instructions that any machine code takes for `counts` at least, by pipe."""
    of = dict(zip(COUNTS, np.atleast_2d(counts).sum(axis=0), strict=True))
    single, double = _fused(of, 32), _fused(of, 64)
    found = {"fp32": single, "fp64": double, "special": of["special"], "lsu": of["lsu"]}
    return {pipe: int(number) for pipe, number in found.items()}


def of_instructions(least: Mapping[str, int], arch: Architecture) -> Mapping[str, float]:
    """Cycles that warp instructions take of a launch's multiprocessors, shared out evenly.

    `least` are those that are issued, and those of pipes, by the names of their rates.
    """
    rates = {u: r.value for u, r in arch.rates.items() if r.status != "recalled" and r.value}
    return {
        unit: number * (1 if unit == "issue" else 32) / rates[unit] / arch.multiprocessors
        for unit, number in least.items()
        if unit in rates
    }


def of_launch(counts: np.ndarray, arch: Architecture) -> Mapping[str, float]:
    """Cycles of a launch on all of a GPU's multiprocessors, whose every block was counted.

    By unit the larger of two: all blocks' work shared out evenly, and the most blocks that one
    multiprocessor must take times the cheapest block, since a block stays where it was started.
    """
    most = ceil(len(counts) / arch.multiprocessors)
    return {
        unit: max(float(found.sum()) / arch.multiprocessors, most * float(found.min()))
        for unit, found in cycles(counts, arch).items()
    }


def _fused(of: Mapping[str, np.ndarray], bits: int) -> np.ndarray:
    """Fewest instructions that sums and products become: ptxas fuses one of each at best."""
    return np.asarray(of[f"fma{bits}"] + np.maximum(of[f"add{bits}"], of[f"mul{bits}"]))
