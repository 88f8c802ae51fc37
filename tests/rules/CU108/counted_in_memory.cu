struct Row { int kind; float price; };

// A number in memory says how many elements there are: in each turn all threads of a block come to it.
__global__ void selected(const Row *rows, const int *chosen, const int *count, double *sums)
{
    int n = *count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Row r = rows[chosen[i]];  // undecided: CU101 (friendlier values not reached)
        atomicAdd(&sums[r.kind & 7], r.price);  // expect: CU108 "each block makes 256 atomics on the 8 elements of `sums` in global memory in a turn"
    }
}

// Each lane's own data let it in: how many come, nobody knows.
__global__ void let_in(const Row *rows, const int *chosen, const int *count, double *sums)
{
    int n = *count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Row r = rows[chosen[i]];  // undecided: CU101 (friendlier values not reached)
        if (r.price > 0.5f)
            atomicAdd(&sums[r.kind & 7], r.price);
    }
}

// One thread of each warp does it for all.
__global__ void combined(const float *in, const int *kind, const int *count, float *sums)
{
    int n = *count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        for (int o = 16; o > 0; o /= 2) x += __shfl_down_sync(~0u, x, o);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&sums[kind[i / 32] & 7], x);
    }
}

void launch(const Row *rows, const int *chosen, const int *count, double *sums, const float *in, float *fsums)
{
    selected<<<432, 256>>>(rows, chosen, count, sums);
    let_in<<<432, 256>>>(rows, chosen, count, sums);
    combined<<<432, 256>>>(in, chosen, count, fsums);
}
