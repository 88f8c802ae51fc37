// Element-wise sums, histograms and softmax over rows.

extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Each block counts in its own shared memory; the counts are then added up.
extern "C" __global__ void histogram(const unsigned *data, unsigned *bins, int n)
{
    __shared__ unsigned counts[64];
    if (threadIdx.x < 64) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[data[i] & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// One warp a row, four elements a lane.
extern "C" __global__ void softmax(const float *in, float *out, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float x[4], most = -1e30f, sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        x[k] = in[row * 128 + k * 32 + lane];
        most = fmaxf(most, x[k]);
    }
    for (int by = 16; by; by /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    for (int k = 0; k < 4; k++) {
        x[k] = expf(x[k] - most);
        sum += x[k];
    }
    for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
    for (int k = 0; k < 4; k++) out[row * 128 + k * 32 + lane] = x[k] / sum;
}

__device__ float kernel_weights[9] = {0.05f, 0.1f, 0.15f, 0.2f, 0.25f, 0.1f, 0.05f, 0.06f, 0.04f};

// Along rows with a halo in shared memory.
extern "C" __global__ void convolve_rows(const float *in, float *out, int width)
{
    __shared__ float line[64 + 8];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
    for (int k = threadIdx.x; k < 72; k += 64) {
        int at = (int)blockIdx.x * 64 + k - 4;
        line[k] = at >= 0 && at < width ? in[y * width + at] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) sum += kernel_weights[k] * line[threadIdx.x + k];
    out[y * width + x] = sum;
}

extern "C" __global__ void convolve_columns(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) {
        int at = y + k - 4;
        if (at >= 0 && at < height) sum += kernel_weights[k] * in[at * width + x];
    }
    out[y * width + x] = sum;
}

// The 1-D Haar wavelet transform of 128 values a block, all levels in shared memory.
extern "C" __global__ void haar(const float *in, float *out)
{
    __shared__ float values[128];
    int t = threadIdx.x, base = blockIdx.x * 128;
    values[t] = in[base + t];
    values[t + 64] = in[base + t + 64];
    __syncthreads();
    for (int half = 64; half >= 1; half /= 2) {
        float mean = 0.0f, detail = 0.0f;
        if (t < half) {
            float a = values[2 * t], b = values[2 * t + 1];
            mean = (a + b) * 0.70710678f;
            detail = (a - b) * 0.70710678f;
        }
        __syncthreads();
        if (t < half) {
            values[t] = mean;
            out[base + half + t] = detail;
        }
        __syncthreads();
    }
    if (t == 0) out[base] = values[0];
}

extern "C" __global__ void nbody(const float4 *bodies, float3 *force, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = bodies[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int begin = 0; begin < n; begin += 64) {
        tile[threadIdx.x] = bodies[begin + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = tile[k].w * inverse * inverse * inverse;
            sum.x += dx * pull;
            sum.y += dy * pull;
            sum.z += dz * pull;
        }
        __syncthreads();
    }
    force[i] = sum;
}

// One level of a breadth-first search over a graph in compressed rows.
extern "C" __global__ void bfs(const int *starts, const int *edges, int *levels, int *more, int level,
                               int n)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= n || levels[node] != level) return;
    for (int e = starts[node]; e < starts[node + 1]; e++) {
        if (levels[edges[e]] < 0) {
            levels[edges[e]] = level + 1;
            *more = 1;
        }
    }
}

// Bitonic sort of 256 values a block.
extern "C" __global__ void bitonic(unsigned *data)
{
    __shared__ unsigned keys[256];
    int t = threadIdx.x;
    keys[t] = data[blockIdx.x * 256 + t];
    for (int size = 2; size <= 256; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int other = t ^ stride;
            if (other > t) {
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == ((t & size) == 0)) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
        }
    __syncthreads();
    data[blockIdx.x * 256 + t] = keys[t];
}
