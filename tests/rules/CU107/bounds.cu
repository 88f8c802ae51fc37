// Registers that a kernel's own bounds take from its threads.

__device__ void keep(float *out, int stride)
{
    float v[100], sum = 0.0f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 100; k++)
        v[k] = out[k * stride + i];
    __syncwarp();
    for (int k = 0; k < 100; k++)
        sum += v[k] * v[99 - k];
    for (int k = 0; k < 100; k++)
        out[k * stride + i] = v[k] + sum;
}

// 64 registers for a hundred values
__global__ void __launch_bounds__(128, 8) many_blocks(float *out)  // expect: CU107 "fewer than 8 blocks" "with 4 of 128 threads each thread may have 128"
{
    keep(out, 128 * 1024);
}

// 128 do
__global__ void __launch_bounds__(128, 4) some_blocks(float *out)  // ok
{
    keep(out, 128 * 1024);
}

void launch(float *f)
{
    many_blocks<<<1024, 128>>>(f);
    some_blocks<<<1024, 128>>>(f);  // undecided: CU405 (the rule's own)
}
