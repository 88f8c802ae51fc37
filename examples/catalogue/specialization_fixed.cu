// As specialization.cu, mended: the number of terms is a template argument, and the loop is unrolled.

__constant__ float factor[33];

template <int terms>
__global__ void series(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum = sum * x + factor[k];
    out[i] = sum;
}

void launch(float *out, const float *in)
{
    series<16><<<64, 256>>>(out, in);
}
