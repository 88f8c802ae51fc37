#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr float kEps = 1e-5f;

template <int BLOCK>
__device__ float blockSum(float v) {
  __shared__ float part[BLOCK / 32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  float s = 0.f;
#pragma unroll
  for (int i = 0; i < BLOCK / 32; ++i) s += part[i];
  return s;
}

template <int BLOCK>
__global__ void layerNormFwd(const float *__restrict__ x, const float *__restrict__ gamma,
                             const float *__restrict__ beta, float *__restrict__ y,
                             float *__restrict__ mean, float *__restrict__ rstd, int d) {
  const float *row = x + (size_t)blockIdx.x * d;
  float s = 0.f;
  for (int i = threadIdx.x; i < d; i += BLOCK) s += row[i];
  float mu = blockSum<BLOCK>(s) / d;
  float v = 0.f;
  for (int i = threadIdx.x; i < d; i += BLOCK) {
    float t = row[i] - mu;
    v += t * t;
  }
  float var = blockSum<BLOCK>(v) / d;
  for (int i = threadIdx.x; i < d; i += BLOCK)
    y[(size_t)blockIdx.x * d + i] = (row[i] - mu) / sqrtf(var + kEps) * gamma[i] + beta[i];
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = mu;
    rstd[blockIdx.x] = rsqrtf(var + kEps);
  }
}

// dgamma / dbeta: reduce over rows
__global__ void layerNormBwdParams(const float *dy, const float *x, const float *mean, const float *rstd,
                                   float *dgamma, float *dbeta, int rows, int d) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= d) return;
  dgamma[c] = 0.f;
  dbeta[c] = 0.f;
  for (int r = 0; r < rows; ++r) {
    float g = dy[(size_t)r * d + c];
    dgamma[c] += g * (x[(size_t)r * d + c] - mean[r]) * rstd[r];
    dbeta[c] += g;
  }
}

__global__ void layerNormBwdInput(const float *dy, const float *x, const float *gamma, const float *mean,
                                  const float *rstd, float *dx, int rows, int d) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s1 = 0.f, s2 = 0.f;
  for (int i = 0; i < d; ++i) {
    float g = dy[(size_t)r * d + i] * gamma[i];
    float xh = (x[(size_t)r * d + i] - mean[r]) * rstd[r];
    s1 += g;
    s2 += g * xh;
  }
  for (int i = 0; i < d; ++i) {
    float g = dy[(size_t)r * d + i] * gamma[i];
    float xh = (x[(size_t)r * d + i] - mean[r]) * rstd[r];
    dx[(size_t)r * d + i] = rstd[r] * (g - s1 / d - xh * s2 / d);
  }
}

static void reference(const std::vector<float> &x, const std::vector<float> &g, const std::vector<float> &b,
                      std::vector<float> &y, int rows, int d) {
  for (int r = 0; r < rows; ++r) {
    double mu = 0, var = 0;
    for (int i = 0; i < d; ++i) mu += x[(size_t)r * d + i];
    mu /= d;
    for (int i = 0; i < d; ++i) var += std::pow(x[(size_t)r * d + i] - mu, 2.0);
    var /= d;
    for (int i = 0; i < d; ++i)
      y[(size_t)r * d + i] = (x[(size_t)r * d + i] - mu) / std::sqrt(var + kEps) * g[i] + b[i];
  }
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 8192;
  int d = argc > 2 ? atoi(argv[2]) : 1024;
  int reps = argc > 3 ? atoi(argv[3]) : 20;
  size_t n = (size_t)rows * d;
  std::vector<float> x(n), g(d), b(d), y(n), ref(n);
  for (size_t i = 0; i < n; ++i) x[i] = (float)((i * 2654435761u) % 1000) / 500.f - 1.f;
  for (int i = 0; i < d; ++i) { g[i] = 1.f + 0.01f * (i % 5); b[i] = 0.1f * (i % 3); }
  float *dx, *dg, *db, *dy, *dm, *dr, *ddx, *ddg, *ddb;
  cudaMalloc(&dx, n * 4); cudaMalloc(&dy, n * 4); cudaMalloc(&ddx, n * 4);
  cudaMalloc(&dg, d * 4); cudaMalloc(&db, d * 4); cudaMalloc(&ddg, d * 4); cudaMalloc(&ddb, d * 4);
  cudaMalloc(&dm, rows * 4); cudaMalloc(&dr, rows * 4);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dg, g.data(), d * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), d * 4, cudaMemcpyHostToDevice);

  layerNormFwd<256><<<rows, 256>>>(dx, dg, db, dy, dm, dr, d);
  cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost);
  reference(x, g, b, ref, rows, d);
  float err = 0;
  for (size_t i = 0; i < n; ++i) err = std::max(err, std::fabs(y[i] - ref[i]));
  printf("%s max err %g\n", err < 1e-3f ? "PASS" : "FAIL", err);

  cudaEvent_t e0, e1;
  cudaEventCreate(&e0); cudaEventCreate(&e1);
  cudaEventRecord(e0);
  for (int i = 0; i < reps; ++i) {
    layerNormFwd<256><<<rows, 256>>>(dx, dg, db, dy, dm, dr, d);
    layerNormBwdInput<<<(rows + 127) / 128, 128>>>(dy, dx, dg, dm, dr, ddx, rows, d);
    layerNormBwdParams<<<(d + 127) / 128, 128>>>(dy, dx, dm, dr, ddg, ddb, rows, d);
  }
  cudaEventRecord(e1);
  cudaEventSynchronize(e1);
  float ms;
  cudaEventElapsedTime(&ms, e0, e1);
  printf("%.3f ms/iter\n", ms / reps);
  return 0;
}
