// Threads next to each other along x go down a column: exchanged axes are the same work, packed.
__global__ void scaled(float *to, const float *from, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    to[row * width + column] = from[row * width + column] * 2.0f;  // expect: CU101 "load" "make threadIdx.x the fastest varying index"  // also: CU101
}

__global__ void of_unlike_extents(float *to, const float *from)
{
    int row = blockIdx.x * 8 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;  // also: CU101
    to[row * 512 + column] = from[row * 512 + column] * 2.0f;  // expect: CU101 "load"  // also: CU101
}

// Better for one array is worse for the other.
__global__ void transposed(float *to, const float *from)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    to[x * 512 + y] = from[y * 512 + x];  // expect: CU101 "store" "`to` and `from` lie across each other"
}

void launch(float *to, const float *from)
{
    dim3 block(16, 16), grid(64, 32);
    scaled<<<dim3(64, 32), block>>>(to, from, 512);  // refuted: CU401 (nothing to report) "go along y"
    of_unlike_extents<<<dim3(64, 16), dim3(8, 32)>>>(to, from);
    transposed<<<dim3(32, 32), dim3(16, 16)>>>(to, from);
}
