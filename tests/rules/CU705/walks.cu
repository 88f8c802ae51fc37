// Remainders in loops over a thread's own run of an array, which loaded data begin.
__global__ void hashes(const unsigned char *text, const int *first, unsigned *out, int n, unsigned mod)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned hash = 0;
    for (int p = first[i]; p < first[i + 1]; p++)  // each sector is loaded once for 32 turns
        hash = (hash * 257u + text[p]) % mod;  // expect: CU705; CU101
    out[i] = hash;
}

// Each turn brings another sector, wherever it lies.
__global__ void jumps(const unsigned *table, const int *first, unsigned *out, int n, unsigned mod)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned hash = 0;
    for (int p = first[i]; p < first[i + 1]; p++)
        hash = (hash * 257u + table[p * 16]) % mod;  // expect: CU101  // undecided: CU705 (the rule's own) "waits for memory"
    out[i] = hash;
}

void launch(const unsigned char *text, const unsigned *table, const int *first, unsigned *out)
{
    hashes<<<4096, 256>>>(text, first, out, 1 << 20, 15999989);
    jumps<<<4096, 256>>>(table, first, out, 1 << 20, 15999989);
}
