// Exclusive prefix sums of 512 floats in one block (Horga et al., Table 3): after Hillis and Steele,
// after Blelloch, and the latter with its loads and stores coalesced and its tree without bank
// conflicts, as NVIDIA's scan sample parts them.
#define BANKS 16
#define PADDED(i) ((i) + (i) / BANKS)

__global__ void scan_naive(float *out, const float *in, int n)
{
    extern __shared__ float sums[];
    int t = threadIdx.x, from = 1, to = 0;

    sums[t] = t > 0 ? in[t - 1] : 0.0f;
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        to = 1 - to;
        from = 1 - to;
        sums[to * n + t] = sums[from * n + t];
        if (t >= step)
            sums[to * n + t] += sums[from * n + t - step];
        __syncthreads();
    }
    out[t] = sums[to * n + t];
}

__device__ void sweep(float *sums, int t, int n, bool padded)
{
    int step = 1;
    for (int d = n / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1;
            sums[padded ? PADDED(b) : b] += sums[padded ? PADDED(a) : a];
        }
        step *= 2;
    }
    if (t == 0)
        sums[padded ? PADDED(n - 1) : n - 1] = 0.0f;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1;
            a = padded ? PADDED(a) : a;
            b = padded ? PADDED(b) : b;
            float kept = sums[a];
            sums[a] = sums[b];
            sums[b] += kept;
        }
    }
    __syncthreads();
}

__global__ void scan_workefficient(float *out, const float *in, int n)
{
    extern __shared__ float sums[];
    int t = threadIdx.x;

    sums[2 * t] = in[2 * t];
    sums[2 * t + 1] = in[2 * t + 1];
    sweep(sums, t, n, false);
    out[2 * t] = sums[2 * t];
    out[2 * t + 1] = sums[2 * t + 1];
}

__global__ void scan_best(float *out, const float *in, int n)
{
    extern __shared__ float sums[];
    int t = threadIdx.x, a = t, b = t + n / 2;

    sums[PADDED(a)] = in[a];
    sums[PADDED(b)] = in[b];
    sweep(sums, t, n, true);
    out[a] = sums[PADDED(a)];
    out[b] = sums[PADDED(b)];
}
