// Sums of clusters and their counts: one mechanism, whose parts are much together.
__global__ void accumulate(const float *points, const int *nearest, float *sum, int *count, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    int c = nearest[i];
    for (int d = 0; d < 16; d++)
        atomicAdd(&sum[c * 16 + d], points[d * n + i]);  // expect: CU108 "`sum`"; CU101
    atomicAdd(&count[c], 1);  // expect: CU108 "`count`"
}

// Alone it is little.
__global__ void counted(const float *points, const int *nearest, float *most, int *count, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float found = 0.0f;
    for (int d = 0; d < 64; d++)
        found = fmaxf(found, points[d * n + i]);
    most[i] = found;
    atomicAdd(&count[nearest[i]], 1);  // undecided: CU108 (a small share)
}

int main()
{
    float *points, *sum, *most;
    int *nearest, *count, n = 1 << 20;
    cudaMalloc(&points, n * 64L * sizeof(float));
    cudaMalloc(&nearest, n * sizeof(int));
    cudaMalloc(&sum, 64 * 16 * sizeof(float));
    cudaMalloc(&most, n * sizeof(float));
    cudaMalloc(&count, 64 * sizeof(int));
    accumulate<<<n / 256, 256>>>(points, nearest, sum, count, n);
    counted<<<n / 256, 256>>>(points, nearest, most, count, n);
}
