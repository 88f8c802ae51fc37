// Loops of one thread whose turns nobody could take over: it waits, or goes from link to link.

__device__ int arrived;
__global__ void wait_for_all(float *out, const float *in, int n)
{
    for (int round = 1; round <= 4; ++round) {
        out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x + round * n];
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(&arrived, 1);
            while (*(volatile int *)&arrived < gridDim.x * round)
                ;
        }
        __syncthreads();
    }
}

__global__ void last_of_list(int *out, const int *next, const int *heads)
{
    __shared__ int last;
    if (threadIdx.x == 0) {
        int p = heads[blockIdx.x];
        while (next[p] != p)
            p = next[p];
        last = p;
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = last;
}

// what is read moves on, though data say how far
__global__ void lengths(int *out, const unsigned char *tokens, int size)
{
    const unsigned char *mine = tokens + (size_t)blockIdx.x * size;
    __shared__ int total;
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
        int sum = 0, p = 0;
        while (p < size) {  // also: CU901
            sum += mine[p] & 15;  // also: CU901
            p += (mine[p] & 15) + 1;
        }
        total = sum;
    }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = total;
}

void launch(float *out, const float *in, int *found, const int *next, const unsigned char *tokens)
{
    wait_for_all<<<108, 256>>>(out, in, 262144);
    last_of_list<<<256, 256>>>(found, next, next + 1000);
    lengths<<<64, 128>>>(found, tokens, 4096);
}
