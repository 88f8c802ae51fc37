// Integer divisions by what only the launch knows.
__global__ void remainder_in_loop(float *out, const float *in, int w, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i % w];  // expect: CU705 "`i % w`" "make `w`"
}

__global__ void quotient(float *out, const float *in, int w, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int row = i / w;  // expect: CU705 "template parameter"
        out[i] = in[i] + row;
    }
}

// A loop over tiles: its counter's quotient goes on by one and the same.
__global__ void over_tiles(float *out, const float *in, int pitch, int rows, int high)
{
    __shared__ float tile[16][16];
    int step = 16 * pitch, last = (rows - 1) * pitch;
    float sum = 0.0f;
    for (int at = 0; at <= last; at += step) {
        if (at / pitch + threadIdx.y < high)  // expect: CU705 "`step / pitch` more on each iteration"
            tile[threadIdx.y][threadIdx.x] = in[at + threadIdx.y * pitch + threadIdx.x];
        __syncthreads();
        sum += tile[15 - threadIdx.y][threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = sum;
}

__global__ void product_of_parameters(float *out, int w, int h, int n)
{
    int size = w * h;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = i / size;  // expect: CU705 "`w` and `h`"
}

__global__ void unsigned_and_inner(unsigned *out, unsigned w, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hash = i;
    for (int k = 0; k < n; k++)
        hash = (hash * 31 + k) % w;  // expect: CU705
    out[i] = hash;
}

__device__ int wrap(int x, int n)
{
    return x % n;  // expect: CU705
}

__global__ void in_a_function(float *out, const float *in, int n, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < turns; k++)
        sum += in[wrap(i + k, n)];  // expect: CU109
    out[i] = sum;
}

__global__ void once_in_much_arithmetic(int *out, int a, int b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i / a;  // expect: CU705
    int y = (i + 5) / b;  // expect: CU705
    out[i] = x ^ (i + 7) % b ^ y % a;  // expect: CU705
}

// What two of them take is hidden: without them the kernel waits as long for memory.
__global__ void once_beside_memory(int *out, int a, int b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i / a;  // undecided: CU705 (the rule's own) "13.5 instructions per sector they move, 4.4 without"
    out[i] = x ^ (i + 7) % b;  // undecided: CU705 (the rule's own) "waits for memory"
}

void launch(float *out, const float *in, unsigned *u, int *j, int pitch)
{
    remainder_in_loop<<<64, 256>>>(out, in, 1000, 1 << 16);
    quotient<<<64, 256>>>(out, in, 1000, 1 << 16);
    over_tiles<<<64, dim3(16, 16)>>>(out, in, pitch, 512, 512);
    product_of_parameters<<<64, 256>>>(out, 30, 20, 1 << 16);
    unsigned_and_inner<<<64, 256>>>(u, 1021, 100);
    in_a_function<<<64, 256>>>(out, in, 16384, 100);
    once_in_much_arithmetic<<<64, 256>>>(j, 30, 20);
    once_beside_memory<<<64, 256>>>(j, 30, 20);
}
