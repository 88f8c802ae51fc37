// In a program without a loop a kernel's name tells that it prepares or checks what another one does.
#include <cuda_runtime.h>

__global__ void initRows(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "its name says that it prepares or checks"
}

__global__ void solve(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// What makes data reads none.
__global__ void makeRows(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * 64] = i;  // undecided: CU101 (hardly launched) "its name says that it makes data"
}

__global__ void makeSums(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] + in[i * 64 + 32];  // expect: CU101
}

// So does the name of the function that alone launches a kernel.
__global__ void turnOver(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "whose name says that it prepares"
}

void loadInput(float *out, const float *in) { turnOver<<<64, 256>>>(out, in); }

__global__ void shift(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] - 1.0f;  // expect: CU101
}

void apply(float *out, const float *in) { shift<<<64, 256>>>(out, in); }

__global__ void quantise(signed char *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] * 127.0f;  // undecided: CU101 (hardly launched); CU103 (hardly launched)
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 64 * 16384 * sizeof(float));
    cudaMalloc(&in, 64 * 16384 * sizeof(float));
    makeRows<<<64, 256>>>(out);
    initRows<<<64, 256>>>(in, out);
    loadInput(in, out);
    quantise<<<64, 256>>>((signed char *)in, out);
    apply(out, in);
    makeSums<<<64, 256>>>(out, in);
    solve<<<64, 256>>>(out, in);
}
