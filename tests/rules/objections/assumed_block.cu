// No launch is in sight: with another block than the assumed one it may be otherwise.
__global__ void slices(float *out, const float *in)
{
    __shared__ float window[4][1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++)
        window[k][threadIdx.x] = in[k * 16384 + i];  // undecided: CU602 (assumed block)  // refuted: CU201 (nothing wasted)
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += window[k][threadIdx.x] * window[3 - k][threadIdx.x];
    out[i] = sum;
}
