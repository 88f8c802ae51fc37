// Blocks of a few threads, by what the kernel takes its index from.

// A block is a row: a larger one would do the same in all its threads.
__global__ void edges(int *labels, const int *source, int n)
{
    int row = blockIdx.x;
    for (int i = 0; i < n; i++) {
        if (source[row * n + i] == 0)
            break;
        labels[row * n + i] = 3 - source[row * n + i];
    }
}

// A thread has an index of its own, though its block has only one.
__global__ void seeds(unsigned *state, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = seed * 1664525u + i;
}

void run(int *labels, const int *source, unsigned *state)
{
    edges<<<2048, 1>>>(labels, source, 300);  // expect: CU403 "31 of 32 lanes" "does not read threadIdx"
    seeds<<<2048, 1>>>(state, 7, 2048);  // expect: CU403 "31 of 32 lanes" "with a guard for the rest"
}
