// A function's own array whose elements are all named by numbers lies in registers: what its
// statements move in local memory is the caller's array.
#define TIMES(r, a, b) { r[0] = a[0] * b; r[1] = a[1] * b; r[2] = a[2] * b; r[3] = a[3] * b; }

__device__ __noinline__ float sum_of(float *r)
{
    return r[0] + r[1] + r[2] + r[3];
}

__device__ void wrap(float *r, float a, float over)
{
    float low[4], high[4];
    low[0] = over * 2.0f;
    low[1] = over * 3.0f;
    low[2] = over * 5.0f;
    low[3] = over * 7.0f;
    TIMES(high, low, over)
    r[0] = a + low[0] + high[0];
    r[1] = a + low[1] + high[1];
    r[2] = a + low[2] + high[2];
    r[3] = a + low[3] + high[3];
}

__global__ void walk(float *out, const float *in, int n, int rounds)
{
    float state[48][4];  // also: CU107
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 48; k++)
        wrap(state[k], in[k * n + i], 0.5f);
    float total = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 48; k++)
            wrap(state[k], state[(k + r) % 48][r & 3], total += state[k][r & 3]);  // expect: CU107 "`state` lives in local memory"
    out[i] = total + sum_of(state[rounds % 48]);
}

void launch(float *out, const float *in) { walk<<<512, 64>>>(out, in, 32768, 100); }
