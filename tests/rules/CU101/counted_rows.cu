// The place where `threadIdx.x` becomes a row is another place of what it scatters.

// the index of the rows is the one that neighbouring threads differ in
__global__ void relaxed(float *grid, const float *rate, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        grid[row * n + column] *= rate[row * n + column];  // expect: CU101 "16 sectors"
}

// whichever way a transpose counts, one side of it is scattered
__global__ void turned(float *out, const float *in, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        out[row * n + column] = 0.5f * in[column * n + row] + in[row];  // expect: CU101 "16 sectors"
}

// a row to each thread is how a flat block is meant: its loop is what might go along
__global__ void flat(float *sums, const float *in, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += in[row * n + k];  // expect: CU101
    sums[row] = sum;
}

void launch(float *a, float *b)
{
    relaxed<<<dim3(64, 64), dim3(16, 16)>>>(a, b, 1024);
    turned<<<dim3(64, 64), dim3(16, 16)>>>(a, b, 1024);
    flat<<<8, 128>>>(a, b, 1024);
}
