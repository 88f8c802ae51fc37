// --arch sm_60
// Lanes of a warp went in step: this was right then.
__global__ void first_lane(int *out, const int *in)
{
    __shared__ volatile int first[8];
    int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        first[warp] = in[i];
    out[i] = in[i] - first[warp];
}

void launch(int *out, const int *in) { first_lane<<<1024, 256>>>(out, in); }
