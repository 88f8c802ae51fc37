// Powers with small whole exponents, by what the compiler makes of them.

// After figure 8 of Yang et al.: the activation matrix of GPUMLib. CU101 is about A and B.
__global__ void activation(float *out, const float *a, const float *b, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < w; i++)
        sum += pow(a[i * 1024 + x] - b[i * 1024 + y], 2);  // expect: CU704 "`pow(a[i * 1024 + x] - b[i * 1024 + y], 2)`"; CU109
    out[y * 1024 + x] = sum;
}

__global__ void square_of_float(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 2);  // expect: CU704 "write `(x[i] * x[i])`"
}

__global__ void cube_in_float(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], 3.0f);  // expect: CU704 "where 9 would do"
}

// One fault is one finding: the constant is double beside the power, and is made float with it.
__global__ void with_a_constant(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0.1 * pow(x[i], 2);  // expect: CU704
}

__global__ void cube_of_double(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = pow(x[i], 3.0) + 1.0;  // expect: CU704
}

__global__ void square_in_float(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], 2.0f);  // expect: CU704 "where 8 would do"
}

__device__ float energy(float x, float y)
{
    return pow(x, 2) + pow(y, 2);  // expect: CU704 "`pow(x, 2)` and `pow(y, 2)`"
}

__global__ void in_a_function(float *e, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    e[i] = energy(x[i], y[i]);
}

void launch(float *out, const float *a, const float *b, double *d)
{
    activation<<<dim3(32, 128), dim3(32, 8)>>>(out, a, b, 64);
    square_of_float<<<64, 256>>>(out, a);
    cube_in_float<<<64, 256>>>(out, a);
    with_a_constant<<<64, 256>>>(out, a);
    cube_of_double<<<64, 256>>>(d, d);
    square_in_float<<<64, 256>>>(out, a);
    in_a_function<<<64, 256>>>(out, a, b);
}

// A Lennard-Jones potential as a textbook writes it.
__global__ void lennard_jones(float *e, const float *x, float sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float r = fabsf(x[i] - x[j]) + 0.1f;  // expect: CU109
        sum += 4.0f * (powf(sigma / r, 12) - powf(sigma / r, 6));  // expect: CU704 "a product of squares of `sigma / r`"
    }
    e[i] = sum;
}

void launch_potential(float *e, const float *x) { lennard_jones<<<64, 256>>>(e, x, 1.0f, 64); }
