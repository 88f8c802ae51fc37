// Multi-head self attention forward pass (scores, softmax, weighted values, output projection).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <getopt.h>
#include <vector>

#define CHECK_CUDA(x)                                                                   \
    {                                                                                   \
        cudaError_t st = (x);                                                           \
        if (st != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(st));        \
            std::exit(1);                                                               \
        }                                                                               \
    }

struct Config { int batch = 2, heads = 8, seq = 512, dim = 64; };

struct Tensor {
    float* d = nullptr;
    size_t n = 0;
    Tensor(size_t n_) : n(n_) { CHECK_CUDA(cudaMalloc(&d, n * sizeof(float))); }
    ~Tensor() { cudaFree(d); }
    void fill(unsigned seed, float scale)
    {
        std::vector<float> h(n);
        for (auto& v : h) { seed = seed * 1664525u + 1013904223u; v = scale * (float(seed >> 9) / 4194304.f - 1.f); }
        CHECK_CUDA(cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    }
};

__global__ void qk_scores(const float* __restrict__ q, const float* __restrict__ k, float* __restrict__ s, int seq, int dim, float scale)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    size_t base = size_t(blockIdx.z) * seq * dim;
    if (j >= seq) return;
    float acc = 0.f;
    for (int d = 0; d < dim; ++d)
        acc += q[base + i * dim + d] * k[base + j * dim + d];
    s[(size_t(blockIdx.z) * seq + i) * seq + j] = acc * scale;
}

__global__ void softmax_rows(float* __restrict__ s, int seq)
{
    extern __shared__ float red[];
    float* row = s + size_t(blockIdx.x) * seq;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < seq; j += blockDim.x) m = fmaxf(m, row[j]);
    red[threadIdx.x] = m;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int j = threadIdx.x; j < seq; j += blockDim.x) {
        float e = __expf(row[j] - m);
        row[j] = e;
        sum += e;
    }
    red[threadIdx.x] = sum;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) red[threadIdx.x] += red[threadIdx.x + w];
        __syncthreads();
    }
    float inv = 1.f / red[0];
    for (int j = threadIdx.x; j < seq; j += blockDim.x) row[j] *= inv;
}

__global__ void weighted_values(const float* __restrict__ p, const float* __restrict__ v, float* __restrict__ o, int seq, int dim, int heads)
{
    int d = threadIdx.x;
    int i = blockIdx.x;
    int bh = blockIdx.y, b = bh / heads, h = bh % heads;
    const float* prow = p + (size_t(bh) * seq + i) * seq;
    const float* vb = v + size_t(bh) * seq * dim;
    float acc = 0.f;
    for (int j = 0; j < seq; ++j)
        acc += prow[j] * vb[j * dim + d];
    o[(size_t(b) * seq + i) * heads * dim + h * dim + d] = acc;
}

__global__ void project_out(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int rows, int n)
{
    __shared__ float xs[32][32];
    __shared__ float ws[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * 32 + ty, c = blockIdx.x * 32 + tx;
    float acc = 0.f;
    for (int k0 = 0; k0 < n; k0 += 32) {
        xs[ty][tx] = r < rows ? x[size_t(r) * n + k0 + tx] : 0.f;
        ws[ty][tx] = w[size_t(blockIdx.x * 32 + ty) * n + k0 + tx];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            acc += xs[ty][k] * ws[tx][k];
        __syncthreads();
    }
    if (r < rows) y[size_t(r) * n + c] = acc;
}

int main(int argc, char** argv)
{
    Config cfg;
    static option longopts[] = {{"batch", required_argument, nullptr, 'b'}, {"heads", required_argument, nullptr, 'a'},
                                {"seq", required_argument, nullptr, 's'}, {nullptr, 0, nullptr, 0}};
    for (int c; (c = getopt_long(argc, argv, "b:a:s:", longopts, nullptr)) != -1;) {
        if (c == 'b') cfg.batch = std::atoi(optarg);
        else if (c == 'a') cfg.heads = std::atoi(optarg);
        else if (c == 's') cfg.seq = std::atoi(optarg);
        else return 2;
    }
    const int bh = cfg.batch * cfg.heads, model = cfg.heads * cfg.dim, rows = cfg.batch * cfg.seq;
    const size_t qkv = size_t(bh) * cfg.seq * cfg.dim;
    Tensor q(qkv), k(qkv), v(qkv), s(size_t(bh) * cfg.seq * cfg.seq), o(size_t(rows) * model), w(size_t(model) * model), y(size_t(rows) * model);
    q.fill(1, 1.f); k.fill(2, 1.f); v.fill(3, 1.f); w.fill(4, 0.05f);

    qk_scores<<<dim3((cfg.seq + 127) / 128, cfg.seq, bh), 128>>>(q.d, k.d, s.d, cfg.seq, cfg.dim, 1.f / sqrtf((float)cfg.dim));
    softmax_rows<<<bh * cfg.seq, 128, 128 * sizeof(float)>>>(s.d, cfg.seq);
    weighted_values<<<dim3(cfg.seq, bh), cfg.dim>>>(s.d, v.d, o.d, cfg.seq, cfg.dim, cfg.heads);
    project_out<<<dim3(model / 32, (rows + 31) / 32), dim3(32, 32)>>>(o.d, w.d, y.d, rows, model);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());

    std::vector<float> hs(cfg.seq), ho(model), hy(1), hw(model);
    CHECK_CUDA(cudaMemcpy(hs.data(), s.d, cfg.seq * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(ho.data(), o.d, model * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(hw.data(), w.d + size_t(5) * model, model * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(hy.data(), y.d + 5, sizeof(float), cudaMemcpyDeviceToHost));
    double psum = 0, ref = 0;
    for (float x : hs) psum += x;
    for (int i = 0; i < model; ++i) ref += double(ho[i]) * hw[i];
    bool good = fabs(psum - 1.0) < 1e-3 && fabs(ref - hy[0]) < 1e-4;
    printf("row sum %.6f, y %.6f ref %.6f %s\n", psum, hy[0], ref, good ? "OK" : "FAIL");
    return good ? 0 : 1;
}
