// What lies beside an element is the next block's: no tile of a block has a row of it.
__global__ void quotas(long long *out, const long long *counts, int experts, int workers)
{
    int worker = blockIdx.x * blockDim.x + threadIdx.x;
    int at = worker * experts + blockIdx.y;
    if (worker < workers)
        out[at] = counts[at] * 2;  // also: CU101  // expect: CU101 "another block's (blockIdx.y counts it)"
}

// Each thread goes on along its row: a tile has rows.
__global__ void rows(long long *out, const long long *counts, int experts, int workers)
{
    int worker = blockIdx.x * blockDim.x + threadIdx.x;
    long long sum = 0;
    if (worker < workers)
        for (int k = 0; k < experts; k++)
            sum += counts[worker * experts + k];  // expect: CU101 "walks along a row of `counts`"
    out[worker] = sum;
}

// What lies beside is its block's own, in y.
__global__ void tiles(long long *out, const long long *counts, int experts)
{
    int worker = blockIdx.x * blockDim.x + threadIdx.x;
    int expert = blockIdx.y * blockDim.y + threadIdx.y;
    out[expert * 4096 + worker] = counts[worker * experts + expert];  // expect: CU101 "`counts` and `out` lie across each other"
}

void launch(long long *out, const long long *counts)
{
    quotas<<<dim3(16, 96), 256>>>(out, counts, 96, 4096);
    rows<<<16, 256>>>(out, counts, 96, 4096);
    tiles<<<dim3(256, 6), dim3(16, 16)>>>(out, counts, 96);
}
