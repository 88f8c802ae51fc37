// Local arrays that no registers can hold.
__global__ void vote(int *out, const int *in, int n)
{
    int votes[16] = {};  // also: CU107
    for (int k = 0; k < n; k++)
        votes[in[k * 16384 + blockIdx.x * blockDim.x + threadIdx.x] & 15]++;  // expect: CU107 "`votes`" "shared memory"
    int best = 0;
    for (int c = 1; c < 16; c++)
        if (votes[c] > votes[best])
            best = c;
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

// a ring of the last values
__global__ void ring(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float last[64];  // also: CU107
    for (int k = 0; k < 64; k++)
        last[k] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += last[(k * 7) & 63];  // expect: CU107 "`last`" "256 bytes"
        last[k & 63] = sum;
    }
    out[i] = sum;
}

// the number of turns is a parameter, so that nothing is unrolled
__global__ void reversed(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float stack[32];  // also: CU107
    for (int k = 0; k < n; k++)
        stack[k] = in[k * 16384 + i];  // expect: CU107 "`stack`" "`#pragma unroll`"
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = stack[n - 1 - k];
}

__device__ float pick(const float *from, int which) { return from[which]; }

__global__ void through_function(float *out, const float *in, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[32];  // also: CU107
    for (int k = 0; k < 32; k++)
        own[k] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += pick(own, (which[k * 16384 + i] + k) & 31);  // expect: CU107 "`own`"
    out[i] = sum;
}

// 64 registers are left for a hundred values
__global__ void __launch_bounds__(1024) spilled(float *out)  // expect: CU107 "spilled" "fewer threads"
{
    float v[100], sum = 0.0f;  // also: CU107
    for (int i = 0; i < 100; i++)
        v[i] = out[i * 1024 + threadIdx.x];
    __syncthreads();  // expect: CU902
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            sum += v[i] * v[j];  // undecided: CU107 (a small share) "4.6%"  // also: CU404
    for (int i = 0; i < 100; i++)
        out[i * 1024 + threadIdx.x] = v[i] + sum;
}

void launch(float *f, const float *g, int *i, const int *j)
{
    vote<<<64, 256>>>(i, j, 100);
    ring<<<64, 256>>>(f, g, 1000);
    reversed<<<64, 256>>>(f, g, 25);
    through_function<<<64, 256>>>(f, g, j, 100);
    spilled<<<1, 1024>>>(f);  // expect: CU404
}
