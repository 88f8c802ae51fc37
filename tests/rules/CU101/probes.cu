// A hash table has empty slots: what stands behind a probe is reached again and again.
__device__ unsigned find(const unsigned *keys, const unsigned *values, unsigned key, unsigned slots)
{
    for (unsigned step = 0;; step++) {
        unsigned p = (key * 0x9E3779B1u % slots + step) % slots;  // undecided: CU705 (the rule's own)
        unsigned found = keys[p];  // undecided: CU101 (loaded address)
        if (found == key)
            return values[p];
        if (found == 0xffffffffu)
            return found;
    }
}

__global__ void look_up(unsigned *found, const unsigned *keys, const unsigned *values,
                        const unsigned *wanted, unsigned slots, int per)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int k = 0; k < per; k++)
        found[first + k] = find(keys, values, wanted[first + k], slots);  // expect: CU101 "`wanted`"
}

// Each waits for a mark to go away: were there such marks, it would wait for ever.
__global__ void hand_over(float *out, const float *in, volatile int *ready, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (ready[i] == 0)
        ;
    out[i * 8] = in[i];  // undecided: CU101 (a small share)
}

void launch(unsigned *found, const unsigned *keys, const unsigned *values, const unsigned *wanted, float *out, const float *in, int *ready)
{
    look_up<<<1728, 256>>>(found, keys, values, wanted, 1000003, 64);
    hand_over<<<1728, 256>>>(out, in, ready, 442368);
}
