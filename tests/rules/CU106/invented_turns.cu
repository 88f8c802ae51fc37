// Where a run invented how often a loop turns, no number of requests is told.
__constant__ int reach;

__global__ void by_a_constant(float *out, const float *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < reach; k++)
        out[x] += in[k * 4096 + x]; // expect: CU106 "a request on each iteration" "how often the loop turns depends on values that are not known"
}

__global__ void by_an_argument(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[x] += in[k * 4096 + x]; // expect: CU106 "a request on each iteration"
}

__global__ void by_data(float *out, const float *in, const int *lengths)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int length = lengths[0];
    for (int k = 0; k < length; k++)
        out[x] += in[k * 4096 + x]; // expect: CU106 "a request on each iteration"
}

// The launch says how often: the number stays, though the run was cut short.
__global__ void by_the_launch(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[x] += in[k * 4096 + x]; // expect: CU106 "requests per warp where 1 would do"
}

// So does the block, whatever the stride is.
__global__ void by_the_block(float *out, const float *in, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < blockDim.x; k++)
        out[x] += in[k * pitch + x]; // expect: CU106 "requests per warp where 1 would do"
}

void launch(float *out, const float *in, const int *lengths, int n)
{
    by_a_constant<<<2048, 256>>>(out, in);
    by_an_argument<<<2048, 256>>>(out, in, n);
    by_data<<<2048, 256>>>(out, in, lengths);
    by_the_launch<<<2048, 256>>>(out, in, 256);
    by_the_block<<<2048, 256>>>(out, in, n);
}
