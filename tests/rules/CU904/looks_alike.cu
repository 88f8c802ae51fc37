// Stores and loads of shared memory with no barrier between that need none.
// Another address by its formula, and this launch's the same in every lane.
__global__ void own_slots(float *out, const float *in, int n)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    line[t * n] = in[blockIdx.x * 256 + t];
    out[blockIdx.x * 256 + t] = line[t];  // refuted: CU904 (nothing wasted)
    __syncthreads();
    out[blockIdx.x * 256 + t] += line[255 - t];
}

__global__ void with_warp_barriers(float *out, const float *in)
{
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int s = 32; s > 0; s /= 2) {
            float x = part[t] + part[t + s];
            __syncwarp();
            part[t] = x;
            __syncwarp();
        }
        if (t == 0)
            out[blockIdx.x] = part[0];
    }
}

__global__ void all_store_the_same(int *out, const int *in, int n)
{
    __shared__ volatile int limit;
    limit = n;
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = min(in[i], (int)limit);  // refuted: CU904 (nothing wasted)
}

__global__ void shuffled(float *out, const float *in)
{
    float x = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(0xffffffff, x, d);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

void launch(float *out, const float *in, int *j, const int *l)
{
    own_slots<<<64, 256>>>(out, in, 1);
    with_warp_barriers<<<1024, 64>>>(out, in);
    all_store_the_same<<<64, 256>>>(j, l, 100);
    shuffled<<<1024, 32>>>(out, in);
}
