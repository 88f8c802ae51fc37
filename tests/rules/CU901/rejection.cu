// How often a lane tries again follows from what it draws: no other order of the threads evens that.
__device__ float next(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * (1.0f / 16777216.0f);
}

__global__ void directions(float *x, float *y, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = seed ^ (i * 1973u + 1);
    float a, b, s;
    do {
        a = 2.0f * next(state) - 1.0f;
        b = 2.0f * next(state) - 1.0f;
        s = a * a + b * b;
    } while (s >= 1.0f || s == 0.0f);  // undecided: CU901 (the rule's own) "rejection sampling"
    x[i] = a;
    y[i] = b;
}

// The thread's number decides how often it goes round: that can be dealt out in another order.
__global__ void triangle(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < (i & 31) * 8; k++)  // expect: CU901
        sum += in[k * n + i];
    out[i] = sum;
}

// What a lane draws says which formula it wants, anew each time.
__global__ void paths(float *out, int n, unsigned seed, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed ^ (i * 1973u + 1);
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        float x = next(state) - 0.5f, r = x * x;
        if (fabsf(x) < 0.42f)  // undecided: CU901 (the rule's own) "anew on each iteration"
            sum += x * (((((((-25.4f * r + 41.4f) * r - 18.6f) * r + 2.5f) * r + 3.1f) * r - 21.1f) * r + 23.1f) * r - 8.5f);
        else
            sum += ((((((((0.3f * x + 0.9f) * x + 0.1f) * x + 0.02f) * x + 0.003f) * x + 0.7f) * x + 0.8f) * x + 0.4f) * x);
    }
    out[i] = sum;
}

// The number that is counted with each turn is known, and so is whose turn it is.
__global__ void strides(float *out, const float *in, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < steps; k++)
        if ((i + k) % 4 == 0)  // expect: CU901
            for (int j = 0; j < 16; j++)
                sum += in[(k * 16 + j) * n + i];  // expect: CU101
    out[i] = sum;
}

void launch(float *x, float *y, const float *in)
{
    paths<<<4096, 256>>>(x, 1 << 20, 7, 100);
    strides<<<4096, 256>>>(y, in, 1 << 20, 64);
    directions<<<4096, 256>>>(x, y, 1 << 20, 7);
    triangle<<<4096, 256>>>(x, in, 1 << 20);
}
