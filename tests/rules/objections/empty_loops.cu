// What stands beside a loop says little where the loop has nothing to do.

// A place for edges that another build fills.
static const long long EDGES = 0;

__global__ void by_edges(float *total, const float *in, long long edges)
{
    float sum = 0.0f;
    for (long long i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < edges; i += gridDim.x * blockDim.x / 32)
        for (int k = threadIdx.x % 32; k < 1024; k += 32)
            sum += in[i * 1024 + k];
    atomicAdd(total, sum);  // undecided: CU108 (invented data decides) "`edges` = 0 a loop"
}

__global__ void all_of_them(float *total, const float *in, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    atomicAdd(total, sum);  // expect: CU108 "32 lanes of a warp hit one address"
}

void run(float *total, const float *in, int n)
{
    by_edges<<<4, 256>>>(total, in, EDGES);
    all_of_them<<<(n + 255) / 256, 256>>>(total, in, n);
}

// A null pointer is no size, and leaves nothing out.
__global__ void counted(float *total, const float *in, int *counts, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    if (counts)
        for (int k = 0; k < 100; k++)
            counts[k * 256 + threadIdx.x] += 1;
    atomicAdd(total, sum);  // expect: CU108 "32 lanes of a warp hit one address"
}

void run_counted(float *total, const float *in, int n)
{
    counted<<<(n + 255) / 256, 256>>>(total, in, nullptr, n);
}

// A number of a bit is no size: the slow path of sines has a loop that seldom turns, whatever it is.
__global__ void every_fourth(double *re, int n, int c, double theta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if ((i >> c & 1) && (i >> (c + 1) & 1))  // expect: CU901 "branch splits warps"
        re[i] *= cos(theta * i);  // expect: CU101
}

void run_every_fourth(double *re)
{
    every_fourth<<<4096, 256>>>(re, 1 << 20, 0, 0.001);
}
