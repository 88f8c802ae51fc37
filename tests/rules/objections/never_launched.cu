// A kernel that its own program never launches may never run: what it wastes is a note.
#include <cuda_runtime.h>

__global__ void launched(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

__global__ void forgotten(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (never launched) "nothing in this program launches"
}

// Whoever takes its address may launch it.
__global__ void taken(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// A declaration is no launch, nor is a comment: old<<<64, 256>>>(out, in).
__global__ void old(float *, const float *);

__global__ void old(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (never launched) "nothing in this program launches"
}

__global__ void __launch_bounds__(32) turned(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];  // undecided: CU201 (never launched) "nothing in this program"
    out[threadIdx.x] = sum;
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 64 * 16384 * sizeof(float));
    launched<<<64, 256>>>(out, in);
    void *arguments[] = {&out, &in};
    cudaLaunchKernel((const void *)taken, 64, 256, arguments, 0, 0);
}
