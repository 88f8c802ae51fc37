// Kernels whose worst inputs are known.

// Worst: all values in one bin. 32 lanes meet at one address.
__global__ void histogram(const unsigned *data, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i] & 255], 1u);
}

// Worst: keys with one hash.
__global__ void count_keys(const unsigned *keys, unsigned *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&table[(keys[i] * 2654435761u) >> 22], 1u);
}

// Worst at an access: one key. The slot is no formula, for it goes round a loop.
__global__ void insert(const unsigned *keys, unsigned *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i] + 1;
    unsigned slot = (key * 2654435761u) >> 22;
    for (int step = 0; step < 1024; step++) {
        unsigned there = atomicCAS(&table[slot], 0u, key);
        if (there == 0u || there == key)
            return;
        slot = (slot + 1) & 1023;
    }
}

// Worst: 32 words of one bank, `index[i] = 32*i`.
__global__ void gather_shared(const int *index, float *out, int n)
{
    __shared__ float tile[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        tile[k] = k;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tile[index[i]];
}

// Worst: 32 sectors, `index[i] = 8*i`.
__global__ void gather_global(const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}

// Worst: one row, or one of each warp, has all entries.
__global__ void multiply_rows(const int *first, const float *value, float *sum, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int i = first[row]; i < first[row + 1]; i++)
        total += value[i];
    sum[row] = total;
}

// Behind a condition that random data never meet.
__global__ void guarded(const int *tag, const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && tag[i] == 123456789)
        out[i] = in[index[i]];
}

// … nor does a comparison with one number tell how: z3 is asked.
__global__ void locked(const int *a, const int *b, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && 3 * a[i] + 7 * b[i] == 100003)
        out[i] = in[i * 8];
}

// No data decide anything.
__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * in[i];
}

// Both lists ascend. Each thread finds where its 15 of the merged elements begin, and merges them.
__global__ void merge_lists(const int *a, const int *b, int *out)
{
    const int each = 15, half = each * 32;
    __shared__ int tile[2 * half];
    for (int k = threadIdx.x; k < half; k += 64) {
        tile[k] = a[k];
        tile[half + k] = b[k];
    }
    __syncthreads();
    int begin = each * threadIdx.x;
    int low = max(0, begin - half), high = min(begin, half);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[begin - 1 - middle]) low = middle + 1; else high = middle;
    }
    int i = low, j = begin - low;
    for (int k = 0; k < each; ++k) {
        bool first = j >= half || (i < half && a[i] <= b[j]);
        out[begin + k] = tile[first ? i++ : half + j++];
    }
}
