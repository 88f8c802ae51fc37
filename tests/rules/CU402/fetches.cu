// Most of what a kernel moves may be texels, and these are not counted.
#include <cuda_runtime.h>

__global__ void project(float *out, cudaTextureObject_t rays, int w, int angles)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int a = 0; a < angles; a++)
        sum += tex2D<float>(rays, 0.7f * x + 0.3f * y, a);
    out[y * w + x] = sum;
}

__global__ void blur(unsigned char *out, cudaTextureObject_t image, int w, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++)
        sum += tex2D<float>(image, x + i, y);
    out[y * w + x] = sum;  // undecided: CU103 (the rule's own) "fetches from textures"
}

struct Pixel { float red, green, blue, alpha, depth; };

// What is written beside the fetches is little, however it lies.
__global__ void pairs(float *out, cudaTextureObject_t image, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += tex2D<float>(image, i + k, 0);
    out[2 * i] = sum;  // undecided: CU102 (the rule's own) "fetches from textures"
    out[2 * i + 1] = -sum;
}

__global__ void structures(Pixel *out, cudaTextureObject_t image, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += tex2D<float>(image, i + k, 0);
    out[i].red = sum;  // undecided: CU104 (the rule's own) "fetches from textures"
    out[i].green = 2.0f * sum;  // undecided: CU104 (the rule's own) "fetches from textures"
    out[i].blue = 3.0f * sum;  // undecided: CU104 (the rule's own) "fetches from textures"
}

__global__ void shifted(float *out, const float *in, cudaTextureObject_t image, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += tex2D<float>(image, i + k, 0);
    out[i] = sum + in[i + 1];  // undecided: CU105 (the rule's own) "fetches from textures"
}

// One texel for each element that is written: as much of the one as of the other.
__global__ void copy(float *out, cudaTextureObject_t image, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = tex2D<float>(image, x, y);
}

void launch(float *out, unsigned char *bytes, cudaTextureObject_t image)
{
    project<<<dim3(64, 32), dim3(16, 32)>>>(out, image, 1024, 60);  // undecided: CU402 (the rule's own) "fetches from textures"
    blur<<<dim3(32, 128), dim3(32, 8)>>>(bytes, image, 1024, 4);
    pairs<<<64, 256>>>(out, image, 4);
    structures<<<64, 256>>>((Pixel *)out, image, 4);
    copy<<<dim3(64, 32), dim3(16, 32)>>>(out, image, 1024);  // expect: CU402
}

void launch_shifted(cudaTextureObject_t image)
{
    float *out, *in;
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 16385 * sizeof(float));
    shifted<<<64, 256>>>(out, in, image, 4);
}
