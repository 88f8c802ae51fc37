// Products that are no multiples of a counter, or are done once.

// The fix of section V.F: a += b
__global__ void summed(double *out, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], sum = 0.0, a = 0.0;
    for (int k = 0; k < n; k++, a += b)
        sum += a * a;
    out[i] = sum;
}

__global__ void no_loop(double *out, double b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = b * i;
}

__global__ void factor_changes(double *out, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += b * k;
        b *= 0.5;
    }
    out[i] = sum;
}

__global__ void in_float(float *out, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += b * k;
    out[i] = sum;
}

__global__ void of_loaded_data(double *out, const double *in, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += b * in[k * 16384 + i];
    out[i] = sum;
}

__global__ void integers(double *out, int b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += 1.5 + (b * k & 7);
    out[i] = sum;
}

void launch(double *out, const double *in, float *f)
{
    summed<<<64, 256>>>(out, in, 100);
    no_loop<<<64, 256>>>(out, 0.5);
    factor_changes<<<64, 256>>>(out, 0.5, 100);
    in_float<<<64, 256>>>(f, 0.5f, 100);
    of_loaded_data<<<64, 256>>>(out, in, 0.5, 64);
    integers<<<64, 256>>>(out, 3, 100);
}
