// Sums, extremes and counters that a whole warp sends to one address.
__global__ void total(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);  // expect: CU108 "all 32 lanes" "where 1 would do" "`__shfl_down_sync`"
}

__global__ void in_shared(float *out, const float *in)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // expect: CU108 "`sum`" "32 lanes"
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// one address for every eight lanes, which the compiler cannot know to be equal
__global__ void by_eight(int *bins, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[i / 8], in[i]);  // expect: CU108 "8 lanes" "`__match_any_sync`"
}

__global__ void doubles(double *sum, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);  // expect: CU108 "32 lanes"
}

// the result is used, so that the compiler leaves it alone
__global__ void best_so_far(int *best, int *seen, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    seen[i] = atomicMax(best, in[i]);  // expect: CU108 "32 lanes"
}

// many values of one row come to one element
__global__ void rows(float *sums, const float *in, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[blockIdx.y], in[blockIdx.y * width + x]);  // expect: CU108 "`sums`"
}

// a warp issues 5,000 instructions before it, and all warps of the GPU wait at one address
__global__ void after_work(double *energy, const float *in, int n)
{
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < n; k++)
        x = x * 0.5f + 1.0f / (x + k);
    atomicAdd(energy, x);  // expect: CU108 "32 lanes"
}

// ptxas leaves one atomic a warp: all those of the grid come to one address
__global__ void one_a_warp(int *best, const int *in)
{
    atomicMax(best, in[blockIdx.x * blockDim.x + threadIdx.x]);  // expect: CU108 "131,072 atomics on one element" "one a block"
}

void launch(float *f, const float *g, int *i, const int *j, double *d, const double *e)
{
    after_work<<<4096, 256>>>(d, g, 400);
    one_a_warp<<<16384, 256>>>(i, j);
    total<<<64, 256>>>(f, g, 16384);
    in_shared<<<64, 256>>>(f, g);
    by_eight<<<64, 256>>>(i, j);
    doubles<<<64, 256>>>(d, e, 16384);
    best_so_far<<<64, 256>>>(i, i + 1, j);
    rows<<<dim3(4, 64), 256>>>(f, g, 1024);
}
