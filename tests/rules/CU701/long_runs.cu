// Runs that no budget ends: what a statement of the loop costs at each visit is known all the same.
__global__ void decay(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    v = v * 1.7;  // ok  // refuted: CU701 (too small to report)
    for (int k = 0; k < 10000000; k++) {
        v = v * 0.1 + x[k];  // expect: CU701 "`0.1`"
    }
    x[i] = v;
}

void launch(float *x)
{
    decay<<<64, 256>>>(x);
}
