// A run that goes wrong says nothing of the real one: its findings are notes.
#include <cassert>
#include <cuda_runtime.h>

__global__ void beyond(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];  // undecided: CU101 (out of its region) "left its allocation"
}

__global__ void asserted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];  // undecided: CU101 (broken run) "ended in a trap"
    assert(n % 2 == 1);
}

// What nobody can tell the size of is no matter of the launch.
long elements();

__global__ void channels(float *out, const float *in, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * c];  // expect: CU101 "32 sectors per request"
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 16384 * sizeof(float));
    beyond<<<64, 256>>>(out, in);
    asserted<<<2, 256>>>(out, in, 1000);
    cudaMalloc(&in, elements() * sizeof(float));
    channels<<<64, 256>>>(out, in, 32);
}
