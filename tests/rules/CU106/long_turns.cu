// A turn of hundreds of instructions: a run goes on until several turns were made.
__global__ void forces(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.0f;
    for (int j = 0; j < n; j++) {
        float apart = powf(fabsf(x[i] - x[j]), 2.3f) + powf(fabsf(y[i] - y[j]), 2.7f);  // expect: CU106 "`x`"; CU706
        out[i] += 1.0f / (apart + 0.01f);  // expect: CU106 "store to `out`"
    }
}

void launch(const float *x, const float *y, float *out) { forces<<<512, 256>>>(x, y, out, 30000); }
