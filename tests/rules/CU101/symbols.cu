// Strides and bounds that lie in __constant__ and __device__ variables.
#include <cuda_runtime.h>

#define BLOCK 256
#define N (BLOCK * 64)

struct Layout {
    int columns;
    int rows;
    float scale;
};
__constant__ int pitch;
__constant__ int narrow;
__constant__ int unknown_pitch;
__constant__ Layout layout;
__constant__ Layout half_known;
__constant__ float weight[9];
__device__ int device_pitch;
__device__ int unknown_device;

__global__ void walks_rows(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < pitch; k++)
        sum += in[i * pitch + k]; // expect: CU101 "32 sectors" "(512 here)"
    out[i] = sum;
}

// The stride is 1: nothing is wrong, whatever it looks like.
__global__ void walks_columns(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += in[i * narrow + k * N];
    out[i] = sum;
}

__global__ void by_struct(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < layout.columns; k++)
        sum += layout.scale * in[i * layout.columns + k]; // expect: CU101 "32 sectors"
    out[i] = sum;
}

__global__ void by_device_variable(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < device_pitch; k++)
        sum += in[i * device_pitch + k]; // expect: CU101 "32 sectors"
    out[i] = sum;
}

// What of the struct is not known decides nothing here.
__global__ void by_what_is_known(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * half_known.rows]; // expect: CU101 "32 sectors"
}

__global__ void by_what_is_not(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * half_known.columns]; // undecided: CU101 (unknown constants) "__constant__ memory whose contents are not known"
}

__global__ void unknown(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * unknown_pitch]; // undecided: CU101 (unknown constants) "__constant__ memory whose contents are not known"
}

__global__ void unknown_too(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * unknown_device]; // undecided: CU101 (unknown constants) "whose contents are not known"
}

// Coefficients that nobody knows are multiplied with; no address rests on them.
__global__ void filter(float *out, const float *in, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 9; k++)
        sum += weight[k] * in[i * width + k]; // expect: CU101 "32 sectors"
    out[i] = sum;
}

int main(int argc, char **argv)
{
    float *in, *out;
    cudaMalloc(&in, 2048L * N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    int width = 128, one = 1, given = atoi(argv[1]);
    cudaMemcpyToSymbol(pitch, &width, sizeof(int));
    cudaMemcpyToSymbol(narrow, &one, sizeof(int));
    cudaMemcpyToSymbol(unknown_pitch, &given, sizeof(int));
    cudaMemcpyToSymbol(device_pitch, &width, sizeof(int));
    cudaMemcpyToSymbol(unknown_device, &given, sizeof(int));
    Layout l = {width, 64, 0.5f};
    cudaMemcpyToSymbol(layout, &l, sizeof(l));
    Layout part;
    part.columns = given;
    part.rows = 64;
    cudaMemcpyToSymbol(half_known, &part, sizeof(part));
    float *weights = read(argv[1]);
    cudaMemcpyToSymbol(weight, weights, sizeof(weight));
    walks_rows<<<N / BLOCK, BLOCK>>>(out, in);
    walks_columns<<<N / BLOCK, BLOCK>>>(out, in);
    by_struct<<<N / BLOCK, BLOCK>>>(out, in);
    by_device_variable<<<N / BLOCK, BLOCK>>>(out, in);
    by_what_is_known<<<N / BLOCK, BLOCK>>>(out, in);
    by_what_is_not<<<N / BLOCK, BLOCK>>>(out, in);
    unknown<<<N / BLOCK, BLOCK>>>(out, in);
    unknown_too<<<N / BLOCK, BLOCK>>>(out, in);
    filter<<<N / BLOCK, BLOCK>>>(out, in, 128);
    return 0;
}
