"""Functions of NVIDIA's device runtime that programs only declare: a barrier of the grid."""

from __future__ import annotations

import numpy as np

from perflint.run.modules import parsed
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Launch

#: Each block writes its place, waits for the grid, and reads its neighbour's.
GRID = """
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
.visible .entry neighbours(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [to];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d1, %d3;
  add.u32 %r2, %r1, 100;
  st.global.u32 [%d4], %r2;
  { .param .b32 a; .param .b64 r; st.param.b32 [a], 1;
    call.uni (r), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %d5, [r]; }
  { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %d5; st.param.b32 [b], 0;
    call.uni (r), cudaCGSynchronize, (a, b); }
  mov.u32 %r3, %nctaid.x;
  add.u32 %r1, %r1, 1;
  rem.u32 %r1, %r1, %r3;
  mul.wide.u32 %d6, %r1, 4;
  add.u64 %d6, %d1, %d6;
  ld.global.u32 %r4, [%d6];
  add.u64 %d7, %d2, %d3;
  st.global.u32 [%d7], %r4;
  ret;
}
"""


def test_a_barrier_of_the_grid() -> None:
    module = parsed([GRID], "grid")
    assert not module.functions["cudaCGSynchronize"].declaration
    launch = Launch((4, 1, 1), (64, 1, 1), (Buffer("from", size=16), Buffer("to", size=16)))
    blocks = [(x, 0, 0) for x in range(4)]
    run = simulate(module, "neighbours", launch, SimulationOptions(blocks=blocks))
    assert run.stop is None, run.stop
    assert run.buffers["to"].view("i4")[:4].tolist() == [101, 102, 103, 100]
    assert np.all(run.buffers["from"].view("i4")[:4] == np.arange(100, 104))
