// Atomics spread over so many elements that none gets many, and yet more than L2 does meanwhile.

// 16 sums for each of 256 bins: each gets few of the launch's atomics, all of them take longer than the reading.
__global__ void sums(const float *in, const unsigned char *bin, float *sum, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sum[bin[i / 16] * 16 + i % 16], in[i]);  // expect: CU108 "on the 4,096 elements of `sum`"
}

// One warp in 64 is little of it.
__global__ void seldom(const float *in, const unsigned char *bin, float *out, float *sum, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] * 2.0f;
        if (i % 2048 < 32)
            atomicAdd(&sum[bin[i / 16] * 16 + i % 16], in[i]);
    }
}

// One a block, whatever the block sums up.
__global__ void reduced(const float *in, float *sum, unsigned n)
{
    __shared__ float part[256];
    float s = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    part[threadIdx.x] = s;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

void launch(const float *in, const unsigned char *bin, float *out, float *sum)
{
    sums<<<1024, 256>>>(in, bin, sum, 16000000);
    seldom<<<1024, 256>>>(in, bin, out, sum, 16000000);
    reduced<<<432, 256>>>(in, sum, 16000000);
}
