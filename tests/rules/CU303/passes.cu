// A row that is read twice by the same threads.

// 256 KB lie between the first time and the second.
__global__ void long_row(float *out, const float *in)
{
    const float *row = in + blockIdx.x * 65536;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 65536; i += 32)
        sum += row[i];
    float mean = sum / 2048;
    for (int i = threadIdx.x; i < 65536; i += 32)
        squares += (row[i] - mean) * (row[i] - mean); // expect: CU303 "the thread's own accesses"  // also: CU404
    out[blockIdx.x * 32 + threadIdx.x] = squares;
}

// 32 KB do not fill the cache.
__global__ void short_row(float *out, const float *in)
{
    const float *row = in + blockIdx.x * 8192;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 8192; i += 32)
        sum += row[i];
    float mean = sum / 256;
    for (int i = threadIdx.x; i < 8192; i += 32)
        squares += (row[i] - mean) * (row[i] - mean); // ok
    out[blockIdx.x * 32 + threadIdx.x] = squares;
}

void launch(float *out, const float *in)
{
    long_row<<<2, 32>>>(out, in);  // expect: CU404
    short_row<<<2, 32>>>(out, in);
}
