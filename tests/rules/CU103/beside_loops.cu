// A byte a thread, once beside a loop of which nobody can say how long it takes.
__global__ void classes(float *out, const unsigned char *kind, const float *a, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int mine = kind[i];  // undecided: CU103 (invented data decides) "each thread does it once"
    float sum = 0.0f;
    for (int k = 0; k < m; k++)
        sum += a[k * n + i];
    out[i] = sum * mine;
}

void launch(float *out, const unsigned char *kind, const float *a, int m)
{
    classes<<<4096, 256>>>(out, kind, a, 1 << 20, m);
}
