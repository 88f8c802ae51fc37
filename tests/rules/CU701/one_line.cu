// Several statements on a line: PTX gives all of them the column that the line begins with.
__global__ void gelu(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float v = x[i]; x[i] = 0.5 * v * (1.0 + tanh(0.7978845608 * v)); }  // expect: CU701 "`0.7978845608`"
}

__global__ void decays(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return; float v = x[i]; x[i] = v * 0.9;  // expect: CU701 "`0.9`"
}

__global__ void in_float(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float v = x[i]; x[i] = 0.5f * v * (1.0f + tanhf(v)); }  // ok
}

int main()
{
    float *x;
    int n = 1 << 20;
    cudaMalloc(&x, n * sizeof(float));
    gelu<<<n / 256, 256>>>(x, n);
    decays<<<n / 256, 256>>>(x, n);
    in_float<<<n / 256, 256>>>(x, n);
}
