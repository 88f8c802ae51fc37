"""ptxas's figures against what the source says they must be."""

from __future__ import annotations

from pathlib import Path

from perflint import frontend
from perflint.frontend.nvrtc.resources import parse

SOURCE = """
__global__ void shared(float *out, int j)
{
    __shared__ float tile[96];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[j];
}
__global__ void indexed(float *out, int n, int j)
{
    float own[64];
    for (int i = 0; i < n; i++)
        own[i % 64] = out[i];
    out[threadIdx.x] = own[j];
}
template <int N> __global__ void __launch_bounds__(1024) spilled(float *out)
{
    float v[100], sum = 0.0f;
    for (int i = 0; i < 100; i++)
        v[i] = out[i * N];
    __syncthreads();
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            sum += v[i] * v[j];
    for (int i = 0; i < 100; i++)
        out[i] = v[i] + sum;
}
void launch(float *out) { spilled<3><<<1, 1024>>>(out); }
"""


def test_figures(tmp_path: Path) -> None:
    path = tmp_path / "kernels.cu"
    path.write_text(SOURCE)
    compilation = frontend.compile_file(path)
    figures = {
        compilation.entries[name].kernel: each
        for name, each in frontend.resources(compilation).items()
    }
    assert figures.keys() == {"shared", "indexed", "spilled"}
    assert figures["shared"].shared == 96 * 4 and not figures["shared"].stack
    assert figures["indexed"].stack == 64 * 4 and not figures["indexed"].spill_stores
    assert figures["spilled"].registers <= 65536 // 1024  # or 1024 threads had no room
    assert figures["spilled"].spill_stores and figures["spilled"].spill_loads
    assert {each.arch for each in figures.values()} == {"sm_80"}


def test_no_compiler_no_figures(tmp_path: Path) -> None:
    path = tmp_path / "kernel.ptx"
    path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    assert not frontend.resources(frontend.read_ptx(path))


def test_functions_that_are_called_are_not_the_kernel() -> None:
    log = """\
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 48 bytes cumulative stack size, 64 bytes smem
ptxas info    : Function properties for called
ptxas         .     32 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads
"""
    (figures,) = parse(log).values()
    assert (figures.registers, figures.shared, figures.stack) == (40, 64, 48)
    assert (figures.spill_stores, figures.spill_loads, figures.arch) == (4, 8, "sm_90")
