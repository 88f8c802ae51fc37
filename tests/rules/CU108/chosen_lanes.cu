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

// Rows without an element, of which data have few or many.
__global__ void dangling(float *mass, const int *row, const float *rank, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && row[i] == row[i + 1])
        atomicAdd(mass, rank[i]);  // undecided: CU108 (invented data decides) "few do"
}

// All that are not 0: of most data most lanes.
__global__ void sum_of_some(float *sum, const int *kind, const float *value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && kind[i] != 0)
        atomicAdd(sum, value[i]);  // expect: CU108
}

void launch(int *degree, const float *x, float *sum)
{
    near<<<1024, 256>>>(degree, x, 262144, 1.0f);
    dangling<<<1024, 256>>>(sum, degree, x, 262144);
    sum_of_some<<<1024, 256>>>(sum, degree, x, 262144);
}
