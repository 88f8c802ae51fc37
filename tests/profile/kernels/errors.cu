// Kernels that do what they must not; `error:` marks the line that is to be reported.
struct Pair { int first, second; };

__global__ void races(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x]; // error: races shared-race
}

__global__ void reads_nothing(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x == 0)
        s[0] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // error: reads_nothing uninitialised-shared-read
}

__global__ void waits(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1;");
    else
        asm volatile("bar.sync 2;"); // error: waits deadlock
    out[threadIdx.x] = 1;
}

__global__ void misaligned(int *out)
{
    reinterpret_cast<int2 *>(out + 1)[threadIdx.x / 4] = make_int2(1, 2); // error: misaligned misaligned
}

__global__ void asserts(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == 63)
        __trap(); // error: asserts trap
}

__device__ void store(int *out, int i)
{
    out[i] = 1; // error: behind out-of-bounds
}

__global__ void behind(int *out)
{
    store(out, threadIdx.x + 1);
}

__global__ void spins(int *out)
{
    for (int i = 0; out[0] == 0; i++)
        out[1] = i;
}

__global__ void takes_struct(int *out, Pair pair, const int *maybe)
{
    out[threadIdx.x] = pair.first + pair.second + (maybe ? maybe[0] : 0);
}

template <typename T>
__global__ void scale(T *data, T by)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

void launches(float *f, double *d)
{
    scale<float><<<1, 64>>>(f, 2.0f);
    scale<double><<<1, 64>>>(d, 2.0);
}
