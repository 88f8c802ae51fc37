// Strides in a struct that is passed by value, as tensors' accessors have them.
struct Accessor {
    float *data;
    int strides[3];
};

__global__ void innermost(Accessor in, float *out)
{
    int x = threadIdx.x % 64, y = threadIdx.x / 64;
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        in.data[blockIdx.x * in.strides[0] + y * in.strides[1] + x * in.strides[2]];  // undecided: CU101 (stride of a struct) "may be 1"
}

__global__ void rows(Accessor in, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    out[row] = in.data[row * 64];  // expect: CU101 "256 bytes apart"
}

// Four strides side by side are loaded as a vector.
struct Packed {
    float *data;
    int sizes[4], strides[4];
};

__global__ void batched(Packed in, float *out, int width)
{
    int x = threadIdx.x < width ? threadIdx.x : 0;
    out[(blockIdx.z * gridDim.y + blockIdx.y) * 256 + threadIdx.x] =
        in.data[blockIdx.y * in.strides[0] + blockIdx.z * in.strides[1] + in.strides[2] + x * in.strides[3]];  // undecided: CU101 (stride of a struct) "may be 1"
}

// Lanes of a narrow block lie along y, too: the stride there may be 1 as well.
__global__ void along_y(Accessor in, float *out)
{
    int y = blockIdx.x * blockDim.y + threadIdx.y;
    out[y * 4 + threadIdx.x] = in.data[y * in.strides[0]] * threadIdx.x;  // undecided: CU101 (stride of a struct) "may be 1"
}

// Rows along which another index runs are no less than that apart.
__global__ void rows_along_y(Accessor in, float *out, int width)
{
    int y = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int x = threadIdx.x; x < width; x += 4)
        sum += in.data[y * in.strides[0] + x];  // expect: CU101
    out[y * 4 + threadIdx.x] = sum;
}

void launch(Accessor in, Packed packed, float *out, int width)
{
    innermost<<<64, 256>>>(in, out);
    rows<<<64, 256>>>(in, out);
    batched<<<dim3(1, 64, 64), 256>>>(packed, out, width);
    along_y<<<1024, dim3(4, 16)>>>(in, out);
    rows_along_y<<<1024, dim3(4, 16)>>>(in, out, width);
}


// A matrix in a struct: its width separates rows along which another index runs.
struct Matrix {
    float *data;
    int rows, width;
    __device__ float &at(int i, int j) const { return data[i * width + j]; }
};

__global__ void row_sums(Matrix m, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < m.width; j++)
        sum += m.at(i, j);  // expect: CU101 "8 or more sectors per request where 4 would do: 32 with the sizes that are assumed"
    out[i] = sum;
}

struct ScaleColumns {
    Matrix m;
    __device__ void operator()(int i) const 
    {
        m.data[i % m.rows * m.width + i / m.rows] *= 2.0f;  // expect: CU101 "32 sectors"
    }
};

template <typename F> __global__ void for_each(int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f(i);
}

void launch_matrices(Matrix m, float *out)
{
    row_sums<<<64, 256>>>(m, out);
    for_each<<<256, 256>>>(1 << 20, ScaleColumns{m});
}
