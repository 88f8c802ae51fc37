// Each thread walks down its column twice: 150 KB, which L1 holds, but all in a few of its sets.
__global__ void column_walk(float *out, const float *in, int rows, int pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < 6; turn++)
        for (int row = 0; row < rows; row++)
            sum += 0.5f * in[row * pitch + column];  // expect: CU303 "map to the same sets" "pad its rows"  // also: CU404
    out[column] = sum;
}

// The same with 250 KB: whatever the sets, it is more than L1 holds.
__global__ void long_column(float *out, const float *in, int rows, int pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < 6; turn++)
        for (int row = 0; row < rows; row++)
            sum += 0.5f * in[row * pitch + column];  // expect: CU303 "it reads more than 192 KB"  // also: CU404
    out[column] = sum;
}

void launch(float *out, const float *in)
{
    long_column<<<216, 32>>>(out, in, 2000, 8192);  // expect: CU404
    column_walk<<<216, 32>>>(out, in, 600, 8192);  // expect: CU404
}
