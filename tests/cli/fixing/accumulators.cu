// rules: CU106
// Values that loops accumulate in global memory.
#include <cuda_runtime.h>
#define N 256

__global__ void from_zero(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = 0.0f;
    int y;
    for (y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];
}

// the element holds something before
__global__ void scaled(float *out, const float *in, float beta, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < 4096) {
        out[x] *= beta;
        for (int y = 0; y < n; y++) {
            out[x] = out[x] + in[y * 4096 + x];
        }
        out[x] /= N;
    }
}

// without a turn, the element would not be touched
__global__ void untouched(int *out, const int *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];
}

__global__ void both(float *left, float *right, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    left[x] = right[x] = 0.0f;
    for (int y = 0; y < n; y++) {
        left[x] += in[y * 4096 + x];
        right[x] -= in[y * 4096 + x];
    }
}

// what is left alone: another way out, no accumulation, an array that is passed twice
__global__ void leaves(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++) {
        out[x] += in[y * 4096 + x];
        if (y > 60)
            return;
    }
}

__global__ void last(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[x] = 0.5f * in[y * 4096 + x];
}

__global__ void twice(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];
}

int main()
{
    float *a, *b, *c;
    int *i, *j;
    cudaMalloc(&a, N * 4096 * sizeof(float));
    cudaMalloc(&b, N * 4096 * sizeof(float));
    cudaMalloc(&c, N * 4096 * sizeof(float));
    cudaMalloc(&i, 4096 * sizeof(int));
    cudaMalloc(&j, N * 4096 * sizeof(int));
    from_zero<<<16, 256>>>(a, b, N);
    scaled<<<16, 256>>>(a, b, 0.5f, N);
    untouched<<<16, 256>>>(i, j, N);
    both<<<16, 256>>>(a, b, c, N);
    leaves<<<16, 256>>>(a, b, N);
    last<<<16, 256>>>(a, b, N);
    twice<<<16, 256>>>(a, a, N);
}
