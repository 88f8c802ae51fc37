// Fields of a structure of which other fields are taken, too: beside a loop, and alone.
#include <cuda_runtime.h>

struct Particle {
    float x, y, z, vx, vy, vz, fx, fy, fz, density, pressure;
    int cell;
};

// Data say how many neighbours a cell has, and so how much of the kernel its own fields are.
__global__ void densities(Particle *p, const int *start, const float4 *sorted, float reach, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i].x, y = p[i].y, sum = 0.0f;  // undecided: CU104 (invented data decides) "trip counts"
    int cell = p[i].cell;  // undecided: CU104 (invented data decides)
    for (int k = start[cell]; k < start[cell + 1]; k++)  // undecided: CU101 (loaded address) "no layout"
        sum += sorted[k].w * (reach - fabsf(x - sorted[k].x) - fabsf(y - sorted[k].y));
    p[i].density = sum;  // undecided: CU104 (invented data decides)
}

// All that the kernel does.
__global__ void moved(Particle *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += dt * p[i].vx;  // expect: CU104
}

// Always as many turns as the launch says.
__global__ void averaged(float *out, const Particle *p, const float *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = p[i].x * p[i].vx, sum = 0.0f;  // expect: CU104
    for (int k = 0; k < n; k++)
        sum += own * weights[k];  // expect: CU501
    out[i] = sum;
}

void launch(float *out, Particle *p, const int *start, const float4 *sorted, const float *weights)
{
    densities<<<256, 256>>>(p, start, sorted, 0.1f, 65536);
    moved<<<256, 256>>>(p, 0.01f, 65536);
    averaged<<<256, 256>>>(out, p, weights, 8);
}
