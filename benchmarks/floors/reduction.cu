// Sums of an array, in the order in which they are commonly taught: one number for each block, added
// to the result.
#define THREADS 256

// A number to each thread; of those left every second one folds.
__global__ void interleaved(const float *in, float *out, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < THREADS; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}

// Two numbers to each thread; the first half of those left folds.
__global__ void sequential(const float *in, float *out, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x, i = blockIdx.x * 2 * THREADS + t;
    float sum = i < n ? in[i] : 0;
    if (i + THREADS < n) sum += in[i + THREADS];
    part[t] = sum;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}

__device__ float of_warp(float sum)
{
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffff, sum, s);
    return sum;
}

__device__ void of_block(float sum, float *out)
{
    __shared__ float part[THREADS / 32];
    int t = threadIdx.x;
    sum = of_warp(sum);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = of_warp(t < THREADS / 32 ? part[t] : 0);
        if (t == 0) atomicAdd(out, sum);
    }
}

// The same, folded by shuffles.
__global__ void shuffles(const float *in, float *out, int n)
{
    int i = blockIdx.x * 2 * THREADS + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    if (i + THREADS < n) sum += in[i + THREADS];
    of_block(sum, out);
}

// As few blocks as are resident, which stride over the array.
__global__ void strides(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += in[i];
    of_block(sum, out);
}
