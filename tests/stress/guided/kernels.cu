// Own kernels whose ways hang on their input, for the symbolic trace.

extern "C" __global__ void compares(const int *a, const float *b, const unsigned *c, int *out, int n, float s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    if (a[t] > 10) out[t] = 1; else out[t + 1] = 2;
    if (b[t] * s < 0.5f) out[t] += 3;
    if (c[t] >= 7u) out[t ^ 1] = 4;
    if (a[t] + 3 == (int)c[t]) out[t] = a[t];
}

extern "C" __global__ void bits(const unsigned *a, const unsigned *b, int *out)
{
    int t = threadIdx.x;
    if ((a[t] & 0xff) == 0x41) out[t] = 1;
    if (((a[t] >> 8) ^ b[t]) & 1) out[t + 32] = 2;
    if (max(a[t] % 13u, b[t]) > 5u) out[t + 64] = 3;
    if (abs((int)a[t]) < 1000) out[t + 96] = 4;
}

extern "C" __global__ void exchange(int *keys)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = keys[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 2; k <= 8; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if (up == (s[t] > s[other])) { int x = s[t]; s[t] = s[other]; s[other] = x; }
            }
            __syncthreads();
        }
    keys[blockIdx.x * 64 + t] = s[t];
}

extern "C" __global__ void shuffles(const int *a, int *out)
{
    int t = threadIdx.x, x = a[t];
    for (int d = 16; d > 0; d /= 2) {
        int y = __shfl_xor_sync(0xffffffff, x, d);
        if (y > x + 5) { out[t] = d; x = y; }
    }
    if (x > 100) out[t + 32] = x;
}

extern "C" __global__ void loops(const int *a, int *out, int n)
{
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < (a[t] & 7); i++) sum += a[(t + i) & 63];
    if (sum > n) out[t] = sum;
}

extern "C" __global__ void chars(const unsigned char *mask, const short *h, const double *d, int *out)
{
    int t = threadIdx.x;
    if (mask[t]) out[t] = 1;
    if (h[t] < -5) out[t + 64] = 2;
    if (d[t] > 1.5 && mask[t] == 0) out[t + 128] = 3;
}

extern "C" __global__ void concrete(const int *a, const float *b, int *counter, int *out)
{
    int t = threadIdx.x;
    if (sqrtf(b[t]) > 2.0f) out[t] = 1;
    if (a[a[t] & 31] > 7) out[t + 32] = 2;
    if (atomicAdd(counter, 1) == 3) out[t + 64] = 3;
    if (__any_sync(0xffffffff, a[t] > 50)) out[t + 96] = 4;
}

extern "C" __global__ void predicated(const int *a, const int *b, int *out)
{
    int t = threadIdx.x, x = a[t];
    int y = x < 3 ? b[t] : 7 - x;
    if (y == 4) out[t] = y;
    if (x > 0 || y > 20) out[t + 64] = 1;
}

extern "C" __global__ void deep(const float *a, int *out, int n)
{
    int t = threadIdx.x;
    float sum = a[t];
    for (int i = 0; i < n; i++) {
        sum = sum * 0.5f + a[(t + i) & 63];
        if (sqrtf(sum) > 1.5f) out[t] = i;
    }
}

extern "C" __global__ void votes(const int *a, int *out)
{
    int t = threadIdx.x, x = a[t];
    if (__any_sync(0xffffffff, x > 55)) out[t] = 1;
    if (__all_sync(0xffffffff, x > -59)) out[t + 32] = 2;
    if (__ballot_sync(0xffffffff, x > 0) & 1 << ((t + 1) & 31)) out[t + 64] = 3;
    if (t < 20 && __any_sync(0x000fffff, x == 17)) out[t + 96] = 4;
}

extern "C" __global__ void groups(const int *a, int *out)
{
    int t = threadIdx.x, x = a[t];
    if (__match_any_sync(0xffffffff, x) == 1u << t) out[t] = 1;
    if (__reduce_add_sync(0xffffffff, x) > 100) out[t + 32] = 2;
    if (__shfl_sync(0xffffffff, t, x & 31) > 7) out[t + 64] = 3;
}

extern "C" __global__ void local_array(const int *a, const int *b, int *out, int k)
{
    int t = threadIdx.x, kept[8];
    for (int j = 0; j < 8; ++j) kept[(j * k) & 7] = a[8 * t + j];
    if (kept[(t + k) & 7] > b[t]) out[t] = 1;
}

// What one warp compares, the other one chose.
extern "C" __global__ void handed(const int *a, const int *b, int *out)
{
    __shared__ int kept[64];
    int t = threadIdx.x;
    if (a[t] > 0) { kept[t] = b[t]; out[t + 128] = 1; } else kept[t] = b[t + 64];
    __syncthreads();
    int x = kept[t ^ 32];
    if (x > 5) out[t] = 1;
    if (x < b[t + 128]) out[t + 64] = 2;
}

// addresses that data decide, and no branch
extern "C" __global__ void gathers(const int *at, const int *table, int *out)
{
    out[threadIdx.x] = table[at[threadIdx.x]];
}

// NVVM makes `& 255` of a word a load of its first byte
extern "C" __global__ void bytes(const unsigned *a, int *out)
{
    unsigned word = a[threadIdx.x];
    if ((word & 255) == 17) out[threadIdx.x] = 1;
    if (reinterpret_cast<const unsigned char *>(a)[4 * threadIdx.x + 1] > 250) out[threadIdx.x] += 2;
}

// one way of a branch leads to a line for each thread, in one set of the cache
extern "C" __global__ void far(const int *a, const int *table, int *out)
{
    if (a[threadIdx.x] > 30) out[threadIdx.x] = table[512 * threadIdx.x] + table[512 * threadIdx.x + 1];
}
