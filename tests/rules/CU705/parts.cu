// Divisions that are each a small part of a loop's work, and a large one together.
__device__ float busy(float v)
{
#pragma unroll
    for (int i = 0; i < 280; i++)
        v = v * 0.5f + 1.0f;
    return v;
}

__global__ void together(float *out, int w, int h, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    float v = 0.0f;
    for (int k = 0; k < 40; k++) {
        v = busy(v);
        sum += (i + k) / w;  // expect: CU705 "with the others of its kind"
        sum ^= (i - k) / h;  // expect: CU705 "with the others of its kind"
        sum += (i * k) / d;  // expect: CU705 "with the others of its kind"
    }
    out[i] = v + sum;
}

__global__ void alone(float *out, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    float v = 0.0f;
    for (int k = 0; k < 40; k++) {
        v = busy(v);
        sum += (i + k) / w;  // undecided: CU705 (a small share) "of what the kernel's warps issue"
    }
    out[i] = v + sum;
}

// The halves of a 64-bit division have no line of their own.
__global__ void wide(long long *out, const long long *in, long long w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long sum = 0;
    for (int k = 0; k < 40; k++)
        sum += in[k * 65536 + i] / w;  // expect: CU705 "`in[k * 65536 + i] / w`"
    out[i] = sum;
}

// One for each of several dimensions, in one statement: one finding, of what these operations cost.
__global__ void nested(float *out, const float *in, int n, int w, int h, int b)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * 8) {
        int j = (i / w / h) % b;  // expect: CU705 "`/ w`, `/ h` and `% b` divide"
        out[i] = in[i] * j;
    }
}

// A loop over a grid's stride that has a single turn is none.
__global__ void one_turn(float *out, const float *in, int n, int w)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = in[i] * (i / w);  // undecided: CU705 (the rule's own) "waits for memory"
}

// Most of what it does is behind a state that is data: with other data the division is a small part.
__global__ void unless_finished(float *out, const float *in, const int *state, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / w;  // undecided: CU705 (invented data decides) "data decide how much else"
    if (state[row] != 7)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 60; k++)
        sum += in[k * 65536 + i];
    out[i] = sum;
}

// What most warps do once was counted.
__global__ void flip(signed char *spin, float least, int rows, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = spin[(i / w) % rows * w + i % w];  // expect: CU705
    float e = 0.0f;
#pragma unroll
    for (int k = 0; k < 40; k++) e = e * 0.5f + s;
    if (e < least) spin[i] = -s;
}

// A divisor that every launch gives, a power of two: a shift is left in its place.
__global__ void channels(float *out, int scale, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum += (i + k * w) / scale;  // expect: CU705
    out[i] = sum;
}

void launch(float *out, const float *in, long long *a, int w, int h, int d)
{
    flip<<<256, 256>>>((signed char *)a, 2.5f, h, w);
    channels<<<256, 256>>>(out, 2, w);
    together<<<256, 256>>>(out, w, h, d);
    alone<<<256, 256>>>(out, w);
    wide<<<256, 256>>>(a, a, w);
    nested<<<8, 256>>>(out, in, 65536, w, h, d);
    one_turn<<<256, 256>>>(out, in, 65536, w);
    unless_finished<<<256, 256>>>(out, in, (const int *)in, w);
}
