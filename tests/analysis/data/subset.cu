/* Kernels of the C subset, in the manner of PolyBench: pycparser reads them as well as a CUDA
   compiler. Loops are not unrolled, so that one subscript is one access. */

__global__ void gemm(float *a, float *b, float *c, int ni, int nj, int nk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        float sum = 0.0f;
#pragma unroll 1
        for (int k = 0; k < nk; k++)
            sum += a[i * nk + k] * b[k * nj + j];
        c[i * nj + j] = sum;
    }
}

__global__ void atax(double *a, double *x, double *tmp, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
#pragma unroll 1
        for (int j = 0; j < ny; j++)
            tmp[i] += a[i * ny + j] * x[j];
    }
}

__global__ void transposed(float *a, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 3; j < n; j += 2)
        sum += a[j * n + i];
    y[2 * i + 1] = sum;
}

__global__ void convolution(float *a, float *b, int ni, int nj)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < ni - 1 && j < nj - 1)
        b[i * nj + j] = 0.2f * a[(i - 1) * nj + (j - 1)]
                      + 0.5f * a[i * nj + j]
                      - 0.8f * a[(i + 1) * nj + (j + 1)];
}

__global__ void volume(float *a, float *b, int nj, int nk)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = blockIdx.z * blockDim.z + threadIdx.z;
    if (j < nj && k < nk)
        b[i * (nk * nj) + j * nk + k] = 2.0f * a[(i + 1) * (nk * nj) + j * nk + (k + 1)];
}

__global__ void nested(int *a, int *b, int n, int m)
{
    int t = threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll 1
        for (int j = 0; j < m; j++)
            sum += a[(i * m + j) * 64 + t];
        b[i * blockDim.x + t] = sum;
    }
}

__global__ void grid_stride(float *x, float *y, int n)
{
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = x[i];
}

__global__ void backwards(short *a, short *b, int n)
{
    int i = threadIdx.x + blockIdx.x * 128;
    b[n - i] = a[3 * n - 2 * i + 5];
}

__global__ void columns(float *a, float *b, int w, int h)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int from = x * h + y;
    int to = y * w + x;
    b[to] = a[from];
}
