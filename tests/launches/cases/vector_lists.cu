// What a vector holds that an object, or a function, is given as a list.
#include <functional>
#include <initializer_list>
#include <numeric>
#include <vector>
__global__ void bias(float *a, const float *b, int rows, int cols, size_t n) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i % cols] + rows; }
__global__ void pooled(float *a, int planes, int h, int w, int rank) { if (threadIdx.x < planes) a[threadIdx.x] += h * w + rank; }
__global__ void grown(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1.0f; }
__global__ void of_anybody(float *a, int n, int m) { if (threadIdx.x < n) a[threadIdx.x] += m; }
class Array {
public:
    Array(std::initializer_list<int> shape) : shape_(shape) { cudaMalloc(&data_, count() * sizeof(float)); }
    int dim(int i) const { return shape_.at(i < 0 ? shape_.size() + i : i); }
    const std::vector<int> &shape() const { return shape_; }
    size_t count() const { return std::accumulate(shape_.begin(), shape_.end(), size_t{1}, std::multiplies<size_t>()); }
    size_t sum() const { size_t all = 0; for (int each : shape_) all += each; return all; }
    float *data() const { return data_; }
private:
    std::vector<int> shape_;
    float *data_ = nullptr;
};
Array made(std::initializer_list<int> shape) {
    Array result(shape);
    return result;
}
Array pool(const Array &x) {
    Array y{x.dim(0), x.dim(1), x.dim(2) / 2, x.dim(3) / 2};
    const auto &s = x.shape();
    pooled<<<y.dim(0) * s[1] / 32, 32>>>(y.data(), y.dim(0) * y.dim(1), y.dim(-2), y.shape()[3], (int)s.size());  // tried: pooled<<<4, 32>>>(planes=128, h=14, w=10, rank=4)
    return y;
}
void nobody(const Array &x) {
    of_anybody<<<64, 32>>>(x.data(), x.dim(0), x.dim(1));  // tried: of_anybody<<<64, 32>>>(n=2048, m=1152) | of_anybody<<<64, 32>>>(n=6144, m=160)
}
int main() {
    Array x = made({8, 16, 28, 20}), y{96, 640}, b({640});
    pool(x);
    bias<<<(y.count() + 255) / 256, 256>>>(y.data(), b.data(), y.dim(0), y.dim(1), y.sum());  // tried: bias<<<240, 256>>>(rows=96, cols=640, n=736)
    std::vector<int> sizes{64, 32};
    sizes.push_back(4096);
    float *a;
    cudaMalloc(&a, sizes[2] * sizeof(float));
    grown<<<sizes.back() / 64, 64>>>(a, sizes[0]);  // tried: grown<<<64, 64>>>(n=64)
}
