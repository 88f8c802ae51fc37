// Rows that loaded data pick: short ones are a vector, long ones the lanes of a warp read together.

__global__ void features(float *out, const float *table, const int *row, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 48; k++)
        sum += table[row[i] * 48 + k] * (k + 1);  // expect: CU101 "the lanes of a warp read a run together"
    out[i] = sum;
}

__global__ void corners(float *out, const float *corner, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = which[i] * 6;
    float area = 0.0f;
#pragma unroll
    for (int k = 0; k < 6; k++)
        area += corner[at + k] * (k + 1);  // expect: CU101 "6 neighbouring parts" "vectors of 8 bytes"
    out[i] = area;
}

void launch(float *out, const float *table, const int *row)
{
    features<<<4096, 256>>>(out, table, row, 1 << 20);
    corners<<<4096, 256>>>(out, table, row, 1 << 20);
}
