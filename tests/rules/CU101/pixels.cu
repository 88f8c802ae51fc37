// Values of a pixel that lie side by side are few: three or four where nothing tells how many.

__global__ void brighten(float *out, const float *in, float by, int channels, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    for (int k = 0; k < channels; k++)
        out[(y * width + x) * channels + k] = by * in[(y * width + x) * channels + k];  // expect: CU101 "store" "8 or more sectors per request where 4 would do: 12 with channels=3 assumed" "as if it were transposed" // undecided: CU101 (the rule's own) "overlapping windows"
}

// As many values of a layer as it has features.
__global__ void biased(float *out, const float *in, float by, int channels, int width, int height, int batch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    for (int k = 0; k < channels; k++)
        out[(y * width + x) * channels + k] = by + in[(y * width + x) * channels + k];  // expect: CU101 "8 or more sectors" "32 with channels=1408 assumed" "as if it were transposed"
}

// By how much a side is scaled is 1 as often as not.
__global__ void halved(float *out, const float *in, int scale, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = in[(y * width + x) * scale];  // undecided: CU101 (fine with other values) "fine with"
}

// Here rows of x lie within those of y, and the two may change places.
__global__ void crossed(float *out, const float *in, int scale, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    if (x < width && y < height)
        out[x * height + y] = in[x * height + y];  // expect: CU101 "make threadIdx.x the fastest"
}

void launch(float *out, const float *in, float by, int channels, int width, int height, int batch, int scale)
{
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    brighten<<<grid, block>>>(out, in, by, channels, width, height);
    biased<<<grid, block>>>(out, in, by, channels, width, height, batch);
    halved<<<grid, block>>>(out, in, scale, width, height);
    crossed<<<grid, block>>>(out, in, scale, width, height);
}
