// Atomics whose lanes have addresses of their own, or that one lane does.
__global__ void own_element(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[i], in[i]);
}

__global__ void one_lane(float *sum, const float *in)
{
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, x);  // refuted: CU108 (not reached)
}

// ptxas makes VOTEU, POPC and one RED of it
__global__ void counter(int *count, const float *in, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > limit)
        atomicAdd(count, 1);  // undecided: CU108 (the rule's own) "already aggregates"
}

// and REDUX and one RED of that
__global__ void largest(int *best, const int *in)
{
    atomicMax(best, in[blockIdx.x * blockDim.x + threadIdx.x]);  // undecided: CU108 (the rule's own) "already aggregates"
}

// so many blocks do much else meanwhile
__global__ void largest_of_many(int *best, const int *in, int n)
{
    int x = 0;
    for (int k = 0; k < n; k++)
        x = max(x, in[(k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x]);
    atomicMax(best, x);  // refuted: CU108 (too small to report) "of the time that the kernel takes"
}

// which warps have any that counts is a matter of the data
__global__ void found(int *count, const float *in, float limit)
{
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > limit)
        atomicAdd(count, 1);  // undecided: CU108 (the rule's own) "already aggregates"
}

// each warp has its place among those of the grid
__global__ void place(int *count, int *to)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(count, 1);  // undecided: CU108 (the rule's own) "already aggregates"
}

__global__ void histogram(int *bins, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 7], 1);  // expect: CU108 "on the 8 elements of `bins`"
}

// the highest bits of what was invented are 0, those of the real data are not
__global__ void by_high_byte(int *bins, const unsigned int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] >> 22], 1);  // undecided: CU108 (invented data decides) "depends on data"
}

// once, after many steps
__global__ void much_work(float *sum, const float *in, int n)
{
    float x = 0.0f;
    for (int k = 0; k < n; k++)
        x = x * 0.5f + in[k * 32768 + blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(sum, x);  // undecided: CU108 (a small share) "of the time that the kernel takes"
}

// neighbouring blocks meet, lanes do not
__global__ void columns(float *sums, const float *in, int width)
{
    int x = threadIdx.x;
    atomicAdd(&sums[x], in[blockIdx.x * width + x]);
}

void launch(float *f, const float *g, int *i, const int *j)
{
    own_element<<<64, 256>>>(f, g);
    one_lane<<<64, 256>>>(f, g);
    counter<<<64, 256>>>(i, g, 0.5f);
    largest<<<64, 256>>>(i, j);
    largest_of_many<<<4096, 256>>>(i, j, 1000);
    found<<<16384, 256>>>(i, g, 0.5f);
    place<<<16384, 256>>>(i, (int *)j);
    histogram<<<64, 256>>>(i, j);
    by_high_byte<<<64, 256>>>(i, (const unsigned int *)j);
    much_work<<<128, 256>>>(f, g, 20000);
    columns<<<64, 256>>>(f, g, 256);
}
