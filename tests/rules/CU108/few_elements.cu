// Bins that all threads of the grid share: a copy in shared memory needs an atomic an element and block.
__global__ void bytes(const uchar4 *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = in[i];
        atomicAdd(&bins[p.x], 1u);  // expect: CU108 "each block makes 16,384 atomics on the 256 elements of `bins`" "1,024 bytes"  // undecided: CU101 (fine with other values)
    }
}

// One element a thread: a block's copy would take as many atomics to add up.
__global__ void once(const int *in, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 255], 1u);  // undecided: CU101 (fine with other values); CU108 (invented data decides)
}

// Data decide whether it is reached.
__global__ void some(const int *in, float *sums, const float *weight, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (weight[i] > 0.5f)
            atomicAdd(&sums[in[i] & 15], weight[i]);  // undecided: CU108 (invented data decides) "whether it is reached"
}

// Nobody knows how many elements there are.
__global__ void any(const int *in, float *sums, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sums[in[i]], 1.0f);  // undecided: CU101 (fine with other values); CU108 (invented data decides)
}

void launch(const uchar4 *in, const int *keys, unsigned *bins, float *sums, const float *weight)
{
    bytes<<<64, 256>>>(in, bins, 1 << 20);
    once<<<4096, 256>>>(keys, bins);
    some<<<128, 256>>>(keys, sums, weight, 1 << 20);
    any<<<128, 256>>>(keys, sums, 1 << 20);
}
