// Comments that silence something, and comments that have nothing to silence.

__global__ void rows(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32]; // perflint: ignore[CU101]
}

__global__ void packed(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i]; // perflint: ignore[CU101] // expect: CU003
}

// perflint: disable[CU201] // expect: CU003
__global__ void both(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32]; // expect: CU101
}
// perflint: enable[CU201]

void launch(float *out, const float *in)
{
    rows<<<64, 256>>>(out, in);
    packed<<<64, 256>>>(out, in);
    both<<<64, 256>>>(out, in);
}
