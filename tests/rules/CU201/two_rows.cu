// An array that is used with rows of 17 and with rows of 16: that no padding frees it is not said.
__global__ void scores(float *out, const float *a, const float *b)
{
    __shared__ float one[17 * 16];
    __shared__ float two[17 * 16];
    int tx = threadIdx.x, ty = threadIdx.y, best = 0;
    float most = 0.0f;
    for (int k = 0; k < 4; k++) {
        float sum = 0.0f;
        for (int i = 0; i < 8; i++) {
            one[17 * tx + ty] = a[i * 16 + tx] * ty;  // expect: CU201 "let neighbouring lanes use neighbouring elements of `one`"
            two[17 * tx + ty] = b[i * 16 + tx] * ty;  // expect: CU201
            __syncthreads();
            sum += one[tx] * two[17 + ty];
            __syncthreads();
        }
        float *sums = one;
        sums[16 * ty + tx] = sum;
        __syncthreads();
        if (sums[16 * k + tx] > most)
            most = sums[16 * k + tx], best = k;
        __syncthreads();
    }
    out[blockIdx.x * 256 + ty * 16 + tx] = best + most;
}

void launch(float *out, const float *a, const float *b) { scores<<<256, dim3(16, 16)>>>(out, a, b); }
