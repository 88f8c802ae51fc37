"""What `perflint run --check` says of errors: the truth, in the program's own terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.run.conftest import Finished, compiled, perflint_run

FLAGS = ("-cudart", "shared", "-lineinfo", "-Xcompiler", "-g")


def checked(folder: Path, text: str, *arguments: str) -> tuple[Finished, list[dict[str, Any]]]:
    """A program's run, and its errors in the order of the source."""
    source = folder / "program.cu"
    source.write_text(text)
    program = compiled(source, *FLAGS)
    done = perflint_run("--check", "--no-findings", "--output-format", "json", "--",
                        str(program), *arguments)  # fmt: skip
    return done, json.loads(done.out.splitlines()[-1] if "\n[" in done.out else done.out)


#: Prints where its arrays lie, reads beyond one, then uses one that it has freed.
FREED = """#include <cstdio>
__global__ void copy(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x];
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 512), cudaMalloc(&b, 1024), cudaMemset(a, 0, 512);
  fprintf(stderr, "%p %p\\n", a, b);
  copy<<<1, 256>>>(a, b);
  copy<<<1, 160>>>(a, b);
  cudaFree(b);
  copy<<<1, 128>>>(a, b);
  cudaDeviceSynchronize();
  void *more;
  fprintf(stderr, "%d\\n", cudaMalloc(&more, 4));
}
"""


def test_addresses_and_freed_memory(libraries: Path, tmp_path: Path) -> None:
    done, found = checked(tmp_path, FREED)
    a, b = next(line.split() for line in done.err.splitlines() if line.startswith("0x"))
    assert [each["code"] for each in found] == ["RT001", "RT001"], found
    freed, beyond = found  # in the order of their columns
    assert f"byte 512 of `in`, which has 512 bytes from {a}" in beyond["message"]
    assert "seen in 2 launches" in str(beyond)
    assert f"store of 4 bytes at {b}: byte 0 of `out`" in freed["message"]
    assert "it was freed in main" in freed["message"]
    assert "it ended the launch" in str(freed)
    assert f"illegal address {b}: byte 0 of `out`, which was freed in main" in done.err
    assert "\n700\n" in done.err  # the error stays


#: One misaligned access in global memory, or in shared memory, before one that does no harm.
MISALIGNED = """
__global__ void global(float4 *in, float4 *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void shared(float4 *out) {
  __shared__ __align__(16) float tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = i;
  __syncthreads();
  out[threadIdx.x] = ((float4 *)(tile + 1))[threadIdx.x & 7];
}
int main(int n, char **) {
  float *p;
  cudaMalloc(&p, 4096), cudaMemset(p, 0, 4096);
  if (n > 1) shared<<<1, 32>>>((float4 *)p);
  else global<<<1, 32>>>((float4 *)(p + 1), (float4 *)(p + 512));
  return cudaDeviceSynchronize() == cudaErrorMisalignedAddress ? 0 : 3;
}
"""


def test_a_misaligned_access_ends_the_launch(libraries: Path, tmp_path: Path) -> None:
    for more, where in ((), "byte 4 of `in`"), (("shared",), "byte 4 of shared memory"):
        done, (found,) = checked(tmp_path, MISALIGNED, *more)
        assert (done.status, found["code"]) == (1, "RT002"), done
        assert where in found["message"]
        assert "thread (0, 0, 0) of block (0, 0, 0), and 31 more threads" in found["message"]


#: Warps that meet at different barriers, and ones that only differ in their turns of a loop.
BARRIERS = """
__global__ void apart(int *out) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = 1;
    __syncthreads();
  }
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void turns(int *out, int n) {
  for (int i = 0; i < n + threadIdx.x / 32; i++) __syncthreads();
  out[threadIdx.x] = 1;
}
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  apart<<<2, 64>>>(p);
  turns<<<2, 64>>>(p, 3);
  return cudaDeviceSynchronize();
}
"""


def test_warps_at_different_barriers(libraries: Path, tmp_path: Path) -> None:
    done, (found,) = checked(tmp_path, BARRIERS)
    assert (done.status, found["code"], found["kernel"]) == (1, "RT005", "apart"), done
    assert "meet at different barriers" in found["message"]
    lines = {found["location"]["row"], int(found["message"].rpartition(":")[2])}
    assert lines == {5, 8}


