// Loads that stores through other pointers make the compiler repeat.
__global__ void factors(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];  // expect: CU503 "100 loads per thread where 1 would do" "__restrict__"
}

__global__ void outer_product(double *out, double *u, double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] += u[i] * v[k * 16384 + i];  // expect: CU503 "`u`"
}

__global__ void three_of_one(float *u, float *v, float *w, const float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u[i] = p[i] + 1.0f;
    v[i] = p[i] * 2.0f;  // expect: CU503 "`p`" "loaded again"
    w[i] = p[i] - 3.0f;
}

__global__ void of_another_type(float *out, int *index, float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] + (float)index[i];  // expect: CU503
}

__global__ void half_declared(float *out, const float *__restrict__ in, const float *shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] + shift[i];  // expect: CU503 "`shift`"
}

void launch(float *d_a, float *d_b, float *d_c, float *d_d, int *index,
            double *e, double *f, double *g)
{
    factors<<<64, 256>>>(d_a, d_b, d_c, 100);
    outer_product<<<64, 256>>>(e, f, g, 100);
    three_of_one<<<64, 256>>>(d_a, d_b, d_c, d_d);
    of_another_type<<<64, 256>>>(d_a, index, d_b, 100);
    half_declared<<<64, 256>>>((float *)d_a, d_b, d_c, 100);
}
