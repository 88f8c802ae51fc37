// Double arithmetic that is meant, with divisions that need none.

// Section V.F of Yang et al. in double: -(4.0) / t
__global__ void ising(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double t = x[i];
    for (int k = 0; k < 16; k++)
        t = -(4.0) / t;  // expect: CU702 "(1.0 / t) * -(4.0)"
    y[i] = t;
}

// Once for each element that comes from memory, too: of double units most GPUs have few.
__global__ void streamed(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double t = x[i];
    y[i] = -(4.0) / t;  // expect: CU702
}

__global__ void same_divisor(double *data, const double *length, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double l = length[i];
    for (int k = 0; k < w; k++)
        data[k * n + i] = data[k * n + i] / l;  // expect: CU702 "before the loop"
}

__global__ void parameter(double *data, double l, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < w; k++)
        data[k * n + i] /= l;  // expect: CU702 "inverse_l"
}

__global__ void by_a_constant(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] / 3.0;  // expect: CU702 "(1.0 / 3.0)"
}

// The divisor stays the same in both loops: its reciprocal goes before the outer one.
__global__ void nested(double *y, const double *x, double h, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int j = 0; j < w; j++) {
        for (int k = 0; k < 4; k++)
            sum += x[(j * 4 + k) * n + i] / h;  // expect: CU702 "where"
    }
    y[i] = sum;
}

void launch(double *y, const double *x)
{
    ising<<<64, 256>>>(y, x);
    streamed<<<64, 256>>>(y, x);
    same_divisor<<<64, 256>>>(y, x, 16384, 64);
    parameter<<<64, 256>>>(y, 3.5, 16384, 64);
    by_a_constant<<<64, 256>>>(y, x, 16384);
    nested<<<64, 256>>>(y, x, 0.3, 16384, 32);
}
