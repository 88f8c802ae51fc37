// What L1 passes on to L2 counts for what the other kernels of a program take: stores and atomics.
#include <cuda_runtime.h>

const int NX = 4096, NY = 1024, CELLS = NX * NY;

__global__ void scatter(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = in[i];  // expect: CU102; CU503
}

__global__ void rim(float *grid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    grid[y * NX] = grid[y * NX + 1] + 0.5f;  // undecided: CU101 (little of its program) "of what `scatter` does in this program"
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 8L * CELLS * sizeof(float));
    cudaMalloc(&in, CELLS * sizeof(float));
    for (int turn = 0; turn < 500; turn++) {
        scatter<<<CELLS / 256, 256>>>(out, in);
        rim<<<NY / 64, 64>>>(out);
    }
}
