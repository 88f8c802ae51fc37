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
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "nothing in this program launches"
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
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "nothing in this program launches"
}

// Nor is what `#if 0` leaves out.
__global__ void switched_off(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "nothing in this program launches"
}

__global__ void __launch_bounds__(32) turned(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];  // undecided: CU201 (hardly launched) "nothing in this program"
    out[threadIdx.x] = sum;
}

// Caches, by the launch bounds: 32 warps of which each re-reads rows that share their sets, …
__global__ void __launch_bounds__(1024) sets(float *out, const float *table)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < 256; turn++)
        sum += table[(warp * 32 + turn % 32) * 1024 + lane];  // undecided: CU301 (hardly launched) "nothing in this program"; CU109 (hardly launched) "nothing in this program"
    out[warp * 32 + lane] = sum;
}

// … warps that together re-read more than the cache holds, …
__global__ void capacity(float *out, const float *table)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < 1024; turn++)
        sum += table[(warp * 256 + turn % 256) * 32 + lane];  // undecided: CU302 (hardly launched) "nothing in this program"; CU109 (hardly launched) "nothing in this program"
    out[warp * 32 + lane] = sum;
}

// … and one warp that does so alone.
__global__ void __launch_bounds__(32) column_walker(float *out, const float *in)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < 6; turn++)
        for (int row = 0; row < 600; row++)
            sum += 0.5f * in[row * 8192 + column];  // undecided: CU303 (hardly launched) "nothing in this program"; CU109 (hardly launched) "nothing in this program"
    out[column] = sum;
}

__global__ void hashed(unsigned *out, unsigned w)
{
    unsigned hash = threadIdx.x;
    for (int k = 0; k < 100; k++)
        hash = (hash * 31 + k) % w;  // undecided: CU705 (hardly launched) "nothing in this program"
    out[blockIdx.x * blockDim.x + threadIdx.x] = hash;
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 64 * 16384 * sizeof(float));
    launched<<<64, 256>>>(out, in);
#if 0
    switched_off<<<64, 256>>>(out, in);
#endif
    void *arguments[] = {&out, &in};
    cudaLaunchKernel((const void *)taken, 64, 256, arguments, 0, 0);
}
