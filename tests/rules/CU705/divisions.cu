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

void launch(float *out, const float *in, unsigned *u, int *j)
{
    remainder_in_loop<<<64, 256>>>(out, in, 1000, 1 << 16);
    quotient<<<64, 256>>>(out, in, 1000, 1 << 16);
    product_of_parameters<<<64, 256>>>(out, 30, 20, 1 << 16);
    unsigned_and_inner<<<64, 256>>>(u, 1021, 100);
    in_a_function<<<64, 256>>>(out, in, 16384, 100);
    once_in_much_arithmetic<<<64, 256>>>(j, 30, 20);
    once_beside_memory<<<64, 256>>>(j, 30, 20);
}
