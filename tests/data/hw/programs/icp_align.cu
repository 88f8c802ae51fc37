// Point-to-point ICP registration of two lidar scans (yaw + translation).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define CUDA_TRY(...) do { cudaError_t _e = (__VA_ARGS__); if (_e != cudaSuccess) { \
    std::printf("CUDA error %d (%s) at line %d\n", int(_e), cudaGetErrorString(_e), __LINE__); std::exit(2); } } while (false)

struct Pose { float c, s, tx, ty, tz; };

template <typename T>
class DevVec {
    T* p_{};
    size_t n_{};
public:
    DevVec() = default;
    explicit DevVec(size_t n) : n_(n) { CUDA_TRY(cudaMalloc((void**)&p_, n * sizeof(T))); }
    explicit DevVec(const std::vector<T>& v) : DevVec(v.size()) { CUDA_TRY(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
    ~DevVec() { if (p_) cudaFree(p_); }
    DevVec(const DevVec&) = delete;
    operator T*() const { return p_; }
    size_t size() const { return n_; }
    void zero() { CUDA_TRY(cudaMemset(p_, 0, n_ * sizeof(T))); }
    T at(size_t i) const { T t; CUDA_TRY(cudaMemcpy(&t, p_ + i, sizeof(T), cudaMemcpyDeviceToHost)); return t; }
};

__global__ void transform_points(const float* __restrict__ in, float* __restrict__ out, int n, Pose T)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = T.c * x - T.s * y + T.tx;
    out[3 * i + 1] = T.s * x + T.c * y + T.ty;
    out[3 * i + 2] = z + T.tz;
}

__global__ void nearest_brute(const float* __restrict__ src, const float* __restrict__ dst, int* __restrict__ match, float* __restrict__ dist, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int arg = -1;
    for (int j = 0; j < m; ++j) {
        float dx = dst[3 * j] - src[3 * i];
        float dy = dst[3 * j + 1] - src[3 * i + 1];
        float dz = dst[3 * j + 2] - src[3 * i + 2];
        float d = sqrtf(dx * dx + dy * dy + dz * dz);
        if (d < best) { best = d; arg = j; }
    }
    match[i] = arg;
    dist[i] = best;
}

__global__ void accumulate_sums(const float* __restrict__ src, const float* __restrict__ dst, const int* __restrict__ match,
                                const float* __restrict__ dist, float* __restrict__ sums, int n, float reject)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (dist[i] > reject) return;
    int j = match[i];
    atomicAdd(&sums[0], 1.f);
    atomicAdd(&sums[1], src[3 * i]);
    atomicAdd(&sums[2], src[3 * i + 1]);
    atomicAdd(&sums[3], src[3 * i + 2]);
    atomicAdd(&sums[4], dst[3 * j]);
    atomicAdd(&sums[5], dst[3 * j + 1]);
    atomicAdd(&sums[6], dst[3 * j + 2]);
}

__global__ void cross_terms(const float* __restrict__ src, const float* __restrict__ dst, const int* __restrict__ match,
                            const float* __restrict__ dist, const float* __restrict__ sums, float* __restrict__ cov, int n, float reject)
{
    __shared__ float part[2][256];
    float cnt = sums[0];
    float mx = sums[1] / cnt, my = sums[2] / cnt, qx = sums[4] / cnt, qy = sums[5] / cnt;
    float a = 0.f, b = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (dist[i] > reject) continue;
        int j = match[i];
        float px = src[3 * i] - mx, py = src[3 * i + 1] - my;
        float rx = dst[3 * j] - qx, ry = dst[3 * j + 1] - qy;
        a += px * rx + py * ry;
        b += px * ry - py * rx;
    }
    part[0][threadIdx.x] = a;
    part[1][threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sa = 0.f, sb = 0.f;
        for (int k = 0; k < blockDim.x; ++k) {
            sa += part[0][k];
            sb += part[1][k];
        }
        atomicAdd(&cov[0], sa);
        atomicAdd(&cov[1], sb);
    }
}

static Pose compose(const Pose& a, const Pose& b)
{
    return Pose{a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s, a.c * b.tx - a.s * b.ty + a.tx, a.s * b.tx + a.c * b.ty + a.ty, a.tz + b.tz};
}

int main(int argc, char** argv)
{
    int n = 8192, iters = 12;
    float yaw = 0.03f;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) iters = atoi(argv[2]);
    if (argc > 3) yaw = strtof(argv[3], nullptr);
    const int m = n;

    std::vector<float> target(3 * m), source(3 * n);
    unsigned s = 31337;
    auto rnd = [&s] { s = s * 1664525u + 1013904223u; return float(s >> 8) / 16777216.f; };
    for (int i = 0; i < m; ++i) {
        float t = rnd(), x, y;
        if (i % 3 == 0) { x = -10.f + 20.f * t; y = 6.f; }
        else if (i % 3 == 1) { x = 10.f; y = -6.f + 12.f * t; }
        else { x = -4.f + 3.f * cosf(6.28f * t); y = 3.f * sinf(6.28f * t); }
        target[3 * i] = x; target[3 * i + 1] = y; target[3 * i + 2] = 2.f * rnd();
    }
    const float tx = 0.12f, ty = -0.08f, c = cosf(yaw), sn = sinf(yaw);
    for (int i = 0; i < n; ++i) {
        float x = target[3 * i] - tx, y = target[3 * i + 1] - ty;
        source[3 * i] = c * x + sn * y;
        source[3 * i + 1] = -sn * x + c * y;
        source[3 * i + 2] = target[3 * i + 2];
    }
    DevVec<float> d_src(source), d_dst(target), d_cur(3 * n), d_dist(n), d_sums(7), d_cov(2);
    DevVec<int> d_match(n);
    Pose T{1.f, 0.f, 0.f, 0.f, 0.f};
    const int tb = 256;
    const int nb = (n + tb - 1) / tb;
    float err0 = 0.f, err = 0.f;
    for (int it = 0; it < iters; ++it) {
        transform_points<<<nb, tb>>>(d_src, d_cur, n, T);
        nearest_brute<<<nb, tb>>>(d_cur, d_dst, d_match, d_dist, n, m);
        d_sums.zero();
        d_cov.zero();
        accumulate_sums<<<nb, tb>>>(d_cur, d_dst, d_match, d_dist, d_sums, n, 1.0f);
        cross_terms<<<nb, tb>>>(d_cur, d_dst, d_match, d_dist, d_sums, d_cov, n, 1.0f);
        CUDA_TRY(cudaGetLastError());
        float h[7], cv[2];
        CUDA_TRY(cudaMemcpy(h, d_sums, sizeof h, cudaMemcpyDeviceToHost));
        CUDA_TRY(cudaMemcpy(cv, d_cov, sizeof cv, cudaMemcpyDeviceToHost));
        float th = atan2f(cv[1], cv[0]), cc = cosf(th), ss = sinf(th);
        float mx = h[1] / h[0], my = h[2] / h[0], qx = h[4] / h[0], qy = h[5] / h[0];
        Pose d{cc, ss, qx - (cc * mx - ss * my), qy - (ss * mx + cc * my), (h[6] - h[3]) / h[0]};
        T = compose(d, T);
        err = hypotf(T.tx - tx, T.ty - ty) + fabsf(atan2f(T.s, T.c) - yaw);
        if (it == 0) err0 = hypotf(tx, ty) + fabsf(yaw);
    }
    printf("pose error %.4f -> %.4f %s\n", err0, err, err < 0.7f * err0 ? "OK" : "FAIL");
    return err < 0.7f * err0 ? 0 : 1;
}
