// Pointers without `__restrict__` that cost nothing, or where nobody can promise it.
__global__ void once(float *out, float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}

__global__ void declared(float *__restrict__ out, const float *__restrict__ in,
                         const float *__restrict__ factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];
}

__global__ void in_register(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = factor[i];
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * f;
}

// the sum is stored behind the loop
__global__ void sum(float *out, float *a, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int j = 0; j < n; j++)
        total += a[j * 4096 + i] * x[j * 4096 + i];
    out[i] = total;
}

// the launch passes one array twice
__global__ void in_place(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];  // expect: CU106
}

// the compiler keeps what it has just stored
__global__ void matrix_vector(float *a, float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += a[j * 4096 + i] * x[j * 4096 + i];  // expect: CU106
}

// one array, that is read and written
__global__ void recurrence(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 1; k < n; k++)
        a[k * 16384 + i] += a[(k - 1) * 16384 + i];
}

void launch(float *a, float *b, float *c)
{
    once<<<64, 256>>>(a, b, c);
    declared<<<64, 256>>>(a, b, c, 100);
    in_register<<<64, 256>>>(a, b, c, 100);
    sum<<<16, 256>>>(a, b, c, 100);
    in_place<<<64, 256>>>(a, a, b, 100);
    matrix_vector<<<16, 256>>>(a, b, c, 100);
    recurrence<<<64, 256>>>(a, 100);
}
