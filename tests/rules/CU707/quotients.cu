// Reciprocal square roots the long way: quotients, roots of quotients, powers.
__global__ void reciprocal(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0f / sqrtf(x[i]);  // expect: CU707 "`rsqrtf(x[i])`" "a root and a division"
}

__global__ void of_doubles(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0 / sqrt(x[i]);  // expect: CU707 "`rsqrt(x[i])`"
}

// One fault is one finding: CU702 has no word on it.
__global__ void of_a_constant(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = -4.0 / sqrt(x[i]);  // expect: CU707 "`-4.0 * rsqrt(x[i])`"
}

__global__ void normalised(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float length = x[i] * x[i] + 1.0f;
    y[i] = x[i] / sqrt(length);  // expect: CU707 "`x[i] * rsqrtf(length)`"
}

__global__ void assigned(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] /= (sqrtf(x[i]));  // expect: CU707 "`y[i] *= rsqrtf(x[i])`"
}

__global__ void root_of_a_quotient(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sqrtf(1.0f / x[i]);  // expect: CU707
}

__global__ void power(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], -0.5f);  // expect: CU707 "goes through the general power function"
}

// The float is divided as a float, whatever the constant's type.
__global__ void narrowed(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float scale = 1.0 /  // expect: CU707 "`rsqrtf(x[i] + 1e-5f)`"
        sqrt(x[i] + 1e-5f);
    y[i] = scale;
}

// Several places of one kernel are one finding.
__global__ void bodies(float *out, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        float dx = x[k * 16384 + i], dy = y[k * 16384 + i];
        sum += dx * (1.0f / sqrtf(dx * dx + dy * dy + 0.5f));  // expect: CU707
        sum -= dy * (1.0f / sqrtf(dx * dx + dy * dy + 0.1f));  // also: CU707
    }
    out[i] = sum;
}

void launch(float *y, const float *x, double *d, const double *e)
{
    reciprocal<<<64, 256>>>(y, x);
    of_doubles<<<64, 256>>>(d, e);
    of_a_constant<<<64, 256>>>(d, e);
    normalised<<<64, 256>>>(y, x);
    assigned<<<64, 256>>>(y, x);
    root_of_a_quotient<<<64, 256>>>(y, x);
    power<<<64, 256>>>(y, x);
    narrowed<<<64, 256>>>(y, x);
    bodies<<<64, 256>>>(y, x, x + 4194304, 64);
}
