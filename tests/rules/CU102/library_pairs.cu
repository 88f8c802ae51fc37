// A structure that may be a library's, whose declaration is not the program's to change.
namespace lib {
struct vec2 {
    float x, y;
};
}

__global__ void lengths(float *out, const lib::vec2 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x * in[i].x + in[i].y * in[i].y;  // expect: CU102 "read a library's as one `float2`"
}

template <typename T>
__global__ void sums(float *out, const T *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x + in[i].y;  // expect: CU102 "read a library's as one `float2`"
}

void launch(float *out, const lib::vec2 *in)
{
    lengths<<<1024, 256>>>(out, in);
    sums<<<1024, 256>>>(out, in);
}
