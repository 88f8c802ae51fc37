// Strides that no launch fixes: where they are 1, these are fine.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void bodies(float *out, const Body *all, int stride)
{
    const Body *own = (const Body *)((const float *)all + threadIdx.y * (stride & 1023)) + threadIdx.x;
    out[threadIdx.x * stride] = own->mass * own->charge + own->x;  // undecided: CU104 (a stride that may be 1)
}

__global__ void shifted(float *out, const float *in, int stride)
{
    out[threadIdx.x * stride] = in[blockIdx.x * 256 + threadIdx.x + stride - 1];  // expect: CU101  // undecided: CU105 (a stride that may be 1)
}

__global__ void columns(float *out, const float *in, int stride)
{
    __shared__ float tile[4160];
    for (int k = threadIdx.y * 8 + threadIdx.x; k < 4160; k += 64)
        tile[k] = in[k];
    __syncthreads();
    out[threadIdx.x * stride] = tile[(threadIdx.y * 2 * stride & 4095) + threadIdx.x];  // undecided: CU101 (a stride that may be 1); CU201 (a stride that may be 1)
}

// With strides of 1 no run comes to them: their formulas speak.
__global__ void bodies_apart(float *out, const Body *all, int stride)
{
    const Body *own = (const Body *)((const float *)all + threadIdx.y * (stride & 1023)) + threadIdx.x;
    if (stride * stride > 1)
        out[threadIdx.x * stride] = own->mass * own->charge + own->x;  // undecided: CU104 (friendlier values not reached)
}

__global__ void shifted_apart(float *out, const float *in, int stride)
{
    if (stride * stride > 1)
        out[threadIdx.x * stride] = in[blockIdx.x * 256 + threadIdx.x + stride - 1];  // expect: CU101  // undecided: CU105 (friendlier values not reached)
}

__global__ void columns_apart(float *out, const float *in, int stride)
{
    __shared__ float tile[4160];
    for (int k = threadIdx.y * 8 + threadIdx.x; k < 4160; k += 64)
        tile[k] = in[k];
    __syncthreads();
    if (stride * stride > 1)
        out[threadIdx.x * stride] = tile[(threadIdx.y * 2 * stride & 4095) + threadIdx.x];  // undecided: CU101 (friendlier values not reached); CU201 (friendlier values not reached)
}

// Strides in a struct that is passed by value, as tensors' accessors have them.
struct Accessor {
    float *data;
    int strides[3];
};

__global__ void accessed(float *out, Accessor in)
{
    __shared__ unsigned char tile[40000];
    for (int k = threadIdx.x; k < 40000; k += 32)
        tile[k] = in.data[k];  // also: CU404
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * in.strides[1]];  // undecided: CU201 (stride of a struct)
}

void launch(float *out, const Body *all, Accessor accessor, int stride)
{
    float *in;
    cudaMalloc(&in, 1 << 24);
    bodies<<<64, dim3(2, 64)>>>(out, all, stride);
    shifted<<<64, 256>>>(out, in, 104);
    shifted<<<64, 256>>>(out, in, stride);
    columns<<<64, dim3(8, 8)>>>(out, in, stride);
    bodies_apart<<<64, dim3(2, 64)>>>(out, all, stride);
    shifted_apart<<<64, 256>>>(out, in, 104);
    shifted_apart<<<64, 256>>>(out, in, stride);
    columns_apart<<<64, dim3(8, 8)>>>(out, in, stride);
    accessed<<<64, 32>>>(out, accessor);  // undecided: CU404 (invented data decides)
}
