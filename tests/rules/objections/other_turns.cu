// One turn of the host's loop is bad, of many that are fine; or the other way round.
#include <cuda_runtime.h>

// Each fourth run of `1 << s` elements: for s = 0 neighbouring lanes are 16 bytes apart.
__global__ void fourths(float *out, const float *in, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (t >> s << (s + 2)) + (t & ((1 << s) - 1));
    out[t] = in[i];  // undecided: CU101 (fine with other values) "it is fine in most launches from the same place"
}

// Only the last turn, of one block, is fine.
__global__ void strided(float *out, const float *in, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t * s];  // expect: CU101
}

int main()
{
    const int n = 1 << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    for (int s = 0; s < 16; s++)
        fourths<<<n / 4 / 256, 256>>>(out, in, s);
    for (int s = 64; s > 0; s /= 4)
        strided<<<n / 64 / 256, 256>>>(out, in, s);
}
