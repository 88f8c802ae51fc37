// Every n-th element is looked at: how many of a warp that is, only who knows n can say.
__device__ float around(const float *a, int i, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += (a[k] - a[i]) * (a[k] - a[i]);  // expect: CU109  // undecided: CU101 (the rule's own)
    return sum;
}

__global__ void sampled(float *out, const float *a, int n, int every)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (every > 1 && i % every != 0)  // undecided: CU901 (invented data decides) "a divisor that no launch gives"; CU705 (invented data decides)
            continue;
        out[i] = around(a, i, n);
    }
}

__global__ void every_fourth(float *out, const float *a, int n, int every)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (every > 1 && i % every != 0)  // expect: CU901
            continue;
        out[i] = around(a, i, n);
    }
}

void launch(float *out, const float *a, int n, int every)
{
    sampled<<<(n + 255) / 256, 256>>>(out, a, n, every);
    every_fourth<<<(n + 255) / 256, 256>>>(out, a, n, 4);
}
