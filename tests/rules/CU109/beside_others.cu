// What L1 takes for the repetitions counts against all that memory brings for the block.

// A warp to each row: 32 of them want the vector, and each a row that nobody else wants.
__global__ void matrix_vector(float *out, const float *a, const float *v, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int k = lane; k < n; k += 32)
        sum += a[row * n + k] * v[k]; // expect: CU109 "L1 may serve the repetitions"
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        out[row] = sum;
}

// The same of many vectors, with a matrix of one row.
__global__ void row_vectors(float *out, const float *v, int n)
{
    int lane = threadIdx.x % 32, first = threadIdx.x / 32;
    float sum = 0.0f;
    for (int k = lane; k < n; k += 32)
        sum += 0.5f * first * v[blockIdx.x * n + k]; // expect: CU109 "L1 takes longer for so many requests"
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

int main()
{
    float *out, *a, *v;
    cudaMalloc(&out, 4096 * 1024 * sizeof(float));
    cudaMalloc(&a, 4096 * 2048 * sizeof(float));
    cudaMalloc(&v, 4096 * 2048 * sizeof(float));
    matrix_vector<<<128, 1024>>>(out, a, v, 2048);
    row_vectors<<<4096, 1024>>>(out, v, 2048);
}
