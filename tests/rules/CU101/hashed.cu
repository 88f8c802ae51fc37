// What a hash picks lies anywhere: no layout of the array packs it.
__device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

struct Slot { int key, value; };

// A probe goes on from where the hash is: the loop's value is one, too.
__global__ void found(int *out, const int *keys, const Slot *__restrict__ table, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i];
    unsigned at = mixed(key) & mask;
    Slot slot = table[at];
    while (slot.key != key && slot.key != -1) {
        at = (at + 1) & mask;
        slot = table[at];  // undecided: CU101 (loaded address) "each lane's own loaded data"
    }
    out[i] = slot.value;
}

// A hash of the index is as good as one of data.
__global__ void marked(unsigned *bits, unsigned words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = mixed(i);
    atomicOr(&bits[(at >> 5) & words], 1u << (at & 31));  // undecided: CU101 (loaded address) "a hash chooses"
}

// Mixed with itself, but not spread: Gray's code goes from each row to one nearby.
__global__ void gray(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i ^ (i >> 1)) * 16];  // expect: CU101 "32 sectors per request"
}

// Spread, but not mixed: a large pitch.
__global__ void pitched(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(size_t)i * 65537];  // expect: CU101 "32 sectors per request"
}

void launch(int *out, const int *keys, const Slot *table, unsigned *bits, float *to, const float *from)
{
    found<<<4096, 256>>>(out, keys, table, (1u << 22) - 1);
    marked<<<4096, 256>>>(bits, (1u << 20) - 1);
    gray<<<4096, 256>>>(to, from);
    pitched<<<4096, 256>>>(to, from);
}

// Quotients are multiplied by large numbers, too: no hash, but rows that a swizzle permutes.
__global__ void swizzled(float *out, const float *in, int height)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 12, column = thread % 12;
    out[(column ^ (row & 3)) * height + row] = in[thread];  // expect: CU101 "store to `out`"
}

void swizzle(float *out, const float *in) { swizzled<<<1200, 256>>>(out, in, 25600); }
