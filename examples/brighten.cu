// A library's function: no caller is in sight, so that perflint has to choose the image's size.
// Grid and arguments are computed of it, as the host code does:
//
//     perflint launches examples/brighten.cu
#include <cassert>
#include <cuda_runtime.h>

__global__ void brighten_rows(float *image, int width, int pixels, float gain)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * width + x;
    if (x < width && i < pixels)
        image[i] *= gain;
}

void brighten(float *image, int width, int height, float gain = 1.25f)
{
    assert(width % 64 == 0);
    dim3 block(256);
    dim3 grid((width + block.x - 1) / block.x, height);
    brighten_rows<<<grid, block>>>(image, width, width * height, gain);
}
