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

void launch(float *x, float *y, const float *in)
{
    directions<<<4096, 256>>>(x, y, 1 << 20, 7);
    triangle<<<4096, 256>>>(x, in, 1 << 20);
}
