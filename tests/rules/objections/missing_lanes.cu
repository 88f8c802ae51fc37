// Data leave out lanes of accesses that a full warp would pack: their sectors say nothing.
__global__ void sparse(float *out, const float *in, const int *keep, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keep[i] % 7 == 3)
        out[i] = 2.0f * in[i];  // refuted: CU101 (only missing lanes)
}

__global__ void sparse_shared(float *out, const float *in, const int *keep)
{
    __shared__ float tile[4096];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (keep[threadIdx.x] % 7 == 3)
        out[threadIdx.x] = tile[(keep[threadIdx.x] * 32) & 4095];  // refuted: CU201 (only missing lanes)
}

void launch(float *out, const float *in, const int *keep)
{
    sparse<<<64, 256>>>(out, in, keep, 16384);
    sparse_shared<<<1, 256>>>(out, in, keep);
}
