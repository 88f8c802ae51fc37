// Three doubles of each thread: no vector is wider that 24 bytes are a multiple of.
#include <cuda_runtime.h>

__global__ void scale(double3 *out, const double3 *in, double rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double3 mine = in[i];  // expect: CU101
    out[i] = make_double3(mine.x * rate, mine.y * rate, mine.z * rate);  // expect: CU101 "each thread uses all 24 bytes of its element of `out`: let the block copy its elements through shared memory"
}

int main()
{
    double3 *in, *out;
    cudaMalloc(&in, (1 << 20) * sizeof(double3));
    cudaMalloc(&out, (1 << 20) * sizeof(double3));
    scale<<<4096, 256>>>(out, in, 0.5);
}
