// Runs that are cut short in a loop over a table: it goes on as it began.
__constant__ int scores[64 * 32];

__global__ void scored(int *out, const int *data, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int j = 0; j < length; j++) {
        int d = data[j * 32768 + i] & 31, sum = 0;
#pragma unroll 4
        for (int k = 0; k < 64; k++)
            sum = max(0, sum + scores[k * 32 + d]);  // expect: CU502
        best = max(best, sum);
    }
    out[i] = best;
}

__global__ void in_step(int *out, const int *data, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int j = 0; j < length; j++)
        for (int k = 0; k < 64; k++)
            best = max(best, data[j * 32768 + i] + scores[k * 32 + (j & 31)]);
    out[i] = best;
}

void launch(int *out, const int *data)
{
    scored<<<128, 256>>>(out, data, 100000);
    in_step<<<128, 256>>>(out, data, 100000);
}

// The table is read before the loop that has no end here: its share is not known.
__global__ void before(int *out, const int *data, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int k = 0; k < 16; k++)
        best = max(best, best + scores[k * 32 + (data[i] & 31)]);  // refuted: CU502 (nothing to report) "cut short"
    for (int j = 0; j < length; j++)
        best = max(best, data[j * 32768 + i]);
    out[i] = best;
}

void launch_before(int *out, const int *data) { before<<<128, 256>>>(out, data, 1000000); }

// Unrolling leaves copies for the turns that are left over: with sizes of which none is, these do nothing.
__global__ void rounded(int *out, const int *data, const unsigned char *query, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int j = 0; j < length; j++) {
        int d = data[j * 32768 + i] & 31, sum = 0;
        for (int k = 0; k < n; k++)
            sum = max(0, sum + scores[(query[k] & 63) * 32 + d]);  // expect: CU502  // undecided: CU501 (cut short without a steady loop)
        best = max(best, sum);
    }
    out[i] = best;
}

void launch_rounded(int *out, const int *data, const unsigned char *query)
{
    rounded<<<128, 256>>>(out, data, query, 100000, 512);
}
