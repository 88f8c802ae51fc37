// Constants beside a template's own type, which may be double elsewhere.
template <typename Real> __global__ void sigmoid(Real *out, const Real *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5 * tanh(0.5 * in[i]) + 0.5; // expect: CU701 "`Real(0.5)`, which is right for all"
}

// These are floats whatever the template is.
template <int SCALE> __global__ void shifted(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5 * tanh(0.5 * in[i]) + SCALE; // expect: CU701 "write `0.5f`, `tanhf`, `0.5f`"
}

void run(float *f, double *d, int n)
{
    sigmoid<float><<<256, 256>>>(f, f, n);
    sigmoid<double><<<256, 256>>>(d, d, n);
    shifted<3><<<256, 256>>>(f, f, n);
}

// The template's type is an index here: the constant would be 0 of it.
struct Point { float x; };
template <typename Index> __global__ void shrunk(Point *points, Index n)
{
    Index i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        points[i].x = 0.7 * tanhf(0.7 * points[i].x); // expect: CU701 "write `0.7f`, `0.7f`"
}

void shrink(Point *points, int n)
{
    shrunk<int><<<256, 256>>>(points, n);
}
