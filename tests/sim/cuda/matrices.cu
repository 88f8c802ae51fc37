// Products and transposes.
#include <cuda_fp16.h>

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void multiply_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int begin = 0; begin < n; begin += 16) {
        left[ty][tx] = a[row * n + begin + tx];
        right[ty][tx] = b[(begin + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void transpose_plain(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PITCH> __device__ void through_shared(const float *in, float *out, int n)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_shared(const float *in, float *out, int n)
{
    through_shared<32>(in, out, n);
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int n)
{
    through_shared<33>(in, out, n);
}

// One warp a 16 by 8 tile of c = a b, a by rows and b by columns.
extern "C" __global__ void multiply_half(const __half *a, const __half *b, float *c, int n)
{
    int row = blockIdx.y * 16, column = blockIdx.x * 8, lane = threadIdx.x;
    int group = lane / 4, pair = lane % 4 * 2;
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < n; k += 16) {
        const unsigned *upper = (const unsigned *)(a + (row + group) * n + k + pair);
        const unsigned *lower = (const unsigned *)(a + (row + group + 8) * n + k + pair);
        const unsigned *right = (const unsigned *)(b + (column + group) * n + k + pair);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(upper[0]), "r"(lower[0]), "r"(upper[4]), "r"(lower[4]), "r"(right[0]),
                       "r"(right[4]));
    }
    c[(row + group) * n + column + pair] = d[0];
    c[(row + group) * n + column + pair + 1] = d[1];
    c[(row + group + 8) * n + column + pair] = d[2];
    c[(row + group + 8) * n + column + pair + 1] = d[3];
}
