// Each thread counts in a row of its own; which of its counters is loaded data. Made-up data lead
// into the next thread's row, and the program's own do not.
#define STATES 7

__global__ void count_states(unsigned *out, const unsigned char *cells, int n)
{
    __shared__ unsigned counts[256 * STATES];
    int t = threadIdx.x;
    for (int s = 0; s < STATES; s++)
        counts[t * STATES + s] = 0;
    for (int i = t; i < n; i += 256)
        ++counts[cells[i] + t * STATES];  // undecided: CU904 (invented data decides) // expect: CU103; CU201 "6-way"
    __syncthreads();
    for (int s = t; s < STATES; s += 256)
        for (int k = 0; k < 256; k++)
            atomicAdd(&out[s], counts[k * STATES + s]);
}

// What a lane itself takes of another one's slot is the kernel's own doing.
__global__ void turned(float *out, const float *in, const int *shift)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    line[t] = in[blockIdx.x * 256 + t];
    out[blockIdx.x * 256 + t] = line[t ^ 1] + shift[0];  // expect: CU904
}

void launch(float *out, const float *in, unsigned *counts, unsigned char *cells, int *shift)
{
    count_states<<<64, 256>>>(counts, cells, 65536);
    turned<<<64, 256>>>(out, in, shift);
}

// Data say which lane's value each takes: no row is its own.
__global__ void shuffled(float *out, const float *in, const int *from)
{
    __shared__ float line[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    line[t] = in[i];
    out[i] = line[from[i] & 31];  // expect: CU904
}

void shuffle(float *out, const float *in, const int *from)
{
    shuffled<<<512, 32>>>(out, in, from);
}
