// Blocks by how many lanes of their warps have a thread.
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

__global__ void add(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f + data[i];
}

__global__ void square(float *out, const float *in, int w)
{
    int x = blockIdx.x * 10 + threadIdx.x, y = blockIdx.y * 10 + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

__global__ void half_a_warp(float *data)
{
    int i = blockIdx.x * 16 + threadIdx.x;
    data[i] = data[i] + 1.0f;
}

__global__ void whole(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] + 1.0f;
}

// The last block has one warp's threads only.
__global__ void hundreds(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] + 1.0f;
}

// ok: 2 % of the lanes
__global__ void nearly(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] + 1.0f;
}

// ok: a few blocks, which leave most of the GPU idle whatever their size
__global__ void alone(float *data)
{
    data[threadIdx.x] = data[threadIdx.x] + 1.0f;
}

// ok: full warps, of which the last is cut off by the data
__global__ void guarded(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] + 1.0f;
}

// ok: nobody knows how it is launched
__global__ void unknown(float *data)
{
    data[blockIdx.x * 40 + threadIdx.x] = 1.0f;
}

__global__ void five_rows(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

#define THREADS 48
__global__ void by_macro(float *data)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    data[i] = data[i] * data[i];
}

// Its block is known, of whatever image.
__global__ void tens(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = in[y * w + x] * 0.5f;
}

void launch_of_an_image(float *data, const float *in, int w, int h)
{
    dim3 block(10, 10);  // also: CU403
    tens<<<dim3((w + 9) / 10, (h + 9) / 10), block>>>(data, in, w, h);  // expect: CU403 "28 of 128 lanes"
}

void launch(float *data, const float *in, int blocks)
{
    scale<<<400, 40>>>(data, 16000);  // expect: CU403 "24 of 64 lanes"
    add<<<dim3(400), dim3(72)>>>(data, 28800);  // expect: CU403 "25%"
    square<<<dim3(100, 100), dim3(10, 10)>>>(data, in, 1024);  // expect: CU403 "28 of 128 lanes"
    half_a_warp<<<1000, 16>>>(data);  // expect: CU403 "50%"
    by_macro<<<1000, THREADS>>>(data);  // expect: CU403 "16 of 64 lanes"
    whole<<<64, 256>>>(data);
    nearly<<<64, 250>>>(data);
    alone<<<4, 10>>>(data);
    guarded<<<63, 256>>>(data, 16001);
    five_rows<<<dim3(32, 100), dim3(32, 5)>>>(data, in, 1024);
    hundreds<<<(20000 + 99) / 100, 100>>>(data, 19932);  // expect: CU403 "28 of 128 lanes are idle"
}
