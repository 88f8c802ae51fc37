// Stores that begin in the middle of a sector, in a program that does little else.
#include <cuda_runtime.h>

__global__ void stored(double *out, const double *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + 2] = in[i];  // expect: CU105 "store to `out`" "9 sectors"
}

int main()
{
    double *a;
    cudaMalloc(&a, 1 << 20);
    stored<<<64, 256>>>(a, a);
}
