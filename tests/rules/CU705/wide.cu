// 64 bits, divided as 32 where both operands are small: two divisions at one line.
typedef unsigned long long u64;

struct Entry {
    u64 key;
    unsigned value;
};

__device__ u64 mix(u64 k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    return k ^ k >> 29;
}

__global__ void hashed(u64 *out, u64 slots, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 sum = 0;
    for (int k = 0; k < turns; k++)
        sum += mix(sum + i) % slots;  // expect: CU705 "make `slots`"
    out[i] = sum;
}

// What it takes is hidden: each turn waits for a sector of its own.
__global__ void probed(const u64 *keys, const Entry *table, u64 slots, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 key = keys[i];
    for (u64 step = 0;; step++) {
        Entry e = table[(mix(key) + step) % slots];  // undecided: CU705 (the rule's own) "waits for memory"; CU101 (loaded address)
        if (e.key == key) {
            out[i] = e.value;
            return;
        }
        if (e.key == 0)
            return;
    }
}

// By a constant there is nothing to divide.
__global__ void constant(u64 *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 sum = 0;
    for (int k = 0; k < turns; k++)
        sum += mix(sum + i) % 2000003ULL;
    out[i] = sum;
}

void launch(const u64 *keys, const Entry *table, u64 *out, unsigned *found)
{
    hashed<<<64, 256>>>(out, 2000003, 100);
    probed<<<64, 256>>>(keys, table, 2000003, found);
    constant<<<64, 256>>>(out, 100);
}
