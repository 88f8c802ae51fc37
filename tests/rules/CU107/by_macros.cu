// What a macro does with an array that it is given by name may be anything but to number elements.
#define TOTAL(r, n) summed(r, n)
#define AT(r, i) (*(r + (i)))
#define FIRST(r) (r[0] + r[1])

__device__ __forceinline__ float summed(float *r, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += r[i & 31];
    return sum;
}

__global__ void by_function(float *out, const float *in, int n)
{
    float state[32];  // also: CU107
    state[0] = in[0];
    state[1] = in[1];
    state[31] = in[9];
    out[threadIdx.x + blockIdx.x * blockDim.x] = TOTAL(state, n);  // expect: CU107 "`state` lives in local memory"
}

__global__ void by_pointer(float *out, const float *in, int n)
{
    float state[32];  // also: CU107
    state[0] = in[0];
    state[1] = in[1];
    state[31] = in[9];
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += AT(state, i & 31);  // expect: CU107 "`state` lives in local memory"
    out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

__global__ void by_row(float *out, const float *in, int n)
{
    float state[16][2];  // also: CU107
    state[0][0] = in[0];
    state[1][1] = in[1];
    state[15][0] = in[9];
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += FIRST(state[i & 15]);  // expect: CU107 "`state` lives in local memory"
    out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

void launch(float *out, const float *in)
{
    by_function<<<512, 64>>>(out, in, 1000);
    by_pointer<<<512, 64>>>(out, in, 1000);
    by_row<<<512, 64>>>(out, in, 1000);
}
