// Fixes of arrays without rows: the index is skewed at each use, or the array is left alone.

#define N 512

// a sort's pairs: both arrays with one index
__global__ void sorted(unsigned *keys, unsigned *values)
{
    __shared__ unsigned k[N], v[N];
    int t = threadIdx.x;
    k[t] = keys[t], v[t] = values[t];
    k[t + N / 2] = keys[t + N / 2], v[t + N / 2] = values[t + N / 2];
    for (int size = 2; size <= N; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            unsigned a = k[at], b = k[at + stride];  // expect: CU201 "fall from 4926 to 3270 with a skewed index"
            if ((a > b) == ((t & size / 2) == 0)) {
                k[at] = b, k[at + stride] = a;  // also: CU201
                unsigned w = v[at];  // also: CU201
                v[at] = v[at + stride], v[at + stride] = w;  // also: CU201
            }
        }
    __syncthreads();
    keys[t] = k[t], values[t] = v[t];
    keys[t + N / 2] = k[t + N / 2], values[t + N / 2] = v[t + N / 2];
}

// an array that a function is given, by two kernels
__device__ int scanned(int value, volatile int *part, int size)
{
    int at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    part[at] = 0;  // also: CU201
    at += size;
    part[at] = value;  // also: CU201
    for (int offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        int sum = part[at] + part[at - offset];  // expect: CU201
        __syncthreads();
        part[at] = sum;  // also: CU201
    }
    return part[at];  // also: CU201
}

__global__ void scan(int *out, const int *in)
{
    __shared__ int data[512];
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = scanned(in[i], data, 4);
}

__global__ void scan_again(int *out, const int *in)
{
    __shared__ int other[2 * 256];
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = scanned(in[i] + 1, other, 4);
}

// the launch says how large it is
__global__ void transformed(float *out, const float *in)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    for (int i = t; i < 32 * 64; i += 64)
        s[i] = in[i];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 32; ++k)
        sum += s[t * 32 + k];  // expect: CU201 "32 wavefronts" "fall from 2112 to 128"
    out[t] = sum;
}

// a pointer into it: more than a change of each use
__global__ void pointed(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[N];
    unsigned *half = s + N / 2;
    int t = threadIdx.x;
    s[t] = in[t], half[t] = in[t + N / 2];
    for (int stride = N / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        int at = 2 * t - (t & (stride - 1));
        unsigned a = s[at], b = s[at + stride];  // expect: CU201
        s[at] = a + b, s[at + stride] = a - b;  // also: CU201
    }
    __syncthreads();
    out[t] = s[t], out[t + N / 2] = half[t];
}

void launch(unsigned *keys, unsigned *values, int *out, const int *in, float *f, const float *g)
{
    sorted<<<1, N / 2>>>(keys, values);
    scan<<<64, 256>>>(out, in);
    scan_again<<<64, 256>>>(out, in);
    transformed<<<1, 64, 32 * 64 * sizeof(float)>>>(f, g);
    pointed<<<1, N / 2>>>(keys, values);
}
