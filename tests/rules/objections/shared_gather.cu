// Where lanes go in shared memory, data say: a[i] = i has no conflict.
__global__ void gathered(float *out, const float *in, const int *index)
{
    __shared__ float tile[8192];
    tile[threadIdx.x] = in[threadIdx.x];  // refuted: CU201 (nothing wasted)
    __syncthreads();
    out[threadIdx.x] = tile[index[threadIdx.x] & 8191];  // undecided: CU201 (loaded address)
}
