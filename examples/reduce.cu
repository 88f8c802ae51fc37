// Sums a vector: each block adds up its part in shared memory, and stores one sum.
//
//     perflint profile examples/reduce.cu --kernel reduce --launch '<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)'
//
// Compile and run it, where there is a GPU: nvcc -o reduce reduce.cu && ./reduce
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void reduce(float *out, const float *in, int n)
{
    __shared__ float sums[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;

    sums[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

int main()
{
    const int n = 16384, blocks = n / THREADS;
    float *in = (float *)malloc(n * sizeof(float)), *out = (float *)malloc(blocks * sizeof(float));
    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 8);

    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, blocks * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);

    reduce<<<blocks, THREADS>>>(d_out, d_in, n);
    cudaMemcpy(out, d_out, blocks * sizeof(float), cudaMemcpyDeviceToHost);

    float sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += out[i];
    printf("%s\n", sum == 3.5f * n ? "ok" : "WRONG");

    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    return 0;
}
