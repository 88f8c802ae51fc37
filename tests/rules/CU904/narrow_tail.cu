// The tail of a sum in which half a warp takes part: a barrier of all its lanes would not end.
__global__ void half_a_warp(float *out, const float *in)
{
    __shared__ volatile float part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 16) {
        part[t] += part[t + 8];
        part[t] += part[t + 4];  // expect: CU904
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = part[0];
}

void launch(float *out, const float *in) { half_a_warp<<<1024, 64>>>(out, in); }
