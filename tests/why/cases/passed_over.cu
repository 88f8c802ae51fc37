// What keeps rules from suspecting an access: `passes:` names the rule and its words.
struct Wide { float x, y, z, w, a, b, c, d; };

__global__ void accesses(float *out, const float *in, const float2 *pairs, const bool *flags,
                         const Wide *wide, volatile float *seen, int n)
{
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[n];        // passes: CU101 "same in all lanes"  // passes: CU106 "no loop"
    sum += in[i];             // passes: CU102 "4 bytes apart: packed for every launch"
    if (flags[i])             // passes: CU103 "own flag"  // passes: CU101 "CU103 looks at it"
        sum += 1.0f;
    tile[threadIdx.x & 31] = sum;
    __syncthreads();
    sum += tile[n & 31];      // passes: CU201 "broadcast"
    for (int k = 0; k < n; k++)
        sum += in[k * 65536]; // passes: CU106 "may change from one iteration to the next"
    for (int k = 0; k < n; k++)
        seen[i] = sum;        // passes: CU106 "volatile"
    sum += wide[i].x + wide[i].c;  // passes: CU101 "a structure of 32 bytes apart"
    for (int k = 0; k < n; k++) {
        out[i] = sum + k;     // passes: CU106 "a barrier, an atomic or a call"
        __syncthreads();
    }
}

void run(float *out, const float *in, const float2 *pairs, const bool *flags, const Wide *wide, int n)
{
    accesses<<<64, 256>>>(out, in, pairs, flags, wide, out, n);
}