#: Waits that never end: for what warps at a barrier would store, for a lock that nobody holds, for
#: memory that only the program can write.
SPINS = """
__global__ void flag(volatile int *out) {
  if (threadIdx.x < 32)
    while (out[200] == 0);
  __syncthreads();
  out[200] = 1;
}
__global__ void lock(int *held) {
  while (atomicCAS(held, 0, 1) != 0);
}
__global__ void hand(volatile int *out) {
  if (blockIdx.x == 0)
    while (out[0] == 0);
  else
    out[0] = 1;
}
int main(int n, char **v) {
  int *p;
  if (n > 2) cudaMallocManaged(&p, 4096);
  else cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  hand<<<2, 64>>>(p);
  cudaMemset(p, 0, 4096);
  if (v[1][0] == 'f') flag<<<1, 64>>>(p);
  if (v[1][0] == 'l') lock<<<1, 64>>>(p);
  cudaDeviceSynchronize();
}
"""


def test_a_wait_that_never_ends(libraries: Path, tmp_path: Path) -> None:
    done, (found,) = checked(tmp_path, SPINS, "flag")
    assert (done.status, found["code"], found["kernel"]) == (1, "RT005", "flag"), done
    assert "deadlock: at this barrier 32 threads wait for 32 others" in found["message"]
    lines = {found["location"]["row"], int(found["message"].rpartition(":")[2])}
    assert lines == {4, 5}
    for how in ("lock",), ("flag", "managed"):  # the program might end these
        done, found = checked(tmp_path, SPINS, *how)
        assert (done.status, found) == (2, []), done
        last = done.err.splitlines()[-1]
        assert "1 kernel and 1 launch of program: " in last
        assert f"program.cu:{9 if how == ('lock',) else 4}: " in last
        assert "a launch ends before it goes on" in last


#: Copies of what nobody wrote, plain, in vectors, with padding, over shared memory and by the host;
#: what the argument says uses one.
COPIES = """
struct Padded { char c; int v; };
__global__ void plain(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void vectors(const int4 *in, int4 *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void structs(const Padded *in, Padded *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void tile(const int *in, int *out) {
  __shared__ int t[32];
  t[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[31 - threadIdx.x];
}
__global__ void shared_use(const int *in, int *out) {
  __shared__ int t[32];
  t[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[31 - threadIdx.x] * 2;
}
__global__ void use(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
int main(int n, char **v) {
  int *a, *b, *c, *known, *shared;
  cudaMalloc(&a, 1024), cudaMalloc(&b, 1024), cudaMalloc(&c, 1024), cudaMalloc(&known, 1024);
  cudaMallocManaged(&shared, 1024);
  cudaMemset(known, 0, 1024);
  plain<<<1, 32>>>(a, b);
  plain<<<1, 32>>>(a, shared);
  vectors<<<1, 32>>>((int4 *)a, (int4 *)b);
  structs<<<1, 32>>>((Padded *)a, (Padded *)b);
  tile<<<1, 32>>>(b, c);
  cudaMemcpy(b, c, 1024, cudaMemcpyDeviceToDevice);
  if (v[1][0] == 'h') {
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++) shared[i] = i;
    use<<<1, 32>>>(shared, a);
    plain<<<1, 32>>>(known, b);
    use<<<1, 32>>>(b, a);
  }
  if (v[1][0] == 'u') use<<<1, 32>>>(b, known);
  if (v[1][0] == 's') shared_use<<<1, 32>>>(b, known);
  return cudaDeviceSynchronize();
}
"""


def test_unwritten_memory_is_told_where_it_is_used(libraries: Path, tmp_path: Path) -> None:
    assert checked(tmp_path, COPIES, "nothing")[1] == []
    assert checked(tmp_path, COPIES, "host writes")[1] == []
    for how, row, what in (("use", 18, "byte 0 of `in`"), ("shared", 16, "of shared memory")):
        done, (found,) = checked(tmp_path, COPIES, how)
        assert (done.status, found["code"], found["location"]["row"]) == (1, "RT003", row), found
        assert f"{what}, a copy of what nobody has written" in found["message"]
