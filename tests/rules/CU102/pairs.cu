// Yang, Xiang, Mantor, Zhou, figure 3a: each thread accesses a few neighbouring items; and fixes.
struct Pair {
    float x, y;
};

struct Quad {
    float x, y, z, w;
};

struct Vertex {
    float x, y, z;
};

struct __align__(8) AlignedPair {
    float x, y;
};

__global__ void adjacent(float *output, const float *input)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float a = input[gid * 2 + 0];  // expect: CU102 "2 loads" "16 sectors together where 8" "`float2` load"
    float b = input[gid * 2 + 1];
    output[2 * gid + 0] = a;  // expect: CU102 "2 stores" "aligned to 8 bytes"
    output[2 * gid + 1] = b;
}

__global__ void four(int *output, const int *input)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = input[4 * i] + input[4 * i + 1] +  // expect: CU102 "64 sectors together where 16" "`int4`"
              input[4 * i + 2] + input[4 * i + 3];
    output[i] = sum;
}

__global__ void complex_product(double *out, const double *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double re = a[2 * i], im = a[2 * i + 1];  // expect: CU102 "32 sectors together where 16" "`double2`"
    out[i] = re * re + im * im;
}

__global__ void pairs(float *out, const Pair *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x * in[i].y;  // expect: CU102 "`in`" "`__align__(8)`"
}

__global__ void most_of_four(float *out, const Quad *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x * in[i].y + in[i].z;  // expect: CU102 "48 sectors together where 16" "`float4`"
}

__global__ void vertices(float *out, const Vertex *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x * in[i].y + in[i].z;  // expect: CU102 "36 sectors together where 12" "no vector has 12 bytes"
}

__global__ void short_row(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < 4; j++)
        sum += in[4 * i + j];  // expect: CU102 "4 loads" "64 sectors together where 16"
    out[i] = sum;
}

__global__ void row_of_eight(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < 8; j++)
        sum += in[8 * i + j];  // expect: CU102 "8 loads" "2 `float4` loads"
    out[i] = sum;
}

// --- what looks alike

__global__ void vector(float2 *output, const float2 *input)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float2 f = input[gid];  // ok
    output[gid] = f;
}

__global__ void merged(float *out, const AlignedPair *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x * in[i].y;  // ok: the compiler loads both at once
}

__global__ void two_vectors(float *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = in[2 * i], b = in[2 * i + 1];  // ok: nothing is wider
    out[i] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void halves(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + in[i + n];  // ok: neighbours are other threads'
}

__global__ void one_field(float *out, const Quad *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].w;  // expect: CU101 "16 sectors"
}

__global__ void store_some(Quad *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].x = in[i];  // expect: CU101 "store to `out`"
    out[i].y = in[i];  // also: CU101  // expect: CU503
}

__global__ void tree(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 1; s < n; s *= 2)
        data[i] += data[i + s];  // expect: CU106
}

// What stands for an element's type is the instance's: no structure is to be declared.
template <typename T> __global__ void sums_of_four(T *sums, const T *values)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < 4; k++)
        sum += values[4 * i + k];  // expect: CU102 "64 sectors together where 16" "`float4` load"
    sums[i] = sum;
}

void launch(float *a, float *b, double *d)
{
    sums_of_four<<<64, 256>>>(a, b);
    adjacent<<<64, 256>>>(a, b);
    four<<<64, 256>>>((int *)a, (int *)b);
    complex_product<<<64, 256>>>(d, d);
    pairs<<<64, 256>>>(a, (Pair *)b);
    most_of_four<<<64, 256>>>(a, (Quad *)b);
    vertices<<<64, 256>>>(a, (Vertex *)b);
    short_row<<<64, 256>>>(a, b);
    row_of_eight<<<64, 256>>>(a, b);
    vector<<<64, 256>>>((float2 *)a, (float2 *)b);
    merged<<<64, 256>>>(a, (AlignedPair *)b);
    two_vectors<<<64, 256>>>(a, (float4 *)b);
    halves<<<64, 256>>>(a, b, 16384);
    one_field<<<64, 256>>>(a, (Quad *)b);
    store_some<<<64, 256>>>((Quad *)a, b);
    tree<<<64, 256>>>(a, 16);
}
