// One index goes along the wrong axis, in all arrays that it is used for: one change mends them all.
__global__ void differences(float *density, const float *first, const float *second, const float *third, int rows, int columns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int row = t % 1024, column = t / 1024;
    int at = row * columns + column;
    if (column >= columns) return;
    density[at] = first[at]      // also: CU101
                  + second[at]   // expect: CU101 "`second`"
                  + third[at];   // also: CU101
}

// Different indices are different faults.
__global__ void two(float *out, const float *a, const float *b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];  // expect: CU101 "`a`"
    for (int k = 0; k < m; k++)
        sum += b[i * m + k];  // expect: CU101 "`b`"
    out[i] = sum;
}

void launch(float *d, const float *a, const float *b, const float *c)
{
    differences<<<4096, 256>>>(d, a, b, c, 1024, 1024);
    two<<<64, 256>>>(d, a, b, 1000, 600);
}
