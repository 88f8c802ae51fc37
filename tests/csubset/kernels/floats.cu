// float and double: constants, conversions, contraction.
__global__ void mixed(float *f, double *d, const float *x, const double *y, const int *k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f[6 * i + 0] = x[i] * 2 + 1.5f;
    f[6 * i + 1] = x[i] + 0.1;
    f[6 * i + 2] = k[i] / 3 + k[i] / 3.0f;
    f[6 * i + 3] = (int)(x[i] * 10.0f) + (unsigned)k[i];
    f[6 * i + 4] = x[i] > 0 ? x[i] : -x[i] / 3;
    f[6 * i + 5] = y[i];
    d[4 * i + 0] = y[i] * x[i] + k[i];
    d[4 * i + 1] = (float)y[i] / 7;
    d[4 * i + 2] = y[i] == x[i] || y[i] != y[i];
    d[4 * i + 3] = (long long)(y[i] * 1e6) - 1e-3;
}

__global__ void truths(int *out, const float *x, const double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = 0;
    if (x[i]) n += 1;
    if (!y[i]) n += 2;
    if (x[i] > 0 && y[i] > 0) n += 4;
    if (x[i] > 1 || y[i] < -1) n += 8;
    if (!(x[i] <= y[i])) n += 16;
    if (not (x[i] < 0) and y[i] not_eq x[i]) n += 2048;
    bool b = x[i];
    out[i] = n + b * 32 + (x[i] > 0 && out[i] > 5) * 64;
}

__device__ float poly(float x)
{
    return 3.0f * x * x - 2.0f * x + 1.0f;
}

__device__ double halves(double v, int n)
{
    for (int i = 0; i < n; i++) {
        if (v < 0.25) return v;
        v *= 0.5;
    }
    return v - 1;
}

__device__ void swapped(float &a, float &b)
{
    float t = a;
    a = b;
    b = t;
}

__device__ void split(float v, int *whole, float *part)
{
    *whole = (int)v;
    *part = v - *whole;
}

__global__ void functions(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = poly(x[i]), b = poly(poly(x[i + 1]));
    swapped(a, b);
    int whole;
    float part;
    split(a * 10, &whole, &part);
    out[4 * i] = a;
    out[4 * i + 1] = b;
    out[4 * i + 2] = whole + part;
    out[4 * i + 3] = halves(fabs(a) + 8, n);
}
