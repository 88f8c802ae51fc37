// Divisions that are needed, or none of doubles.
__global__ void two_variables(double *y, const double *a, const double *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a[i] / b[i];
}

__global__ void reciprocal(double *y, const double *t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0 / t[i];
}

// Yang's second fix.
__global__ void fixed(double *y, const double *t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = -(1.0 / t[i]) * 4.0;
}

__global__ void power_of_two(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] / 8.0;
}

__global__ void changes(double *y, const double *x, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double l = x[i];
    for (int k = 0; k < w; k++) {
        y[k * n + i] = y[k * n + i] / l;
        l += 1.0;
    }
}

__global__ void in_float(float *y, const float *x, float l, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] / l;
}

// The index is divided, not the double.
__global__ void of_indices(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i / 4] * 2.5 + 1.0;
}

void launch(double *y, const double *x, float *f)
{
    two_variables<<<64, 256>>>(y, x, x);
    reciprocal<<<64, 256>>>(y, x);
    fixed<<<64, 256>>>(y, x);
    power_of_two<<<64, 256>>>(y, x);
    changes<<<64, 256>>>(y, x, 16384, 64);
    in_float<<<64, 256>>>(f, f, 3.0f, 16384, 64);
    of_indices<<<64, 256>>>(y, x);
}
