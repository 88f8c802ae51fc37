// Constants and functions in float code, by what the compiler makes of them.
#define DAMPING 0.85
#define HALF 0.5
#define TINY 1e-7
#define COUNT 7

__global__ void inexact(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 0.1;  // expect: CU701 "`0.1`" "write `0.1f`"
}

__global__ void two_operations(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0 * x[i] + 1.0;  // expect: CU701 "`2.0` and `1.0`"
}

__global__ void macro(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (1 - DAMPING) + DAMPING * x[i];  // expect: CU701 "`DAMPING`"
}

// A number with an exponent needs no point.
__global__ void exponent(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] < TINY)  // expect: CU701 "`TINY`"
        y[i] = 1.0f;
}

__global__ void whole(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * COUNT;  // ok
}

__global__ void function(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = exp(-(4.0) / x[i]);  // expect: CU701 "where 0 would do" "expf"
}

__global__ void comparison(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > 0.1)  // expect: CU701
        y[i] = 1.0f;
}

__global__ void compound(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0;  // ok
    for (int k = 0; k < n; k++)
        sum += x[i + k * 4096] * 0.3;  // expect: CU701  // also: CU404
    y[i] = sum;
}

// Each is less than a twentieth of what the kernel does, and they are one fault together.
__global__ void spread(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = x[i + 4096];
    for (int k = 0; k < 34; k++)
        a = a * 0.5f + x[i + k * 4096];
    a = a * 0.1;  // expect: CU701
    for (int k = 0; k < 34; k++)
        b = b * a + x[i + k * 8192];
    b = b * 0.7;  // expect: CU701
    y[i] = b;
}

void launch(float *y, const float *x, int n)
{
    inexact<<<16, 256>>>(y, x);
    two_operations<<<16, 256>>>(y, x);
    macro<<<16, 256>>>(y, x);
    exponent<<<16, 256>>>(y, x);
    whole<<<16, 256>>>(y, x);
    function<<<16, 256>>>(y, x);
    comparison<<<16, 256>>>(y, x);
    compound<<<16, 256>>>(y, x, n);  // undecided: CU404 (invented data decides)
    spread<<<16, 256>>>(y, x);
}

// What goes into `exp` are integers and a float argument, taken once before the loops; its result
// is scaled by its exponent's bits, and is a float again.
__global__ void weights(float *out, float sigma)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int dy = -4; dy <= 4; dy++)
        for (int dx = -4; dx <= 4; dx++)
            sum += exp(-(dx * dx + dy * dy) / (2.0 * sigma * sigma));  // expect: CU701 "`2.0` and `exp` make"
    out[x] = sum;
}

void launch_weights(float *out) { weights<<<64, 256>>>(out, 1.5f); }
