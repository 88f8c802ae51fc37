// Elements that a rounded float picks: how far those of neighbours lie apart is the factor's doing.
__global__ void resized(float *out, const float *in, int factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int from = (int)((float)x * factor);
    out[x] = in[from];  // undecided: CU101 (fine with other values)
}

// So it is of pixels whose colours lie side by side.
__global__ void resized_pixels(float *out, const unsigned char *in, int factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int from = (int)((float)x * factor);
    out[x] = in[3 * from] * 0.5f;  // undecided: CU101 (a stride that may be 1)
}

// Here it picks the row.
__global__ void resized_rows(float *out, const float *in, int factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (int)((float)x * factor);
    out[x] = in[row * 1024 + threadIdx.y];  // expect: CU101 "32 sectors"
}

// A row is a cell's, and how many threads fall into one is the length of a cell's doing.
__global__ void binned_rows(float *out, const float *in, float cell)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (int)((float)x / cell);
    float sum = 0.0f;
    for (int i = 0; i < 32; i++)
        sum += in[row * 32 + i];  // undecided: CU101 (a stride that may be 1)
    out[x] = sum;
}

// And here the launch says what the factor is.
__global__ void halved(float *out, const float *in, int factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int from = (int)((float)x * factor);
    out[x] = in[from];  // expect: CU101 "8 sectors"
}

void resize(float *out, const float *in, int factor, float cell)
{
    binned_rows<<<1024, 256>>>(out, in, cell);
    resized<<<1024, 256>>>(out, in, factor);
    resized_pixels<<<1024, 256>>>(out, (const unsigned char *)in, factor);
    resized_rows<<<1024, 256>>>(out, in, factor);
    halved<<<1024, 256>>>(out, in, 2);
}
