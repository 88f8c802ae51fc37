// Seven reductions (after M. Harris, "Optimizing parallel reduction in CUDA") and three scans.

extern "C" __global__ void reduce_divergent(const int *in, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_strided(const int *in, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        int at = 2 * s * t;
        if (at < blockDim.x) part[at] += part[at + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_sequential(const int *in, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_first_add(const int *in, int *out)
{
    __shared__ int part[128];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = in[i] + in[i + 128];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_last_warp(const int *in, int *out)
{
    __shared__ volatile int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s > 32; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) {
        int mine = part[t] + part[t + 32];
        for (int s = 16; s > 0; s /= 2) {
            part[t] = mine;
            __syncwarp();
            mine += part[(t + s) & 31];
            __syncwarp();
        }
        if (t == 0) out[blockIdx.x] = mine;
    }
}

extern "C" __global__ void reduce_shuffles(const int *in, int *out)
{
    __shared__ int warps[8];
    int t = threadIdx.x, sum = in[blockIdx.x * 256 + t];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
    if (t % 32 == 0) warps[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? warps[t] : 0;
        for (int s = 4; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reduce_instruction(const int *in, int *out)
{
    int sum = __reduce_add_sync(~0u, in[blockIdx.x * 256 + threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

// Inclusive: the naive one with two buffers.
extern "C" __global__ void scan_doubling(const int *in, int *out)
{
    __shared__ int both[2][256];
    int t = threadIdx.x, now = 0;
    both[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int by = 1; by < 256; by *= 2) {
        both[1 - now][t] = both[now][t] + (t >= by ? both[now][t - by] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = both[now][t];
}

// Inclusive by way of an exclusive one: up and down a tree.
extern "C" __global__ void scan_tree(const int *in, int *out)
{
    __shared__ int tree[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    int step = 1;
    for (int d = 128; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) tree[255] = 0;
    for (int d = 1; d < 256; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, left = tree[a];
            tree[a] = tree[b];
            tree[b] += left;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t] + in[base + 2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1] + in[base + 2 * t + 1];
}

extern "C" __global__ void scan_shuffles(const int *in, int *out)
{
    __shared__ int totals[8];
    int t = threadIdx.x, lane = t % 32, sum = in[blockIdx.x * 256 + t];
    for (int by = 1; by < 32; by *= 2) {
        int left = __shfl_up_sync(~0u, sum, by);
        if (lane >= by) sum += left;
    }
    if (lane == 31) totals[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++) sum += totals[warp];
    out[blockIdx.x * 256 + t] = sum;
}
