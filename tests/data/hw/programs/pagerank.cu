// Push-style PageRank on a synthetic power-law graph held in CSR form.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <memory>
#include <vector>

#define GPU(call) gpu_assert((call), __FILE__, __LINE__)
inline void gpu_assert(cudaError_t c, const char* f, int l)
{
    if (c != cudaSuccess) { printf("%s at %s:%d\n", cudaGetErrorString(c), f, l); exit(EXIT_FAILURE); }
}

struct CudaDeleter { void operator()(void* p) const { cudaFree(p); } };
template <typename T> using dev_ptr = std::unique_ptr<T[], CudaDeleter>;

template <typename T> dev_ptr<T> make_dev(size_t n)
{
    T* p = nullptr;
    GPU(cudaMalloc(&p, n * sizeof(T)));
    return dev_ptr<T>(p);
}
template <typename T> dev_ptr<T> upload(const std::vector<T>& v)
{
    auto d = make_dev<T>(v.size());
    GPU(cudaMemcpy(d.get(), v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

__global__ void init_rank(float* __restrict__ rank, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        rank[i] = 1.0f / n;
}

__global__ void push_contrib(const int* __restrict__ row, const int* __restrict__ col,
                             const float* __restrict__ rank, float* __restrict__ next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int beg = row[v], end = row[v + 1];
    if (beg == end) return;
    float share = rank[v] / (end - beg);
    for (int e = beg; e < end; ++e)
        atomicAdd(&next[col[e]], share);
}

__global__ void dangling_mass(const int* __restrict__ row, const float* __restrict__ rank, float* mass, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && row[v] == row[v + 1])
        atomicAdd(mass, rank[v]);
}

__global__ void apply_damping(float* __restrict__ next, const float* __restrict__ mass, float damping, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    next[v] = (1.0f - damping) / n + damping * (next[v] + *mass / n);
}

__global__ void l1_delta(const float* __restrict__ a, const float* __restrict__ b, float* delta, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        atomicAdd(delta, fabsf(a[v] - b[v]));
}

class PageRank {
public:
    PageRank(const std::vector<int>& row, const std::vector<int>& col)
        : n_(int(row.size()) - 1), row_(upload(row)), col_(upload(col)),
          cur_(make_dev<float>(n_)), next_(make_dev<float>(n_)), scal_(make_dev<float>(2)) {}

    float run(int max_iter, float damping, float tol, int& iters)
    {
        const int tb = 256, nb = (n_ + tb - 1) / tb;
        init_rank<<<264, tb>>>(cur_.get(), n_);
        float delta = 1.f;
        for (iters = 0; iters < max_iter && delta > tol; ++iters) {
            GPU(cudaMemset(next_.get(), 0, n_ * sizeof(float)));
            GPU(cudaMemset(scal_.get(), 0, 2 * sizeof(float)));
            push_contrib<<<nb, tb>>>(row_.get(), col_.get(), cur_.get(), next_.get(), n_);
            dangling_mass<<<nb, tb>>>(row_.get(), cur_.get(), scal_.get(), n_);
            apply_damping<<<nb, tb>>>(next_.get(), scal_.get(), damping, n_);
            l1_delta<<<nb, tb>>>(cur_.get(), next_.get(), scal_.get() + 1, n_);
            GPU(cudaGetLastError());
            GPU(cudaMemcpy(&delta, scal_.get() + 1, sizeof delta, cudaMemcpyDeviceToHost));
            std::swap(cur_, next_);
        }
        return delta;
    }
    std::vector<float> ranks() const
    {
        std::vector<float> r(n_);
        GPU(cudaMemcpy(r.data(), cur_.get(), n_ * sizeof(float), cudaMemcpyDeviceToHost));
        return r;
    }
private:
    int n_;
    dev_ptr<int> row_, col_;
    dev_ptr<float> cur_, next_, scal_;
};

int main(int argc, char** argv)
{
    const int scale = argc > 1 ? atoi(argv[1]) : 18;
    const int max_iter = argc > 2 ? atoi(argv[2]) : 20;
    const float damping = argc > 3 ? float(atof(argv[3])) : 0.85f;
    const int n = 1 << scale;

    std::vector<int> row(n + 1, 0), col;
    unsigned s = 2463534242u;
    auto next = [&s]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int v = 0; v < n; ++v) {
        int deg = 2 + int(next() % 12);
        if (v % 1024 == 7) deg = 0;
        else if (v % 4096 == 11) deg = 4096;
        else if (v % 97 == 3) deg = 120;
        for (int k = 0; k < deg; ++k) {
            unsigned r = next();
            int dst = (r & 3) == 0 ? int((r >> 8) % 64) : int((r >> 4) % unsigned(n));
            col.push_back(dst);
        }
        row[v + 1] = int(col.size());
    }
    printf("%d vertices, %zu edges\n", n, col.size());

    PageRank pr(row, col);
    int iters = 0;
    float delta = pr.run(max_iter, damping, 1e-6f, iters);
    auto r = pr.ranks();
    double sum = 0;
    for (float x : r) sum += x;
    printf("iterations %d delta %.3e sum %.6f %s\n", iters, delta, sum, fabs(sum - 1.0) < 2e-2 ? "OK" : "FAIL");
    return fabs(sum - 1.0) < 2e-2 ? 0 : 1;
}
