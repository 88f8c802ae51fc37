// Texels are the host's data: they may be scattered, and so may what is indexed with them.
#include <cuda_runtime.h>

__global__ void rows(float *out, cudaTextureObject_t image, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(image, x, y);  // ok: the fetch itself is not counted
}

__global__ void columns(float *out, cudaTextureObject_t image, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = tex2D<float>(image, x, y);  // expect: CU101 "32 sectors"
}

__global__ void looked_up(float *out, const float *table, cudaTextureObject_t index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (tex1Dfetch<int>(index, i) > 7)
        out[i] = table[32 * i];  // expect: CU101 "whenever it is reached"
}

void launch(float *out, const float *table, cudaTextureObject_t image)
{
    rows<<<dim3(32, 128), dim3(32, 8)>>>(out, image, 1024, 1024);
    columns<<<dim3(32, 128), dim3(32, 8)>>>(out, image, 1024, 1024);
    looked_up<<<64, 256>>>(out, table, image, 16384);
}
