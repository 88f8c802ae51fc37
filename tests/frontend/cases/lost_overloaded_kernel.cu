// One of two kernels of a name needs a header that is missing: the other one is there all the same.
// kernels: total
// lost: total "it needs `Vector3`, which did not compile"
#include <Eigen/Dense>

using Vector3 = Eigen::Matrix<float, 3, 1>;

__global__ void total(const Vector3 *in, Vector3 *out)
{
    atomicAdd(&out[0][0], in[blockIdx.x * blockDim.x + threadIdx.x][0]);
}

__global__ void total(const float *in, float *out)
{
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

void totals(const float *a, float *b) { total<<<64, 256>>>(a, b); }
