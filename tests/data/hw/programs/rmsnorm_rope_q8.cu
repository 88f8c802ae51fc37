// Building blocks of a transformer decoder layer: RMSNorm -> rotary embedding -> int8 group quantisation
// usage: rmsnorm_rope_q8 [tokens=4096] [dim=4096] [heads=32] [iters=20]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CALL(e) if (auto s_ = (e); s_) { printf("error %d (%s) line %d\n", s_, cudaGetErrorString(s_), __LINE__); exit(1); }

constexpr int NT = 256;
constexpr int QK = 32;

template <int THREADS>
__device__ float block_sum(float v)
{
    __shared__ float s[THREADS / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = s[0];
#pragma unroll
    for (int i = 1; i < THREADS / 32; ++i) v += s[i];
    return v;
}

__global__ void rmsnorm(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int dim, float eps)
{
    const size_t row = blockIdx.x;
    const float4 *xr = reinterpret_cast<const float4 *>(x + row * dim);
    float ss = 0.f;
    for (int i = threadIdx.x; i < dim / 4; i += NT) {
        float4 v = xr[i];
        ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float scale = rsqrtf(block_sum<NT>(ss) / dim + eps);
    for (int i = threadIdx.x; i < dim / 4; i += NT) {
        float4 v = xr[i];
        float4 g = reinterpret_cast<const float4 *>(w)[i];
        v.x *= scale * g.x; v.y *= scale * g.y; v.z *= scale * g.z; v.w *= scale * g.w;
        reinterpret_cast<float4 *>(y + row * dim)[i] = v;
    }
}

__global__ void rope(float *q, int dim, int head_dim, float base)
{
    const int token = blockIdx.y;
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= dim / 2) return;
    const int half = head_dim / 2;
    const int head = pair / half, k = pair % half;
    const float inv_freq = pow(base, -2.0 * k / head_dim);
    float sn, cs;
    sincosf(token * inv_freq, &sn, &cs);
    float *p = q + (size_t)token * dim + head * head_dim + k;
    const float a = p[0], b = p[half];
    p[0] = a * cs - b * sn;
    p[half] = a * sn + b * cs;
}

__global__ void quantize_q8(const float *__restrict__ y, int8_t *__restrict__ q, float *__restrict__ scales, int ngroups)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= ngroups) return;
    const float *src = y + (size_t)g * QK;
    float m = 0.f;
    for (int i = 0; i < QK; ++i) m = fmaxf(m, fabsf(src[i]));
    const float s = fmaxf(m, 1e-12f) / 127.f;
    const float inv = 1.f / s;
    scales[g] = s;
    for (int i = 0; i < QK; ++i) q[(size_t)g * QK + i] = (int8_t)rintf(src[i] * inv);
}

int main(int argc, char **argv)
{
    const int tokens = argc > 1 ? atoi(argv[1]) : 4096;
    const int dim = argc > 2 ? atoi(argv[2]) : 4096;
    const int heads = argc > 3 ? atoi(argv[3]) : 32;
    const int iters = argc > 4 ? atoi(argv[4]) : 20;
    const size_t n = (size_t)tokens * dim;
    std::vector<float> hx(n), hw(dim), hs(n / QK);
    std::vector<int8_t> hq(n);
    for (size_t i = 0; i < n; ++i) hx[i] = std::sin(0.37f * (i % 9973)) + 0.1f;
    for (int i = 0; i < dim; ++i) hw[i] = 1.0f + 0.001f * (i % 10);

    float *x, *w, *y, *sc; int8_t *q;
    CUDA_CALL(cudaMalloc(&x, n * sizeof(float)));
    CUDA_CALL(cudaMalloc(&y, n * sizeof(float)));
    CUDA_CALL(cudaMalloc(&w, dim * sizeof(float)));
    CUDA_CALL(cudaMalloc(&sc, n / QK * sizeof(float)));
    CUDA_CALL(cudaMalloc(&q, n));
    CUDA_CALL(cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMemcpy(w, hw.data(), dim * sizeof(float), cudaMemcpyHostToDevice));

    cudaStream_t st;
    CUDA_CALL(cudaStreamCreate(&st));
    cudaEvent_t e0, e1;
    CUDA_CALL(cudaEventCreate(&e0)); CUDA_CALL(cudaEventCreate(&e1));
    CUDA_CALL(cudaEventRecord(e0, st));
    for (int it = 0; it < iters; ++it) {
        rmsnorm<<<tokens, NT, 0, st>>>(x, w, y, dim, 1e-5f);
        rope<<<dim3((dim / 2 + NT - 1) / NT, tokens), NT, 0, st>>>(y, dim, dim / heads, 10000.f);
        quantize_q8<<<(unsigned)((n / QK + NT - 1) / NT), NT, 0, st>>>(y, q, sc, (int)(n / QK));
    }
    CUDA_CALL(cudaEventRecord(e1, st));
    CUDA_CALL(cudaEventSynchronize(e1));
    float ms;
    CUDA_CALL(cudaEventElapsedTime(&ms, e0, e1));
    CUDA_CALL(cudaMemcpy(hq.data(), q, n, cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(hs.data(), sc, hs.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0;
    const int hd = dim / heads;
    for (int t = 0; t < tokens; t += 511) {
        double ss = 0;
        for (int i = 0; i < dim; ++i) ss += (double)hx[(size_t)t * dim + i] * hx[(size_t)t * dim + i];
        double r = 1.0 / std::sqrt(ss / dim + 1e-5);
        for (int k = 0; k < hd / 2; ++k) {
            double a = hx[(size_t)t * dim + k] * r * hw[k], b = hx[(size_t)t * dim + k + hd / 2] * r * hw[k + hd / 2];
            double f = t * std::pow(10000.0, -2.0 * k / hd);
            double ref = a * std::cos(f) - b * std::sin(f);
            double s = hs[((size_t)t * dim + k) / QK];
            worst = std::fmax(worst, std::fabs(ref - (double)hq[(size_t)t * dim + k] * s) / s);
        }
    }
    printf("max error %.3f quant steps %s; %.3f ms per pass\n", worst, worst < 1.0 ? "PASS" : "FAIL", ms / iters);
    cudaFree(x); cudaFree(y); cudaFree(w); cudaFree(sc); cudaFree(q);
    cudaStreamDestroy(st);
    return 0;
}
