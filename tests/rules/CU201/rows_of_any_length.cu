// Rows in shared memory whose length is an argument: an odd one has no conflict.

// Distances of features to centres: lanes are `d` elements apart, every k-th of them.
__global__ void distances(const float *a, const float *b, float *c, int n, int d, int k, int rows)
{
    extern __shared__ float tile[];
    float *own = tile, *other = tile + rows * d;
    for (int i = threadIdx.x; i < d * k; i += blockDim.x)
        other[i] = b[i];
    for (int i = threadIdx.x; i < d * rows; i += blockDim.x)
        own[i] = a[d * blockIdx.x * rows + i];
    __syncthreads();
    int column = threadIdx.x % k, row = threadIdx.x / k; // undecided: CU705 (invented data decides)
    if (blockIdx.x * rows + row >= n || row >= rows)
        return;
    float sum = 0.0f;
    for (int i = 0; i < d; i++)
        sum += other[d * column + i] * own[d * row + i]; // undecided: CU201 (a stride that may be 1) "odd number"
    c[blockIdx.x * 128 + threadIdx.x] = sum;
}

// A thread a row.
__global__ void sums(float *c, int d)
{
    extern __shared__ float lines[];
    for (int i = threadIdx.x; i < d * blockDim.x; i += blockDim.x)
        lines[i] = i;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < d; i++)
        sum += lines[d * threadIdx.x + i]; // undecided: CU201 (a stride that may be 1) "odd number"
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The launch says how long they are.
__global__ void known(float *c, int d)
{
    extern __shared__ float lines[];
    for (int i = threadIdx.x; i < d * blockDim.x; i += blockDim.x)
        lines[i] = i;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < d; i++)
        sum += lines[d * threadIdx.x + i]; // expect: CU201 "32-way bank conflict"
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Pairs lie apart by an even number, whatever it is.
__global__ void pairs(float *c, int d)
{
    extern __shared__ float lines[];
    for (int i = threadIdx.x; i < 2 * d * blockDim.x; i += blockDim.x)
        lines[i] = i;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < d; i++)
        sum += lines[2 * d * threadIdx.x + i + 1]; // expect: CU201 "bank conflict"
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void run(const float *a, const float *b, float *c, int n, int d, int k)
{
    if (k <= 16 && d <= 64) {
        int rows = 128 / k;
        distances<<<(n + rows - 1) / rows, 128, (d * k + rows * d) * sizeof(float)>>>(a, b, c, n, d, k, rows);
        sums<<<1000, 128, d * 128 * sizeof(float)>>>(c, d);
        pairs<<<1000, 128, (2 * d * 128 + 1) * sizeof(float)>>>(c, d);
    }
    known<<<1000, 128, 32 * 128 * sizeof(float)>>>(c, 32);
}
