// Which pairs are near, data say, and so which lanes of a warp meet at an element.
__global__ void near(int *degree, const float *x, int n, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float mine = x[i];  // expect: CU109
    for (int j = i / 4 * 4 + 4; j < i / 4 * 4 + 20; ++j)
        if (fabsf(x[j] - mine) < limit)
            atomicAdd(&degree[j], 1);  // undecided: CU108 (invented data decides)
}

void launch(int *degree, const float *x) { near<<<1024, 256>>>(degree, x, 262144, 1.0f); }
