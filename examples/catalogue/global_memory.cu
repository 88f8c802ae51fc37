// CU101 uncoalesced-global-access: each thread adds up a row of its own, so that neighbouring threads
// read elements that are a whole row apart.

__global__ void row_sums(float *sum, const float *matrix, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int i = 0; i < width; i++)
        total += matrix[row * width + i];
    sum[row] = total;
}

void launch(float *sum, const float *matrix)
{
    row_sums<<<256, 256>>>(sum, matrix, 1024);
}
