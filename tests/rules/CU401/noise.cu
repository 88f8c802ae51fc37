// Two lines for one in a store that hundreds of instructions stand beside.
__device__ float hash(unsigned x, unsigned y)
{
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (h ^ (h >> 16)) * (1.0f / 4294967296.0f);
}

__global__ void noise(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f, amplitude = 1.0f;
    for (int octave = 0; octave < 16; octave++) {
        unsigned step = 1u << octave;
        sum += amplitude * (hash(x * step, y * step) + hash(x * step + 1, y * step) * 0.5f);
        amplitude *= 0.5f;
    }
    out[y * w + x] = sum;
}

__global__ void copy(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = in[y * w + x];
}

// Twice as large blocks have half as many atomics of their own, whatever their shape.
__global__ void least(int *out, const float *in, int w, int h)
{
    __shared__ int found;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        found = 1 << 30;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h && in[y * w + x] > 0.5f)
        found = 1;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicMin(out, found);
}

void launch(float *out, float *in)
{
    least<<<dim3(64, 64), dim3(16, 16)>>>((int *)out, in, 1024, 1024);  // expect: CU401 "memory takes longer"
    noise<<<dim3(64, 64), dim3(16, 16)>>>(out, 1024, 1024);  // undecided: CU401 (the rule's own) "of the cycles"
    copy<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024, 1024);  // expect: CU401 "memory takes longer"
}
