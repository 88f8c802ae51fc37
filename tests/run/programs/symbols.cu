// What the host copies to device variables is what kernels find there.
#include <cuda_runtime.h>

#include "check.h"

struct Settings {
    int columns;
    float weight;
    double eps;
    int last;
};
__constant__ Settings settings;
__constant__ Settings in_part;
__constant__ float taps[6];
__constant__ int steps[4] = {1, 2, 3, 4};
__constant__ float3 gravity;
__constant__ int width, height, given;
__device__ int rounds;

static const int kSteps[] = {7, 8};

__global__ void uses(float *out)
{
    int i = threadIdx.x;
    out[i] = settings.columns + settings.weight + settings.eps + settings.last + taps[i % 6]
        + steps[i % 4] + gravity.x + gravity.y * gravity.z + width + height + given + rounds
        + in_part.columns + in_part.last;
}

void set_height(int rows) { cudaMemcpyToSymbol(height, &rows, sizeof(rows)); }

void set_taps(const float *values, int count)
{
    cudaMemcpyToSymbol(taps, values, count * sizeof(float));
}

int main(int argc, char **argv)
{
    int w = 256;
    cudaMemcpyToSymbol(width, &w, sizeof(int));
    Settings s = {w, 0.5f, 1e-3};
    s.last = 7;
    cudaMemcpyToSymbol(settings, &s, sizeof(s));
    Settings part;
    part.columns = argc;
    part.last = 9;
    cudaMemcpyToSymbol(in_part, &part, sizeof(part));
    float h[6] = {1, 0.5f};
    set_taps(h, 6);
    cudaMemcpyToSymbol(steps, kSteps, sizeof(kSteps), sizeof(int));
    float3 g = make_float3(0, -9.5f, 1);
    cudaMemcpyToSymbol(gravity, &g, sizeof(g));
    set_height(48);
    void *address;
    cudaGetSymbolAddress(&address, rounds);
    cudaMemcpy(address, &w, sizeof(w), cudaMemcpyHostToDevice);
    int n = argc;
    cudaMemcpyToSymbol(given, &n, sizeof(n));
    float *out;
    cudaMalloc(&out, 32 * sizeof(float));
    uses<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
