// A few threads of each block walk over memory, each for itself, and all others are idle.

// a class for each of the first threads
__global__ void finalize(float *centres, const float *partial, const int *counts, int classes, int blocks)
{
    int k = threadIdx.x;
    if (k < classes) {  // expect: CU901 "6 threads of each block do this alone" "shared their loops"
        int members = 0;
        for (int b = 0; b < blocks; ++b)  // also: CU901
            members += counts[b * classes + k];  // also: CU901
        float sum = 0.0f;
        for (int b = 0; b < blocks; ++b)  // also: CU901
            sum += partial[b * classes + k];  // also: CU901
        centres[k] = members > 0 ? sum / members : 0.0f;
    }
}

__global__ void count(int *out, const int *labels)
{
    __shared__ int mine[256];
    mine[threadIdx.x] = labels[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 4) {  // expect: CU901 "4 threads of each block do this alone"
        int found = 0;
        for (int j = 0; j < 256; ++j)  // also: CU901
            found += mine[j] == threadIdx.x;  // also: CU901
        atomicAdd(&out[threadIdx.x], found);
    }
}

// ok: a whole warp
__global__ void first_warp(int *out, const int *labels)
{
    __shared__ int mine[256];
    mine[threadIdx.x] = labels[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        int found = 0;
        for (int j = 0; j < 256; ++j)
            found += mine[j] == threadIdx.x;
        atomicAdd(&out[threadIdx.x], found);
    }
}

// ok: the data end there, and there are few of them
__global__ void rows(float *y, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < n; ++j)
            sum += a[j * n + i];
        y[i] = sum;
    }
}

// ok: each walk is shorter than a warp, whatever the block is for
__global__ void small_rows(float *y, const float *a, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < n; ++j)
            sum += a[j * n + i];
        y[i] = sum;
    }
}

// ok: the other half of the warp has walks of its own
__global__ void halves(float *out, const float *in, int n)
{
    float sum = 0.0f;
    if (threadIdx.x < 16)
        for (int i = 0; i < n; ++i)
            sum += in[i * 16 + threadIdx.x];
    else
        for (int i = 0; i < n; ++i)
            sum -= in[(n + i) * 16 + threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// ok: the steps of a tree wait for each other
__global__ void last_steps(float *out, const float *in, int half)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) {
        s[threadIdx.x] += s[255 - threadIdx.x];
        __syncwarp(0xffff);
        for (int d = half; d > 0; d >>= 1) {
            if (threadIdx.x < d)
                s[threadIdx.x] += s[threadIdx.x + d];
            __syncwarp(0xffff);
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

// ok: it is little of the kernel
__global__ void small_part(float *out, const float *in, int parts, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += in[blockIdx.x * n + i];
    if (threadIdx.x < parts)
        for (int i = 0; i < parts; ++i)
            sum += in[i * parts + threadIdx.x];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(float *out, float *in, int *counts, int *labels)
{
    finalize<<<1, 256>>>(out, in, counts, 6, 500);
    count<<<1024, 256>>>(counts, labels);
    first_warp<<<1024, 256>>>(counts, labels);
    rows<<<1, 256>>>(out, in, 10);
    small_rows<<<1, 256>>>(out, in, 12);
    halves<<<1024, 32>>>(out, in, 500);
    last_steps<<<512, 256>>>(out, in, 16);
    small_part<<<256, 256>>>(out, in, 8, 4096);
}
