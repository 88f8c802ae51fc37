// The loop that few threads go through is a place of the finding, where most of the work is in it.
__device__ float busy(float v)
{
#pragma unroll
    for (int i = 0; i < 4500; i++)
        v = v * 0.5f + 1.0f;
    return v;
}

__global__ void in_a_loop(float *out, const float *in, int n)
{
    float most = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256)  // the loop
        most = fmaxf(most, in[i]);  // also: CU404
    out[threadIdx.x] = most;
}

__global__ void before_a_loop(float *out, const float *in, int n)
{
    float sum = busy(in[threadIdx.x]);
    for (int i = 0; i < n; i++)
        sum += in[i * 256 + threadIdx.x];
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in)
{
    in_a_loop<<<1, 256>>>(out, in, 1 << 20);  // expect: CU404
    before_a_loop<<<1, 256>>>(out, in, 16);  // expect: CU404
}
