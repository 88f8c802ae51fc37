// A byte a thread before a long loop: words would save few of what the kernel issues.
__global__ void scored(int *best, const char *reads)
{
    __shared__ int row[256];
    char mine = reads[blockIdx.x * 256 + threadIdx.x];  // undecided: CU103 (the rule's own) "a hundredth"
    int sum = 0;
    for (int k = 0; k < 64; k++) {
        row[threadIdx.x] = sum;
        __syncthreads();
        sum = max(sum, row[255 - threadIdx.x] + mine * k);
        __syncthreads();
    }
    if (threadIdx.x == 0) best[blockIdx.x] = sum;
}

// In the loop itself each turn has one.
__global__ void scored_each(int *best, const char *reads)
{
    __shared__ int row[256];
    int sum = 0;
    for (int k = 0; k < 64; k++) {
        row[threadIdx.x] = sum;
        __syncthreads();
        char mine = reads[(k * 64 + blockIdx.x) * 256 + threadIdx.x];  // expect: CU103
        sum = max(sum, row[255 - threadIdx.x] + mine * k);
        __syncthreads();
    }
    if (threadIdx.x == 0) best[blockIdx.x] = sum;
}

void launch(int *best, const char *reads)
{
    scored<<<64, 256>>>(best, reads);
    scored_each<<<64, 256>>>(best, reads);
}
