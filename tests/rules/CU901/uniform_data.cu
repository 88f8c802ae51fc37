// One thread works where its block's data say so: they have no say in which lane it is.

__global__ void sum_filled(float *out, const float *in, const int *filled)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    bool any = filled[blockIdx.x] > 0;
    __syncthreads();
    if (any && threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
        float sum = 0.0f;
        for (int i = 0; i < 256; ++i)  // also: CU901
            sum += s[i];  // also: CU901
        out[blockIdx.x] = sum;
    }
}

// ok: each lane's own data say whether it goes
__global__ void by_kind(float *out, const float *in, const int *kinds)
{
    int kind = kinds[blockIdx.x * 256 + threadIdx.x];
    float sum = in[blockIdx.x * 256 + threadIdx.x];
    if (kind == 3 && threadIdx.x < 8)
        for (int i = 0; i < 200; ++i)
            sum += in[i * 256 + threadIdx.x];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// ok: few instructions
__global__ void hand_on(float *out, const float *in, const int *filled)
{
    float x = in[blockIdx.x * 256 + threadIdx.x];
    bool any = filled[blockIdx.x] > 0;
    if (any && threadIdx.x == 0)
        out[gridDim.x * 256 + blockIdx.x] = x;
    out[blockIdx.x * 256 + threadIdx.x] = x;
}

void launch(float *out, const float *in, const int *filled)
{
    sum_filled<<<1024, 256>>>(out, in, filled);
    by_kind<<<1024, 256>>>(out, in, filled);
    hand_on<<<1024, 256>>>(out, in, filled);
}
