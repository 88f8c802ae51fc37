// Divisions that cost little, or that no constant would help.
#define W 1000

__global__ void by_a_constant(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i % W];
}

template <int w>
__global__ void by_a_template_argument(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i % w];
}

__global__ void by_loaded_data(float *out, const int *size, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = i % (size[i] + 1);
}

__global__ void of_floats(float *out, const float *in, float w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / w;
}

__global__ void masked(float *out, const float *in, int mask, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i & mask];
}

// Coordinates, once for each element that is moved: the kernel waits for memory anyhow.
__global__ void coordinates(float *out, const float *in, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / w;  // undecided: CU705 (the rule's own) "waits for memory"
    out[i] = in[i] + row;
}

// Neighbours on both sides, each once for an element: two divisions by a width are no loop.
__global__ void gradient(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int left = (x + w - 1) % w, right = (x + 1) % w;  // undecided: CU705 (the rule's own) "waits for memory"
    out[y * 1024 + x] = in[y * 1024 + left] - in[y * 1024 + right];
}

// A loop over the grid's stride: once for an element beside much else.
__global__ void biased(float4 *out, const float4 *bias, int n, int w)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = out[i], b = bias[i % w];  // undecided: CU705 (a small share) "of what the kernel's warps issue"
        v.x = tanhf(v.x + b.x), v.y = tanhf(v.y + b.y);
        v.z = tanhf(v.z + b.z), v.w = tanhf(v.w + b.w);
        out[i] = v;
    }
}

// Once, before a long loop.
__global__ void before_a_loop(float *out, const float *in, int w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i / w;  // refuted: CU705 (too small to report)
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + in[k * 16384 + i];
    out[i] = sum;
}

void launch(float *out, const float *in, const int *size, float4 *of_four)
{
    gradient<<<dim3(4, 1024), 256>>>(out, in, 1024);
    biased<<<64, 256>>>(of_four, of_four + 65536, 1 << 16, 256);
    by_a_constant<<<64, 256>>>(out, in, 1 << 16);
    by_a_template_argument<1000><<<64, 256>>>(out, in, 1 << 16);
    by_loaded_data<<<64, 256>>>(out, size, 1 << 16);
    of_floats<<<64, 256>>>(out, in, 3.0f);
    masked<<<64, 256>>>(out, in, 1023, 1 << 16);
    coordinates<<<64, 256>>>(out, in, 1000);
    before_a_loop<<<64, 256>>>(out, in, 1000, 2000);
}
