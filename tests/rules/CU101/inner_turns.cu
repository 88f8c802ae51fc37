// A loop that data end, around one whose turns are counted: a run is cut short in the inner one.

// A row to each thread, before half a million turns.
__global__ void keys(unsigned *out, const unsigned *words, const unsigned *schedule, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned hash = words[33 * i];  // undecided: CU101 (a small share)
        for (int turn = 0; turn < 1 << 19; turn++)
            hash = (hash << 5 | hash >> 27) ^ schedule[turn];  // undecided: CU501 (cut short without a steady loop)
        if (hash == schedule[0]) {
            out[0] = i;
            break;
        }
    }
}

// Before two turns.
__global__ void short_keys(unsigned *out, const unsigned *words, const unsigned *schedule, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned hash = words[33 * i];  // expect: CU101
        for (int turn = 0; turn < 2; turn++)
            hash = (hash << 5 | hash >> 27) ^ schedule[turn];
        if (hash == schedule[0]) {
            out[0] = i;
            break;
        }
    }
}

void launch(unsigned *out, const unsigned *words, const unsigned *schedule)
{
    keys<<<256, 256>>>(out, words, schedule, 1 << 24);
    short_keys<<<256, 256>>>(out, words, schedule, 1 << 24);
}
