// Bins that all threads of the grid share: a copy in shared memory needs an atomic an element and block.
__global__ void bytes(const uchar4 *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = in[i];
        atomicAdd(&bins[p.x], 1u);  // expect: CU108 "each block makes 16,384 atomics on the 256 elements of `bins`" "1,024 bytes"  // undecided: CU101 (fine with other values)
    }
}

// What data choose is cut off: there are no more elements than that.
__global__ void clamped(const float *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int b = int(in[i] * 8.0f);
        b = b < 0 ? 0 : (b > 63 ? 63 : b);
        atomicAdd(&bins[b], 1u);  // expect: CU108 "each block makes 16,384 atomics on the 64 elements of `bins`"
    }
}

// It is cut off from below only.
__global__ void from_below(const float *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[max(int(in[i] * 8.0f), 0)], 1u);  // undecided: CU108 (invented data decides)
}

// … at what nobody knows.
__global__ void at_a_bound(const float *in, unsigned *__restrict__ bins, int n, const int *__restrict__ last)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[min(max(int(in[i] * 8.0f), 0), *last)], 1u);  // undecided: CU108 (invented data decides)
}

// One element a thread: a block's copy would take as many atomics to add up, but not those of a few blocks.
__global__ void once(const int *in, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 255], 1u);  // expect: CU108 "a launch makes 1,048,576 atomics on the 256 elements of `bins`" "55,296 would do"  // undecided: CU101 (fine with other values)
}

// A launch of few elements has no more atomics than the copies.
__global__ void few(const int *in, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] & 255], 1u);  // undecided: CU101 (fine with other values); CU108 (invented data decides)
}

// Who asks what was there before wants a place of his own.
__global__ void places(const int *in, unsigned *next, unsigned *place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    place[i] = atomicAdd(&next[in[i] & 255], 1u);  // undecided: CU101 (fine with other values); CU108 (invented data decides)
}

// Beside much other work it takes no time.
__global__ void weighed(const float *in, const int *kind, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 400; k++) x = x * (1.0f - x) * 3.7f + __expf(-x);
    atomicAdd(&sums[kind[i] & 1023], x);  // undecided: CU101 (fine with other values); CU108 (a small share)
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
    clamped<<<64, 256>>>(weight, bins, 1 << 20);
    from_below<<<64, 256>>>(weight, bins, 1 << 20);
    at_a_bound<<<64, 256>>>(weight, bins, 1 << 20, keys);
    once<<<4096, 256>>>(keys, bins);
    few<<<256, 256>>>(keys, bins);
    places<<<4096, 256>>>(keys, bins, bins);
    weighed<<<8192, 256>>>(weight, keys, sums);
    some<<<128, 256>>>(keys, sums, weight, 1 << 20);
    any<<<128, 256>>>(keys, sums, 1 << 20);
}
