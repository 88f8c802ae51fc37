// What the steps of a tree waste one change mends: all of it counts in the program, not the worst step's alone.
#include <cuda_runtime.h>

__global__ void scan(unsigned *flags, unsigned *totals)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x;
    s[t] = flags[blockIdx.x * 1024 + t];
    s[t + 512] = flags[blockIdx.x * 1024 + t + 512];
    int offset = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] += s[a];  // expect: CU201 "32-way"
        }
        offset *= 2;
    }
    __syncthreads();
    if (t == 0)
        totals[blockIdx.x] = s[1023];
    flags[blockIdx.x * 1024 + t] = s[t];
    flags[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

__global__ void relax(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + in[i + k * 16384];
    out[i] = sum;
}

int main()
{
    unsigned *flags, *totals;
    float *out, *in;
    cudaMalloc(&flags, 65536 * 1024 * sizeof(unsigned));
    cudaMalloc(&totals, 65536 * sizeof(unsigned));
    cudaMalloc(&out, 65536 * 256 * sizeof(float));
    cudaMalloc(&in, (65536 * 256 + 64 * 16384) * sizeof(float));
    for (int i = 0; i < 2000; i++) {
        scan<<<1024, 512>>>(flags, totals);
        relax<<<65536, 256>>>(out, in, 64);
    }
    cudaDeviceSynchronize();
}
