// Coefficients and short vectors that every thread reads alike.
__global__ void taps(float *out, const float *in, const float *tap, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 65; k++)
        sum += tap[k] * in[i + k * n];  // expect: CU501 "`tap`" "where constant memory needs none" "`__constant__`"
    out[i] = sum;
}

// what all such arrays of a launch take together
__global__ void two_tables(float *out, const float *in, const float *factor, const float *shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 65; k++)
        sum += factor[k] * in[i + k * 16384] + shift[k];  // expect: CU501 "`factor`" "520 with all such arrays"  // expect: CU501 "`shift`" "520 with all such arrays"
    out[i] = sum;
}

// the size comes from the launch
__global__ void polynomial(float *out, const float *in, const float *coefficient, int degree)  // expect: CU601
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0.0f;
    for (int k = degree; k >= 0; k--)
        y = y * x + coefficient[k];  // expect: CU501 "`coefficient`" "68 bytes"
    out[i] = y;
}

__global__ void square_filter(float *out, const float *in, const float *kernel, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0.0f;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += kernel[j * 5 + i] * in[(y + j) * width + x + i * 32];  // expect: CU501 "`kernel`" "100 bytes"; CU109
    out[y * width + x] = sum;
}

__global__ void centres(int *nearest, const float *points, const float *centre, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float least = 1e30f;
    for (int c = 0; c < k; c++) {
        float d0 = points[i] - centre[2 * c];  // expect: CU501 "`centre`"
        float d1 = points[i + n] - centre[2 * c + 1];
        float d = d0 * d0 + d1 * d1;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    nearest[i] = best;
}

__global__ void times_vector(float *out, const float *matrix, const float *vector, int n, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += matrix[k * rows + row] * vector[k];  // expect: CU501 "`vector`" "2048 bytes"
    out[row] = sum;
}

void launch(float *out, const float *in, const float *table, const float *more, int *nearest)
{
    two_tables<<<64, 256>>>(out, in, table, more);
    taps<<<64, 256>>>(out, in, table, 16640);
    polynomial<<<64, 256>>>(out, in, table, 16);
    square_filter<<<dim3(4, 64), 256>>>(out, in, table, 1024);
    centres<<<64, 256>>>(nearest, in, table, 16384, 16);
    times_vector<<<64, 256>>>(out, in, table, 512, 16384);
}
