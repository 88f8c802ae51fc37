"""Small kernels in PTX, and a short way to run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perflint.grammar import parse
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Argument, Budget, Buffer, Dim3, Fill, Launch, Run, Scalar

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"

#: Registers that every body may use, and pointers `%in` and `%out` to the two buffers; `%t` is the
#: thread's number in the grid along x, `%mine_in` and `%mine_out` point to its 4-byte elements.
PROLOGUE = """
    .reg .pred %p<8>;
    .reg .b16 %h<8>;
    .reg .b32 %r<32>, %t, %i;
    .reg .f32 %f<8>;
    .reg .f64 %fd<8>;
    .reg .b64 %rd<16>, %in, %out, %mine_in, %mine_out;
    ld.param.u64 %in, [p_in];
    ld.param.u64 %out, [p_out];
    cvta.to.global.u64 %in, %in;
    cvta.to.global.u64 %out, %out;
    mov.u32 %i, %tid.x;
    mov.u32 %t, %ctaid.x;
    mov.u32 %r0, %ntid.x;
    mad.lo.s32 %t, %t, %r0, %i;
    mul.wide.u32 %rd0, %t, 4;
    add.s64 %mine_in, %in, %rd0;
    add.s64 %mine_out, %out, %rd0;
"""


def kernel(body: str, outside: str = "", directives: str = "") -> Module:
    """A module with one kernel `k(in, out)` whose body follows the prologue."""
    return parse(
        f"{HEADER}{outside}\n.visible .entry k(.param .u64 p_in, .param .u64 p_out) {directives}\n"
        f"{{{PROLOGUE}{body}\n    ret;\n}}\n"
    )


def launch(
    module: Module,
    data: np.ndarray | None = None,
    *,
    grid: Dim3 = (1, 1, 1),
    block: Dim3 = (32, 1, 1),
    out: np.ndarray | None = None,
    shared: int = 0,
    tracers: Sequence[Any] = (),
    **options: Any,
) -> Run:
    """Run kernel `k` over all blocks."""
    arguments: tuple[Argument, ...] = (
        Buffer("in", data=data, limit=64),
        Buffer("out", data=out),
    )
    blocks = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    options.setdefault("blocks", blocks)
    what = Launch(grid, block, arguments, shared)
    return simulate(module, "k", what, SimulationOptions(**options), tracers=tracers)


def result(run: Run, dtype: str = "i4") -> np.ndarray:
    """The output buffer as numbers; the run must have gone through."""
    assert run.stop is None, run.stop
    return run.buffers["out"].view(dtype)


__all__ = ["Budget", "Buffer", "Fill", "Launch", "Scalar", "kernel", "launch", "result"]
