// Texture and surface references, as they were before CUDA 12: what is fetched is the host's data.
#include <cuda_runtime.h>

texture<float, 2, cudaReadModeElementType> image;
static texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<int, 1> index;
surface<void, cudaSurfaceType2D> plane;

__global__ void rows(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D(image, x, y) + tex2D(colours, x, y).w;  // ok: no fetch is counted
}

__global__ void columns(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = tex2D(image, x, y);  // expect: CU101 "32 sectors"
}

__global__ void looked_up(float *out, const float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (tex1Dfetch(index, i) > 7)
        out[i] = table[32 * i];  // expect: CU101 "whenever it is reached"
}

__global__ void filled(const float *from, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        surf2Dwrite(from[x * h + y], plane, x * 4, y);  // expect: CU101 "32 sectors"
}

void launch(float *out, const float *table)
{
    image.addressMode[0] = cudaAddressModeClamp;
    rows<<<dim3(32, 128), dim3(32, 8)>>>(out, 1024, 1024);
    columns<<<dim3(32, 128), dim3(32, 8)>>>(out, 1024, 1024);
    looked_up<<<64, 256>>>(out, table, 16384);
    filled<<<dim3(32, 128), dim3(32, 8)>>>(table, 1024, 1024);
}
