// `Op<float> op(m, scale)` reads as a function's declaration, and makes a variable.
#include <algorithm>
template <typename T> struct Op {
    Op(const T *m, float s) : m(m), s(s) {}
    __device__ T operator()(T x, int i) const { return x * s + m[i]; }
    const T *m;
    float s;
};
template <int B, typename F, typename T> __global__ void apply(F f, T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i], i % B);
}
int limit(float);

int main()
{
    int size = 4096, wanted(size);
    float *x, *m, scale = 2.0f;
    cudaMalloc(&x, wanted * 4);
    cudaMalloc(&m, wanted * 4);
    Op<float> op(m, scale);
    apply<10><<<16, 256>>>(op, x, wanted);  // tried: apply<10, Op<float>, float><<<16, 256>>>(n=4096)
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int blocks = std::min((wanted + 511) / 512, prop.maxGridSize[0]);
    apply<20><<<blocks, 512>>>(op, x, 7);  // tried: apply<20, Op<float>, float><<<8, 512>>>(n=7)
}
