// What is advised must help with the block and the data at hand.

// Rows of four threads are 16 bytes: exchanged axes alone leave half a sector to each.
__global__ void narrow(float *out, const float *in, int n)
{
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * n + x] = in[x * n + y] * 2.0f;  // expect: CU101 "load from `in`" "4 sectors per request where 2" "in blocks 32 threads wide in x"; CU101 "store to `out`" "make the block at least 32 threads wide in x"
}

// Rows of 16 threads fill two sectors each.
__global__ void wide(float *out, const float *in, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * n + x] = in[x * n + y] * 2.0f;  // expect: CU101 "load from `in`" "the fastest varying index, or go"
}

// Sorted indices still pick elements of rows that are a pitch apart.
__global__ void column(float *out, const float *in, const int *place, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[place[i] * pitch];  // expect: CU101 "load from `in`" "4096 bytes apart, so that no order of the work packs it"
}

void launch(float *out, const float *in, const int *place)
{
    narrow<<<dim3(256, 256), dim3(4, 4)>>>(out, in, 1024);  // expect: CU403; CU405
    wide<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024);
    column<<<64, 256>>>(out, in, place, 1024);
}
