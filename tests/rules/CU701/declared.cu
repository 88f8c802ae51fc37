// Functions in double precision where the source says `double`, and floats are all that is there.

__global__ void infect(unsigned char *state, const float *chance, const float *pressure)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double risk = 1.0 - exp(-1.0 * pressure[i]);  // expect: CU701 "write `1.0f`, `expf`, `-1.0f`"
    if (chance[i] < risk)
        state[i] = 1;
}

__global__ void flip(int *spin, const float *chance, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int change = 2 * spin[i];
    if (change <= 0 || chance[i] < exp(-(double)beta * change))  // expect: CU701 "`exp` makes float"
        spin[i] = -spin[i];
}

__global__ void walk(float *path, const float *shock, float rate, float spread, float years)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float price = 100.0f;
    for (int k = 0; k < 8; k++) {
        double dt = years / 8;
        price *= exp((rate - 0.5 * spread * spread) * dt + spread * sqrt(dt) * shock[k * 16384 + i]);  // expect: CU701 "write `expf`, `0.5f`, `sqrtf`"
        path[k * 16384 + i] = price;
    }
}

// The sum may stay what it is.
__global__ void normalizer(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += exp((double)in[k * 16384 + i]);  // expect: CU701 "where 8 would do"
    out[i] = (float)sum;
}

__global__ void norm(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += (double)in[k * 16384 + i] * in[k * 16384 + i];
    out[i] = (float)sqrt(sum);
}

// Float would lose what is left of the difference.
__global__ void cancels(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double small = in[i] * 1e-6;
    out[i] = (float)((exp(small) - 1.0) / small);  // undecided: CU701 (the rule's own) "in float the results differ by a relative"
}

// A double is kept.
__global__ void kept(double *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double rise = exp(-1.0 * in[i]);
    out[i] = rise;
}

void launch(unsigned char *state, int *spin, float *a, float *b, double *d)
{
    infect<<<64, 256>>>(state, a, b);
    flip<<<64, 256>>>(spin, a, 0.4f);
    walk<<<64, 256>>>(a, b, 0.05f, 0.2f, 1.0f);
    normalizer<<<64, 256>>>(a, b);
    norm<<<64, 256>>>(a, b);
    cancels<<<64, 256>>>(a, b);
    kept<<<64, 256>>>(d, b);
}
