// The pitch of rows is their length at least: rows that a kernel goes along lie apart.
#include <cuda_runtime.h>

__global__ void bounded(float *out, const float *in, int n, int lda)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n) out[y * n + x] = 2 * in[y * lda + x];
}

__global__ void counted(float *out, const float *in, size_t ld, size_t rows, size_t terms)
{
    size_t y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= rows) return;
    float sum = 0;
    for (size_t k = 0; k < terms; k++) sum += in[k + y * ld];
    out[y] = sum;
}

// Nothing says where a row ends.
__global__ void open_ended(float *out, const float *in, int stride, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[blockIdx.y * n + x] = in[blockIdx.y * stride + x];
}

void all(float *out, const float *in, int n, int lda, int rows,
         size_t ld, size_t lines, size_t terms)
{
    bounded<<<dim3(n / 32, 64), dim3(32, 8)>>>(out, in, n, lda); // tried: bounded<<<(40, 64), (32, 8)>>>(n=1280, lda=1408) | bounded<<<(3, 64), (32, 8)>>>(n=96, lda=160)
    counted<<<lines / 256, 256>>>(out, in, ld, lines, terms); // tried: counted<<<5, 256>>>(ld=1536, rows=1280, terms=1408) | counted<<<24, 256>>>(ld=288, rows=6144, terms=224)
    bounded<<<dim3(64, 64), dim3(32, 8)>>>(out, in, 2048, lda); // tried: bounded<<<(64, 64), (32, 8)>>>(n=2048, lda=2176) | bounded<<<(64, 64), (32, 8)>>>(n=2048, lda=2048)
    open_ended<<<dim3(n / 256, rows), 256>>>(out, in, lda, n); // tried: open_ended<<<(5, 1152), 256>>>(stride=1408, n=1280) | open_ended<<<(24, 160), 256>>>(stride=224, n=6144)
}
