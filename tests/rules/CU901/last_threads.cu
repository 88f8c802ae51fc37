// Bounds that few threads meet: the last ones of a range that is shared out, a fixed grid over a size
// that nothing tells, one thread of a block behind a sum that the library makes.
#include <cub/cub.cuh>

// A caller computes how much there is; only the last thread's share ends early.
__global__ void shares(float *out, const float *in, int all, int each)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < each && thread * each + k < all; ++k)
        sum = 0.5f * sum + in[k];
    out[thread] = sum;
}
int much(int length, int each);
void share_out(float *out, const float *in, int length)
{
    int all = much(length, 12);
    shares<<<(all / 12 + 127) / 128, 128>>>(out, in, all, 12);
}

// The lanes of a warp differ in what they load, but not in which way they go.
__global__ void strided(float *out, const float *in, size_t size)
{
    float most = 0.0f;
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < size; k += 96 * 128)
        most = fmaxf(most, fabsf(in[k]));
    out[blockIdx.x * blockDim.x + threadIdx.x] = most;
}
void stride_over(float *out, const float *in, size_t size) { strided<<<96, 128>>>(out, in, size); }

// One division, once a block.
__global__ void summed(const int *in, const int *parts, double *out, int n)
{
    using Reduced = cub::BlockReduce<int, 128>;
    __shared__ typename Reduced::TempStorage room;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = Reduced(room).Sum(i < n && in[i] != 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = (double)sum / (double)parts[blockIdx.x];
}
void sum_up(const int *in, const int *parts, double *out, int n) { summed<<<(n + 127) / 128, 128>>>(in, parts, out, n); }
