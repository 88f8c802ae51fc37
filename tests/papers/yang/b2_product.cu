// CU401, figures 6 and 7: reuse through shared memory, best with 32x16.
#define COLUMNS 16
#define ROWS 16

__global__ void product(float *c, const float *a, const float *b, int inner, int width)
{
    __shared__ float of_a[ROWS][COLUMNS], of_b[COLUMNS][COLUMNS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * COLUMNS + tx, row = blockIdx.y * ROWS + ty;
    float sum = 0.0f;
    for (int at = 0; at < inner; at += COLUMNS) {
        of_a[ty][tx] = a[row * inner + at + tx];
        for (int k = ty; k < COLUMNS; k += ROWS)
            of_b[k][tx] = b[(at + k) * width + column];
        __syncthreads();
        for (int k = 0; k < COLUMNS; k++)
            sum += of_a[ty][k] * of_b[k][tx];
        __syncthreads();
    }
    c[row * width + column] = sum;
}

void launch(float *c, const float *a, const float *b)
{
    dim3 block(COLUMNS, ROWS);
    product<<<dim3(1024 / COLUMNS, 1024 / ROWS), block>>>(c, a, b, 1024, 1024);
}
