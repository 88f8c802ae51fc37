// CU601 specialization-candidate: the series has 16 terms wherever it is summed, but the loop has to
// provide for any number.

__constant__ float factor[33];

__global__ void series(float *out, const float *in, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum = sum * x + factor[k];
    out[i] = sum;
}

void launch(float *out, const float *in)
{
    series<<<64, 256>>>(out, in, 16);
}
