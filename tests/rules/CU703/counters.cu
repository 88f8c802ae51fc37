// Products of a double with the loop's counter.

// After MonteCarloAsianDP, section V.F of Yang et al.: a = b * i
__global__ void asian(double *out, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], sum = 0.0, a;
    for (int k = 0; k < n; k++) {
        a = b * k;  // expect: CU703 "`product_b += b` on every iteration"
        sum += a * a;
    }
    out[i] = sum;
}

__global__ void other_way_round(double *out, double h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = i;
    for (int k = 1; k <= n; ++k)
        sum += sum * (k * h);  // expect: CU703 "double product_h = h * 1;"
    out[i] = sum;
}

__global__ void in_steps(double *out, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = w[i], best = 0.0;
    for (int k = i; k < n; k += 512)
        best = max(best, 1.0 - b * k);  // expect: CU703 "product_b += b * 512"
    out[i] = best;
}

__global__ void cast(double *out, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = w[i], sum = 0.0;
    for (int k = 0; k < n; k++)
        sum -= (double)k * b;  // expect: CU703
    out[i] = sum;
}

__global__ void stored(double *out, double b, int n, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * pitch + i] = b * k;  // expect: CU703
}

void launch(double *out, const double *in)
{
    asian<<<64, 256>>>(out, in, 100);
    other_way_round<<<64, 256>>>(out, 0.01, 100);
    in_steps<<<64, 256>>>(out, in, 65536);
    cast<<<64, 256>>>(out, in, 100);
    stored<<<64, 256>>>(out, 0.25, 64, 16384);
}
