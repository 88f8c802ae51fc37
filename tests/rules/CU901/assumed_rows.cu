// A row of a small matrix in each row of the block, whose size cannot be read: whether rows split warps
// hangs on it.
__global__ void eliminate(float *rows, int turns)
{
    extern __shared__ float pivot[];
    int n = blockDim.x, at = threadIdx.y * n + threadIdx.x;
    for (int k = 0; k < turns; k++) {
        if (threadIdx.y == k) {  // undecided: CU901 (assumed block) "how they fall into warps"
            float v = rows[at];
            for (int i = 1; i < 20; i++)
                v = sqrtf(v + i);
            pivot[threadIdx.x] = v;
        }
        __syncthreads();
        rows[at] -= pivot[threadIdx.x];
    }
}

struct Info { int size; };
void launch(float *rows, Info info)
{
    dim3 threads;
    threads.x = info.size + 1;
    threads.y = info.size;
    eliminate<<<64, threads, 4096>>>(rows, 8);
}
