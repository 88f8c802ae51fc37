// What a loop over a grid's stride loads twice in each turn is not loaded once before it.
#include <cuda_runtime.h>

__global__ void drain(double *h, double *taken, const double *rate, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        double depth = h[i];  // expect: CU503 "2 loads of an element where 1 would do"
        double lost = fmin(depth, taken[i] + rate[i]);
        taken[i] += lost;
        h[i] -= lost;
        i += blockDim.x * gridDim.x;
    }
}

void step(double *h, double *taken, const double *rate, unsigned n)
{
    drain<<<128, 256>>>(h, taken, rate, n);
}
