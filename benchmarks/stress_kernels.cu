// Kernels of the kinds that GUPT's Table 1 lists, written for benchmarks/stress_table.py. As in the
// paper, whose GPU has none, data that CUDA's samples keep in shared memory are in global memory.

extern "C" __global__ void bitonic_sort(int *keys, int n)
{
    int t = threadIdx.x;
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                int a = keys[t], b = keys[other];
                if ((t & k) == 0 ? a > b : a < b) { keys[t] = b; keys[other] = a; }
            }
            __syncthreads();
        }
}

// keys with a value each, as CUDA's sample sorts them
extern "C" __global__ void bitonic_pairs(int *keys, int *values, int n)
{
    int t = threadIdx.x;
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                int a = keys[t], b = keys[other];
                if ((t & k) == 0 ? a > b : a < b) {
                    keys[t] = b; keys[other] = a;
                    int v = values[t]; values[t] = values[other]; values[other] = v;
                }
            }
            __syncthreads();
        }
}

extern "C" __global__ void scan_naive(const float *in, float *a, float *b, int n)
{
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        b[t] = t >= d ? a[t] + a[t - d] : a[t];
        __syncthreads();
        float *x = a; a = b; b = x;
    }
}

extern "C" __global__ void scan_w(const float *in, float *a, int n)
{
    int t = threadIdx.x, step = 1;
    a[2 * t] = in[2 * t];
    a[2 * t + 1] = in[2 * t + 1];
    for (int d = n / 2; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d) a[step * (2 * t + 2) - 1] += a[step * (2 * t + 1) - 1];
    }
    if (t == 0) a[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
            float x = a[i]; a[i] = a[j]; a[j] += x;
        }
    }
}

extern "C" __global__ void scan_b(const float *in, float *a, int n)
{
    int t = threadIdx.x, step = 1;
    a[t + t / 16] = in[t];
    a[t + n / 2 + (t + n / 2) / 16] = in[t + n / 2];
    for (int d = n / 2; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d) {
            int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
            a[j + j / 16] += a[i + i / 16];
        }
    }
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void matmult(const float *a, const float *b, float *c, int n)
{
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void bfs(const int *start, const int *edge, unsigned char *mask,
                               const unsigned char *visited, int *cost, int n)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t < n && mask[t]) {
        mask[t] = 0;
        for (int i = start[2 * t]; i < start[2 * t] + start[2 * t + 1]; i++)
            if (!visited[edge[i]]) cost[edge[i]] = cost[t] + 1;
    }
}

extern "C" __global__ void fast_walsh(float *data, int n)
{
    int t = threadIdx.x;
    for (int d = n / 2; d > 0; d /= 2) {
        int low = t & (d - 1), i = 2 * (t - low) + low;
        float a = data[i], b = data[i + d];
        data[i] = a + b;
        data[i + d] = a - b;
        __syncthreads();
    }
}

extern "C" __global__ void histogram(const unsigned *data, unsigned *bins, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned bin = (data[i] >> 4) & 63;
        bins[threadIdx.x * 64 + bin] += 1;
    }
}

extern "C" __global__ void merge_sort(const int *keys, int *out, int n)
{
    // ranks of each key in the other half by binary search
    int t = threadIdx.x, half = n / 2, mine = keys[t], first = t < half ? half : 0;
    int low = 0, high = half;
    while (low < high) {
        int middle = (low + high) / 2, other = keys[first + middle];
        if (t < half ? other < mine : other <= mine) low = middle + 1; else high = middle;
    }
    out[t % half + low] = mine;
}
