// A function on one line: the compiler gives its code the place where that begins.
__device__ float sigmoid(float x) { return 1.0 / (1.0 + exp(-x)); }  // expect: CU701 "`1.0`"

struct Tanh { __device__ float operator()(float x) const { return 2.0 / (1.0 + expf(-2.0f * x)) - 1.0; } };  // expect: CU701 "`2.0` and `1.0`"

template <typename F>
__global__ void apply(float *x, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = f(x[i]);
}

__global__ void sigmoids(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = sigmoid(x[i]);
}

// A float holds a pixel's numbers as well, and what comes out is as small.
__global__ void grey(const uchar4 *in, uchar4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = in[i];
    unsigned char g = 0.299 * p.x + 0.587 * p.y + 0.114 * p.z;  // expect: CU701 "`0.299`, `0.587` and `0.114`"
    out[i] = make_uchar4(g, g, g, p.w);
}

// Of an integer of 32 bits a float would round some.
__global__ void scaled(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 0.3;
}

void launch(float *x, const uchar4 *p, uchar4 *q, const int *a, int *b)
{
    apply<<<864, 256>>>(x, Tanh());
    sigmoids<<<864, 256>>>(x);
    grey<<<864, 256>>>(p, q);
    scaled<<<864, 256>>>(a, b);
}
