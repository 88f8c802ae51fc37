// ok: what is no little part of what the others of its program take together.
#include <cuda_runtime.h>

const int NX = 4096, NY = 1024, CELLS = NX * NY;

__global__ void smooth(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 0.5f + in[i + CELLS];
}

__global__ void damp(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 0.25f - in[i + CELLS];
}

__global__ void rim(float *grid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    grid[y * NX] = grid[y * NX + 1] + 0.5f;  // expect: CU101
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, CELLS * sizeof(float));
    cudaMalloc(&in, 2L * CELLS * sizeof(float));
    for (int turn = 0; turn < 500; turn++) {
        smooth<<<CELLS / 256, 256>>>(out, in);
        damp<<<CELLS / 256, 256>>>(out, in);
        rim<<<NY / 64, 64>>>(out);
    }
}
