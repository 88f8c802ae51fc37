// Structures of which all uses are in sight: each field that is read gets an array of its own.
#include <cuda_runtime.h>

struct Body {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void energy(float *out, const Body *bodies, const float *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = bodies[i].mass * (bodies[i].x + weights[i]);  // expect: CU104
}

// The host hands the array on.
__global__ void handed_on(float *out, const Body *others, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = others[i].mass + others[i].x;  // expect: CU104
}

// It is written, and would have to be copied back.
__global__ void moved(Body *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        changed[i].x += changed[i].vx;  // expect: CU104
}

void prepare(Body *bodies);

int main()
{
    const int n = 65536;
    float *out, *weights;
    Body *bodies, *others, *changed, *host = new Body[n];
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&weights, n * sizeof(float));
    cudaMalloc(&bodies, n * sizeof(Body));
    cudaMalloc(&others, n * sizeof(Body));
    cudaMalloc(&changed, n * sizeof(Body));
    cudaMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(others, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(changed, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    prepare(others);
    energy<<<256, 256>>>(out, bodies, weights, n);
    handed_on<<<256, 256>>>(out, others, n);
    moved<<<256, 256>>>(changed, n);
    cudaFree(bodies);
    return 0;
}
