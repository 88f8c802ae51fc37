// A scan's padding for the 16 banks of the first GPUs, which 32 banks do not take.
#define NUM_BANKS 16
#define LOG_NUM_BANKS 4
#define HALF_WARP 16
#define OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void turned(float *out, const float *in)
{
    __shared__ float part[1024];
    int t = threadIdx.x;
    part[t + OFFSET(t)] = in[t];  // expect: CU201 "`LOG_NUM_BANKS` is 4" "32 banks want 5"
    __syncthreads();
    out[t] = part[511 - t + (511 - t) / 32];
}

void launch(float *out, const float *in) { turned<<<1, 512>>>(out, in); }
