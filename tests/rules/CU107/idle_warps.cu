// How often a warp accesses its array is a matter of the warps that do.

// one warp of eight: four vectors to begin with and to end with, and two accesses in each of 64 turns
__global__ void one_warp(int *out, const int *in)
{
    if (threadIdx.x >= 32)
        return;
    int votes[16];  // also: CU107
    for (int c = 0; c < 16; c++)
        votes[c] = in[c * 32 + threadIdx.x];
    for (int k = 0; k < 64; k++)
        votes[in[k * 16384 + threadIdx.x] & 15] += k;  // expect: CU107 "136 accesses per warp"
    int best = 0;
    for (int c = 0; c < 16; c++)
        best = max(best, votes[c]);
    out[threadIdx.x] = best;
}

// all eight
__global__ void all_warps(int *out, const int *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    int votes[16];  // also: CU107
    for (int c = 0; c < 16; c++)
        votes[c] = in[c * 16384 + i];
    for (int k = 0; k < 64; k++)
        votes[in[k * 16384 + i] & 15] += k;  // expect: CU107 "136 accesses per warp"
    int best = 0;
    for (int c = 0; c < 16; c++)
        best = max(best, votes[c]);
    out[i] = best;
}

void launch(int *out, const int *in)
{
    one_warp<<<64, 256>>>(out, in);
    all_warps<<<64, 256>>>(out, in);
}
