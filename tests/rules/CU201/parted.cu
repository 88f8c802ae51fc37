// Dynamic shared memory that pointers part among several arrays: each has an index of its own.
__global__ void scan(int *out, const int *in)
{
    extern __shared__ int pool[];
    int *table = (int *)pool;
    int *sums = (int *)(pool + 256);
    int t = threadIdx.x;
    table[t] = in[t];
    sums[t] = in[blockIdx.x * 256 + t];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            sums[b] += sums[a];  // expect: CU201 "8-way"
        }
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = sums[t] + table[255 - t];
}

// A pointer that moves on has no index to change.
__global__ void moved_on(int *out, const int *in)
{
    extern __shared__ int pool[];
    int *table = (int *)pool;
    int *sums = (int *)(pool + 256);
    int t = threadIdx.x;
    table[t] = in[t];
    sums[t] = in[blockIdx.x * 256 + t];
    sums += 1;
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 2, b = offset * (2 * t + 2) - 2;
            sums[b] += sums[a];  // expect: CU201 "8-way"
        }
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = sums[t - 1] + table[255 - t];
}

void launch(int *out, const int *in)
{
    scan<<<64, 256, 2048>>>(out, in);
    moved_on<<<64, 256, 2048>>>(out, in);
}
