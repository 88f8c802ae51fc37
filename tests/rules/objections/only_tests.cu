// Where all kernels are tests, these are the work.
__global__ void test_rows(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 64];  // expect: CU101
}

void try_rows(float *out, const float *in, int n) { test_rows<<<n / 256, 256>>>(out, in, n); }
