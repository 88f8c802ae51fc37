// The same for 32 banks.
#define LOG_NUM_BANKS 5
#define OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void turned(float *out, const float *in)
{
    __shared__ float part[1024];
    int t = threadIdx.x;
    part[t + OFFSET(t)] = in[t];
    __syncthreads();
    out[t] = part[511 - t + OFFSET(511 - t)];
}

void launch(float *out, const float *in) { turned<<<1, 512>>>(out, in); }
