// --arch sm_10 --arch sm_13 --arch sm_80
// What GPUs of compute capability 1.0 cannot put together.
__global__ void reversed(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[n - 1 - i];  // expect: CU801 "fine on sm_13 and sm_80" "on sm_10"
}

__global__ void exchanged(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i ^ 1] = in[i];  // expect: CU801 "store to `out`" "on sm_10"
}

// fine on all of them
__global__ void plain(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

void launch(float *out, const float *in)
{
    reversed<<<64, 256>>>(out, in, 16384);
    exchanged<<<64, 256>>>(out, in);
    plain<<<64, 256>>>(out, in);
}
