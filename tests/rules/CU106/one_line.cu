// What is set before the loop on the same line is in no loop, and the sum is.
__global__ void product(const float *a, const float *x, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    y[c] = 0; for (int k = 0; k < n; k++) y[c] += a[k * n + c] * x[k * 8 + (c & 7)];  // expect: CU106 "store to `y`"
}

// Data say how many there are to add up: however many, each is a request more.
__global__ void ragged(const float *a, const int *length, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int m = length[c];
    for (int k = 0; k < m; k++)
        y[c] += a[k * n + c];  // expect: CU106 "store to `y`"  // undecided: CU101 (loaded address)
}

// Data choose the turns that add something: perhaps there are few.
__global__ void chosen(const float *a, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        if (a[k * n + c] > 0.5f)
            y[c] += 1.0f;  // undecided: CU106 (invented data decides); CU106 (invented data decides)
}

void launch(const float *a, const int *length, float *x, float *y)
{
    product<<<432, 256>>>(a, x, y, 1000);
    ragged<<<432, 256>>>(a, length, y, 110592);
    chosen<<<432, 256>>>(a, y, 1000);
}
