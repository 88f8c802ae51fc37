// Branches on the thread index that split warps, or only look like it.
__global__ void every_other(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (threadIdx.x % 2 == 0)  // expect: CU901 "would do in full warps"
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1.0f;
    data[i] = x;
}

__global__ void four_ways(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    int way = threadIdx.x & 3;
    if (way == 0)  // expect: CU901
        for (int k = 0; k < n; k++)
            x = sqrtf(x) + 1.0f;
    else if (way == 1)  // expect: CU901
        for (int k = 0; k < n; k++)
            x = x * x - 1.0f;
    data[i] = x;
}

__global__ void one_lane_works(float *out, const float *in, int n)
{
    __shared__ float row[256];
    row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block" "a tree in shared memory"
        float sum = 0.0f;
        for (int k = 0; k < 256; k++)  // also: CU901
            sum += row[k];  // also: CU901
        out[blockIdx.x] = sum;
    }
}

// A running sum leaves something on each turn: it is no reduction.
__global__ void one_lane_scans(float *out, const float *in)
{
    __shared__ float row[256], sums[256];
    row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block" "__shfl_up_sync"
        sums[0] = row[0];
        for (int k = 1; k < 256; k++)  // also: CU901
            sums[k] = sums[k - 1] + row[k];  // also: CU901
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = sums[threadIdx.x];
}

// Interleaved addressing: the classic reduction that keeps every other lane busy.
__global__ void reduce_modulo(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t % (2 * d) == 0)  // expect: CU901
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// ok: whole warps go the same way
__global__ void by_warp(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (threadIdx.x / 32 % 2 == 0)
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1.0f;
    data[i] = x;
}

// ok: the guard at the end of the data
__global__ void guard(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        for (int k = 0; k < 16; k++)
            x = sqrtf(x) + 1.0f;
        out[i] = x;
    }
}

// ok: a tree over neighbouring threads; the last steps are few
__global__ void reduce_tree(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// ok: the data decides, and it is invented
__global__ void by_data(float *out, const int *kind, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    if (kind[i] % 2 == 0)
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1.0f;
    out[i] = x;
}

void launch(float *out, const float *in, const int *kind)
{
    every_other<<<64, 256>>>(out, 100);
    four_ways<<<64, 256>>>(out, 50);
    one_lane_works<<<64, 256>>>(out, in, 256);
    one_lane_scans<<<64, 256>>>(out, in);
    reduce_modulo<<<64, 256>>>(out, in);
    by_warp<<<64, 256>>>(out, 100);
    guard<<<64, 256>>>(out, in, 16300);
    reduce_tree<<<64, 256>>>(out, in);
    by_data<<<64, 256>>>(out, kind, 100);
}

// The leader of each warp hands on its warp's result: leaders cannot be packed into one warp.
__global__ void leaders(float *sums, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x % 32 == 0) {  // ok: one lane of each warp, as it must be
        float scaled = sum * 0.125f, root = sqrtf(scaled), last = expf(-root) + scaled * root;
        atomicAdd(&sums[(i / 32) % 64], last * last + root / (1.0f + scaled));
    }
}

// Threads that never meet have no leader: the launch has eight times the warps that are needed.
__global__ void sampled(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0)  // expect: CU901 "would do in full warps"
        out[i / 32] = sqrtf(in[i]) + 1.0f;
}

// The border is computed apart: of many blocks few have threads there.
__global__ void bordered(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * 640 + x;
    float value = in[i];
    if (x >= 4 && x + 4 < w) {  // ok
        out[i] = 0.5f * value;
    } else {
        for (int k = 0; k < 200; k++)
            value = value * 0.5f + sqrtf(value);
        out[i] = value;
    }
}

void border(float *out, const float *in)
{
    bordered<<<dim3(20, 64), dim3(32, 8)>>>(out, in, 640);
}

// Every fourth thread stores once, after a long loop.
__global__ void seldom(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    for (int k = 0; k < 100; k++)
        x += in[i + 16384 * k];
    if (threadIdx.x % 4 == 0)  // refuted: CU901 (too small to report)
        out[i / 4] = x;
}

void lead(float *sums, const float *in)
{
    seldom<<<64, 256>>>(sums, in);
    leaders<<<64, 256>>>(sums, in);
    sampled<<<64, 256>>>(sums, in);
}
