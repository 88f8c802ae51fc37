// threadIdx.x counts the rows of arrays that have rows of their own lengths: with x and y exchanged
// all of them are packed, whatever these lengths are.
__device__ float *at(char *data, size_t pitch, size_t row, size_t column)
{
    return (float *)(data + row * pitch) + column;
}

__global__ void of_pitches(char *to, size_t to_pitch, char *from, size_t from_pitch)
{
    size_t row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    float *t = at(to, to_pitch, row, column);
    const float *f = at(from, from_pitch, row, column);
    float own = *f * 2;  // expect: CU101 "load"
    *t = own;  // also: CU101
}

// What one thread reads of a row is one for all of its neighbours then.
__global__ void product(float *to, const float *a, const float *b, int wide, int inner)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    float sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[row * inner + k] * b[k * wide + column];  // expect: CU101 "`a`"
    to[row * wide + column] = sum;  // also: CU101
}

// One of them is packed as it is: it would be scattered.
__global__ void transposed(float *to, float *sums, const float *from, int high, int wide, int pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float own = from[row * wide + column];  // expect: CU101 "`from`"
    to[column * high + row] = own;
    sums[row * pitch + column] = own * 2;  // expect: CU101 "`sums`"
}

// Another one is read at one place by neighbours in x: they would read columns of it.
__global__ void beside_columns(float *to, const float *from, const float *first, int wide, int pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    float own = from[row * wide + column];  // expect: CU101 "`from`"
    to[row * pitch + column] = own + first[column * 1024];  // expect: CU101 "`to`"
}

void launch(char *raw, char *raws, float *to, float *more, float *a, float *b)
{
    dim3 block(16, 16), grid(64, 64);
    of_pitches<<<grid, block>>>(raw, 4096, raws, 8192);
    product<<<grid, block>>>(to, a, b, 1024, 512);
    transposed<<<grid, block>>>(to, more, a, 1024, 1024, 2048);
    beside_columns<<<grid, block>>>(to, a, b, 1024, 2048);
}
