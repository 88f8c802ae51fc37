// The kernels of docs/view.md: a Haar wavelet with and without padding, and accesses that GPUs of
// different generations serve differently.

constexpr int THREADS = 512;
constexpr int SIZE = 2 * THREADS;
constexpr float SCALE = 0.70710678f;

// Each level halves what is left: thread t joins two values that lie `stride` apart.
template <int PAD>
__device__ void transform(float *coarse, float *detail, const float *in, float *data, int tail)
{
    int t = threadIdx.x, first = blockIdx.x * SIZE;
    auto at = [](int i) { return PAD ? i + i / 32 : i; };

    data[at(t)] = in[first + t];
    data[at(t + THREADS)] = in[first + t + THREADS];
    __syncthreads();

    for (int half = THREADS, stride = 1; half > 0; half /= 2, stride *= 2) {
        if (t < half) {
            float a = data[at(2 * t * stride)];
            float b = data[at((2 * t + 1) * stride)];
            detail[first + half + t] = (a - b) * SCALE;
            data[at(2 * t * stride)] = (a + b) * SCALE;
        }
        __syncthreads();
    }
    if (t == 0)
        coarse[blockIdx.x] = data[0];
    if (blockIdx.x == 0)  // the first block also clears what the next pass adds to
        for (int i = t; i < tail; i += THREADS)
            coarse[gridDim.x + i] = 0.0f;
}

__global__ void haar(float *coarse, float *detail, const float *in, int tail)
{
    __shared__ float data[SIZE];
    transform<0>(coarse, detail, in, data, tail);
}

__global__ void haar_padded(float *coarse, float *detail, const float *in, int tail)
{
    __shared__ float data[SIZE + SIZE / 32];
    transform<1>(coarse, detail, in, data, tail);
}

// Neighbours in turn: all of a segment, but not in the lanes' order.
__global__ void swapped(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ 1];
}

// Every second word, and two rows that lie 32 words apart.
__global__ void strided(float *out)
{
    __shared__ float row[128];
    int t = threadIdx.x;
    row[t] = row[t + 32] = row[t + 64] = row[t + 96] = 1.0f;
    __syncthreads();
    out[t] = row[2 * t];
    out[t + 32] = row[t % 16 + t / 16 * 32];
}
