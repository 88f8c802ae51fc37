// Nothing here computes in double precision without being asked to.
__global__ void folded(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 2.0;
    y[i + 4096] = 0.5 * x[i];
    y[i + 8192] = x[i] + 1.0;
    y[i + 12288] = x[i] > 0.5 ? 1.0 : 0.0;
}

__global__ void divided(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] / 4.0;
    y[i + 4096] = 1.0 / x[i];
    y[i + 8192] = sqrt(x[i]);
    y[i + 12288] = 1.0 / sqrtf(x[i]);  // undecided: CU707 (a small share)
}

__global__ void meant(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 0.1 + exp(x[i]);
}

// A sum that is kept in double is meant, whatever it is made of.
__global__ void accumulated(double *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += x[i + k * 4096] * 0.1;
    y[i] = sum;
}

// The slow path of sinf holds one multiplication in double precision.
__global__ void library(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sinf(x[i]) + cosf(x[i]) * 2.0f;
}

// Once, beside much float work: nothing to act on.
__global__ void rare(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
    for (int k = 0; k < 400; k++)
        sum = sum * 0.5f + x[i + k * 4096];
    y[i] = sum * 0.1;  // ok
}

// Nor has who casts to it forgotten an `f`.
__global__ void compared(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float square = x[i] * x[i];
    const float least = 1e-6f;
    if (fabs(static_cast<double>(square)) < static_cast<double>(least))
        y[i] = 0.0f;
    else
        y[i] = square + fabs((double)x[i + 4096]) - fmax(double(x[i + 8192]), double(square));
}

// A cast elsewhere says nothing of a forgotten one.
__global__ void forgotten(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float half = (float)((double)x[i] + (double)x[i + 4096]);
    y[i] = half * 0.1;  // expect: CU701
}

// Who declares variables as doubles computes in double on purpose, though floats come in and go out.
__global__ void declared(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double angle = 2.0 * atan2((double)x[i], (double)x[i + 4096]);
    const double half = 0.3 * angle;
    y[i] = sin(half) * cos(angle + 0.1);
}
