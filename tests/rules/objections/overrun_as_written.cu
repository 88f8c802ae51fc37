// Of a store that nobody reads nothing is left to run: that the block does not fit is in the source.
#define SMALL 64

__global__ void sums(float *out, const float *in)
{
    __shared__ int place[SMALL];
    place[threadIdx.x] = 7;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] + (place[threadIdx.x ^ 1] & 0);  // undecided: CU101 (wrong launch)
}

// It fits.
__global__ void fitting(float *out, const float *in)
{
    __shared__ int place[256];
    place[threadIdx.x] = 7;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] + (place[threadIdx.x ^ 1] & 0);  // expect: CU101
}

// Only those store that have an element.
__global__ void guarded(float *out, const float *in)
{
    __shared__ int place[SMALL];
    if (threadIdx.x < SMALL)
        place[threadIdx.x] = 7;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] + (place[threadIdx.x & 63] & 0);  // expect: CU101
}

void launch(float *out, const float *in)
{
    sums<<<64, 256>>>(out, in);
    fitting<<<64, 256>>>(out, in);
    guarded<<<64, 256>>>(out, in);
}
