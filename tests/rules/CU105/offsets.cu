// Addresses that begin in the middle of a sector, where that can be avoided.
#include <cuda_runtime.h>

__global__ void constant(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1];  // expect: CU105 "load from `in`" "5 sectors per request where 4" "4 bytes into a sector"
}

__global__ void argument(float *out, const float *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];  // expect: CU105 "12 bytes into a sector"
}

__global__ void pitch(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = 2.0f * in[y * w + x];  // expect: CU105 "store to `out`" "rows are 4004 bytes apart" "cudaMallocPitch"; CU105 "load from `in`"
}

__global__ void after_header(int *out, const int *in, int n)
{
    const int *body = in + 3;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = body[i];  // expect: CU105 "12 bytes into a sector"
}

// --- what looks alike

__global__ void by_a_sector(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 8];  // ok
}

__global__ void two_neighbours(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1] - in[i];  // ok: one warp loads both from the same sectors
}

__global__ void stencil(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];  // expect: CU109
}

__global__ void unknown_argument(float *out, const float *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];  // ok: no launch says that it is no multiple
}

__global__ void window(float *out, const float *in, int n)  // expect: CU601
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[i + k];  // expect: CU109
    out[i] = sum;
}

__global__ void overlapping_tiles(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * 254 + threadIdx.x;
    tile[threadIdx.x] = in[i];  // ok: tiles overlap by a halo
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < 255)
        out[i] = tile[threadIdx.x - 1] + tile[threadIdx.x + 1];
}

__global__ void rows_of_sectors(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 2.0f * in[y * w + x];  // ok
}

__global__ void shifted_by_the_host(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 4];  // ok: the host passes a pointer that makes up for it
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 8 << 20);
    cudaMalloc(&b, 8 << 20);
    const float *shifted = b + 4;
    shifted_by_the_host<<<64, 256>>>(a, shifted);
    shifted_by_the_host<<<64, 256>>>(a, b + 12);
    constant<<<64, 256>>>(a, b);
    argument<<<64, 256>>>(a, b, 3);
    pitch<<<dim3(32, 126), dim3(32, 8)>>>(a, b, 1001, 1001);
    after_header<<<64, 256>>>((int *)a, (const int *)b, 16384);
    by_a_sector<<<64, 256>>>(a, b);
    two_neighbours<<<64, 256>>>(a, b);
    stencil<<<64, 256>>>(a, b, 16384);
    window<<<64, 256>>>(a, b, 9);
    overlapping_tiles<<<64, 256>>>(a, b, 16384);
    rows_of_sectors<<<dim3(32, 128), dim3(32, 8)>>>(a, b, 1024);
}
