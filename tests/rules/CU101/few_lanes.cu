// What a formula proves of full warps, a few lanes cannot refute: one lane has one sector.

// Data choose about a lane of each warp.
__global__ void chosen(float *out, const float *in, const int *flags)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((flags[i] & 31) == 5)
        out[i] = in[i * 12];  // expect: CU101 "no request had all its lanes"
}

// The kernel itself lets one lane of each warp in: no launch has more.
__global__ void first_lanes(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0)  // expect: CU901
        out[i / 32] = in[i * 12];
}

// A hash into a buffer: 64 elements lie in 8 sectors, which any 32 of them fill.
__global__ void hashed(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(index[i] * 7) & (n - 1)];  // undecided: CU101 (loaded address) "loaded data"
}

// A histogram that fits into L1, however it is met: atomics are not gathers.
__global__ void counted(unsigned *bins, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] & 63], 1u);  // undecided: CU108 (invented data decides) "depends on data"
}

// What is left behind the last whole group of four: one thread's, of all that there are.
__global__ void grouped(char *out, const char *in, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        *(int *)(out + i) = *(const int *)(in + i);
    } else {
        if (i < n)
            out[i] = in[i];
        if (i + 1 < n)
            out[i + 1] = in[i + 1];
        if (i + 2 < n)
            out[i + 2] = in[i + 2];
    }
}

// At each level every second of the threads before: never all lanes of a warp. Only data that are
// made for it come to it, and what full warps would cost says nothing.
__global__ void levels(int *lists, const int *lengths, int n, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((i + 1) % level == 0 && i < n && lengths[i] == -12345)  // expect: CU101 "load from `lengths`"  // undecided: CU705 (invented data decides); CU901 (a small share)
        lists[256 * i] = i;  // undecided: CU101 (friendlier values not reached)
}

// Every second thread of every second row, which compilers ask of a bit. No data that are tried come
// to the store.
__global__ void evens(int *lists, const int *keys, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x % 2 != 0 || y % 2 != 0)  // expect: CU901
        return;
    int key = keys[y * width + x];  // undecided: CU109 (invented data decides)
    for (int k = 0; k < key; k++)
        key ^= keys[k] * 31;
    if (key == 771231 && keys[key] == 1233 && keys[key * key] == 1)
        lists[256 * x] = key;
}

void launch(float *out, const float *in, const int *flags, int n)
{
    for (int level = 2; level <= n; level *= 2)
        levels<<<(n + 63) / 64, 64>>>((int *)out, flags, n, level);
    evens<<<dim3(16, 16), dim3(16, 16)>>>((int *)out, flags, 256);
    grouped<<<(n + 511) / 512, 128>>>((char *)out, (const char *)in, n);
    chosen<<<256, 256>>>(out, in, flags);
    first_lanes<<<256, 256>>>(out, in);
    hashed<<<256, 256>>>(out, in, flags, n);
    counted<<<256, 256>>>((unsigned *)out, (const unsigned *)flags, n);
}
