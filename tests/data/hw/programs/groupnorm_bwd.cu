// Backward pass of group normalisation, NCHW float.
// ./groupnorm_bwd <N> <C> <HW> <groups> <repeat>   e.g. ./groupnorm_bwd 32 128 1024 32 20
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>
#include <cuda_runtime.h>

struct GnShape { int N, C, HW, G; };

inline void ok(cudaError_t e, const char *f, int l)
{
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e));
  exit(1);
}
#define OK(x) ok((x), __FILE__, __LINE__)

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
  for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
  return v;
}

__global__ void gn_stats(const float *__restrict__ x, float *__restrict__ mean, float *__restrict__ rstd, GnShape s)
{
  const int cpg = s.C / s.G;
  const size_t base = (size_t)blockIdx.x * cpg * s.HW;
  const int len = cpg * s.HW;
  float a = 0, b = 0;
  for (int i = threadIdx.x; i < len; i += blockDim.x) {
    float v = x[base + i];
    a += v; b += v * v;
  }
  __shared__ float sa[32], sb[32];
  a = warp_sum(a); b = warp_sum(b);
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  if (lane == 0) { sa[wid] = a; sb[wid] = b; }
  __syncthreads();
  if (wid == 0) {
    a = lane < blockDim.x / 32 ? sa[lane] : 0.f;
    b = lane < blockDim.x / 32 ? sb[lane] : 0.f;
    a = warp_sum(a); b = warp_sum(b);
    if (lane == 0) {
      float m = a / len;
      mean[blockIdx.x] = m;
      rstd[blockIdx.x] = rsqrtf(b / len - m * m + 1e-5f);
    }
  }
}

__global__ void gn_param_grad(const float *dy, const float *x, const float *mean, const float *rstd,
                              float *dgamma, float *dbeta, GnShape s)
{
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t total = (size_t)s.N * s.C * s.HW;
  if (i >= total) return;
  const int c = (i / s.HW) % s.C;
  const int ng = i / ((size_t)s.HW * (s.C / s.G));
  const float xh = (x[i] - mean[ng]) * rstd[ng];
  atomicAdd(&dgamma[c], dy[i] * xh);
  atomicAdd(&dbeta[c], dy[i]);
}

__global__ void gn_group_sums(const float *dy, const float *x, const float *gamma, const float *mean,
                              const float *rstd, float *s1, float *s2, GnShape s)
{
  const int ng = blockIdx.x * blockDim.x + threadIdx.x;
  if (ng >= s.N * s.G) return;
  const int cpg = s.C / s.G;
  const int g = ng % s.G;
  float a = 0, b = 0;
  for (int c = 0; c < cpg; ++c)
    for (int k = 0; k < s.HW; ++k) {
      const size_t i = ((size_t)ng * cpg + c) * s.HW + k;
      const float d = dy[i] * gamma[g * cpg + c];
      a += d;
      b += d * (x[i] - mean[ng]) * rstd[ng];
    }
  s1[ng] = a;
  s2[ng] = b;
}

__global__ void gn_dx(const float *__restrict__ dy, const float *__restrict__ x, const float *__restrict__ gamma,
                      const float *__restrict__ mean, const float *__restrict__ rstd,
                      const float *__restrict__ s1, const float *__restrict__ s2, float *__restrict__ dx, GnShape s)
{
  const int nc = blockIdx.y;
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= s.HW) return;
  const int c = nc % s.C, n = nc / s.C;
  const int cpg = s.C / s.G, ng = n * s.G + c / cpg;
  const float inv = 1.0f / (cpg * s.HW);
  const size_t i = (size_t)nc * s.HW + k;
  const float r = rstd[ng], xh = (x[i] - mean[ng]) * r;
  dx[i] = r * (dy[i] * gamma[c] - inv * (s1[ng] + xh * s2[ng]));
}

int main(int argc, char **argv)
{
  GnShape s{32, 128, 1024, 32};
  int repeat = 20;
  if (argc == 6) { s.N = atoi(argv[1]); s.C = atoi(argv[2]); s.HW = atoi(argv[3]); s.G = atoi(argv[4]); repeat = atoi(argv[5]); }
  const size_t n = (size_t)s.N * s.C * s.HW;
  const int groups = s.N * s.G;
  std::vector<float> hx(n), hdy(n), hg(s.C), hdx(n), hdb(s.C);
  std::mt19937 gen(1);
  std::normal_distribution<float> nd;
  for (auto &v : hx) v = nd(gen);
  for (auto &v : hdy) v = nd(gen);
  for (auto &v : hg) v = 1.0f + 0.1f * nd(gen);

  float *x, *dy, *dx, *gamma, *dg, *db, *mean, *rstd, *s1, *s2;
  OK(cudaMalloc(&x, n * 4)); OK(cudaMalloc(&dy, n * 4)); OK(cudaMalloc(&dx, n * 4));
  OK(cudaMalloc(&gamma, s.C * 4)); OK(cudaMalloc(&dg, s.C * 4)); OK(cudaMalloc(&db, s.C * 4));
  OK(cudaMalloc(&mean, groups * 4)); OK(cudaMalloc(&rstd, groups * 4));
  OK(cudaMalloc(&s1, groups * 4)); OK(cudaMalloc(&s2, groups * 4));
  OK(cudaMemcpy(x, hx.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dy, hdy.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(gamma, hg.data(), s.C * 4, cudaMemcpyHostToDevice));

  cudaEvent_t b, e; float ms;
  OK(cudaEventCreate(&b)); OK(cudaEventCreate(&e));
  OK(cudaEventRecord(b));
  for (int r = 0; r < repeat; ++r) {
    OK(cudaMemsetAsync(dg, 0, s.C * 4));
    OK(cudaMemsetAsync(db, 0, s.C * 4));
    gn_stats<<<groups, 256>>>(x, mean, rstd, s);
    gn_param_grad<<<(unsigned)((n + 255) / 256), 256>>>(dy, x, mean, rstd, dg, db, s);
    gn_group_sums<<<(groups + 127) / 128, 128>>>(dy, x, gamma, mean, rstd, s1, s2, s);
    gn_dx<<<dim3((s.HW + 255) / 256, s.N * s.C), 256>>>(dy, x, gamma, mean, rstd, s1, s2, dx, s);
  }
  OK(cudaEventRecord(e));
  OK(cudaEventSynchronize(e));
  OK(cudaEventElapsedTime(&ms, b, e));
  OK(cudaMemcpy(hdx.data(), dx, n * 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hdb.data(), db, s.C * 4, cudaMemcpyDeviceToHost));

  double err = 0, sum = 0;
  for (int c = 0; c < s.C; ++c) {
    double ref = 0;
    for (int i = 0; i < s.N; ++i)
      for (int k = 0; k < s.HW; ++k) ref += hdy[((size_t)i * s.C + c) * s.HW + k];
    err = std::max(err, std::fabs(ref - hdb[c]));
  }
  for (int k = 0; k < (s.C / s.G) * s.HW; ++k) sum += hdx[k];
  printf("dbeta error %.3e, group sum of dx %.3e  %s\n", err, sum, err < 0.5 && std::fabs(sum) < 1.0 ? "PASS" : "FAIL");
  printf("%.3f ms per backward\n", ms / repeat);
  for (float *p : {x, dy, dx, gamma, dg, db, mean, rstd, s1, s2}) cudaFree(p);
  return 0;
}
