// What is written where depends on the block, of which only a few are run.
__global__ void shifted(float *out, const float *in)
{
    __shared__ float tile[512];
    float x = in[blockIdx.x * 256 + threadIdx.x];

    __syncthreads();  // expect: CU902

    tile[threadIdx.x + blockIdx.x % 256] = x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x + blockIdx.x % 256];
}

void launch(float *out, const float *in)
{
    shifted<<<512, 256>>>(out, in);
}
