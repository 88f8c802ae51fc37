// What is loaded once more and in no loop, L1 has: a word only where that is much of the kernel's loads.
__global__ void labels(const float *x, const float *means, int *label, float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = fabsf(x[i] - means[0]);
    int at = 0;
    float d = fabsf(x[i] - means[1]);
    if (d < best) { best = d; at = 1; }
    d = fabsf(x[i] - means[2]);
    if (d < best) { best = d; at = 2; }
    d = fabsf(x[i] - means[3]);
    if (d < best) { best = d; at = 3; }
    label[i] = at;
    sums[i] = x[i] * at;  // undecided: CU503 (a small share)
}

void launch(const float *x, const float *means, int *label, float *sums)
{
    labels<<<4096, 256>>>(x, means, label, sums, 1 << 20);
}
