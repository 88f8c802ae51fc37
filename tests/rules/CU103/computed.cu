// Three bytes a pixel, one by one, behind an iteration of hundreds of instructions, and behind none.
__device__ uchar3 shade(float x, float y)
{
    return make_uchar3(x * 255.0f, y * 255.0f, (x + y) * 127.0f);
}

__global__ void basins(uchar3 *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(i & 1023) / 1024, y = (float)i / 1048576;
    for (int k = 0; k < turns; k++) {
        float d = x * x + y * y, c = x * x - y * y;
        x = (2.0f * x + __fdividef(c, d * d + 0.001f)) * 0.333f;
        y = (2.0f * y - __fdividef(2.0f * x * y, d * d + 0.001f)) * 0.333f;
    }
    out[i] = shade(x, y);  // undecided: CU103 (the rule's own)
}

__global__ void ramp(uchar3 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(i & 1023) / 1024;
    out[i] = shade(x, 0.5f);  // expect: CU103 "4 requests for 128 bytes"
}

// 256 threads in all: with four channels each they are 64, and as many bytes are on their way.
__global__ void channels(float *sums, const unsigned char *samples, int turns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < turns; t++)
        sum += samples[t * 256 + c];  // undecided: CU103 (the rule's own) // also: CU404
    sums[c] = sum;
}

__global__ void many_channels(float *sums, const unsigned char *samples, int turns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < turns; t++)
        sum += samples[t * 65536 + c];  // expect: CU103
    sums[c] = sum;
}

void launch(uchar3 *out, float *sums, const unsigned char *samples)
{
    basins<<<4096, 256>>>(out, 50);
    ramp<<<4096, 256>>>(out);
    channels<<<2, 128>>>(sums, samples, 20000);  // expect: CU404
    many_channels<<<512, 128>>>(sums, samples, 20000);
}
