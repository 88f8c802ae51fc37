// Each word is loaded once, with a halo. --arch sm_13
__global__ void stencil(float *to, const float *from)
{
    __shared__ float part[288];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = from[i];
    if (t < 32)
        part[t + 256] = from[i + 256];
    __syncthreads();
    to[i] = part[t + 15] + part[t + 16] + part[t + 17];
}

void launch(float *to, const float *from) { stencil<<<1024, 256>>>(to, from); }
