// A kernel that prints what it works on is one for debugging.
#include <cstdio>

__global__ void shown(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        printf("%d: %f\n", i, in[i * 64]);  // undecided: CU101 (hardly launched) "most of its warps print"
        out[i] = in[i * 64 + 32];  // also: CU101
    }
}

// What is printed of errors, or by one thread, is hardly ever printed.
__global__ void checked(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float own = in[i * 64];  // expect: CU101
    if (own != own)
        printf("no number at %d\n", i);
    if (i == 0)
        printf("%d elements\n", n);
    out[i] = own;
}

void launch(float *out, const float *in)
{
    shown<<<4096, 256>>>(out, in, 1048576);
    checked<<<4096, 256>>>(out, in, 1048576);
}
