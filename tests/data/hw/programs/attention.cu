#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Multi-head attention forward, unfused: scores -> softmax -> weighted sum.
// Q, K, V are [heads][seq][HD], scores are [heads][seq][seq].

static constexpr int HD = 64;

namespace attn {

__global__ void scores(const float *__restrict__ q, const float *__restrict__ k, float *__restrict__ s, int seq) {
  __shared__ float qs[32][HD];
  __shared__ float ks[32][HD + 1];
  int head = blockIdx.z;
  const float *qh = q + (size_t)head * seq * HD;
  const float *kh = k + (size_t)head * seq * HD;
  int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  int tid = threadIdx.y * 32 + threadIdx.x;
  for (int i = tid; i < 32 * HD; i += 256) {
    qs[i / HD][i % HD] = qh[(size_t)r0 * HD + i];
    ks[i / HD][i % HD] = kh[(size_t)c0 * HD + i];
  }
  __syncthreads();
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int d = 0; d < HD; ++d) {
    float kv = ks[threadIdx.x][d];
#pragma unroll
    for (int r = 0; r < 4; ++r) acc[r] += qs[threadIdx.y + 8 * r][d] * kv;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
    s[((size_t)head * seq + r0 + threadIdx.y + 8 * r) * seq + c0 + threadIdx.x] = acc[r] / sqrt((double)HD);
}

__global__ void softmaxRows(float *s, int seq) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float *p = s + (size_t)row * seq;
  float m = -FLT_MAX;
  for (int i = 0; i < seq; ++i) m = fmaxf(m, p[i]);
  float sum = 0.f;
  for (int i = 0; i < seq; ++i) {
    p[i] = expf(p[i] - m);
    sum += p[i];
  }
  for (int i = 0; i < seq; ++i) p[i] /= sum;
}

__global__ void weightedSum(const float *__restrict__ s, const float *__restrict__ v, float *__restrict__ o, int seq) {
  int head = blockIdx.y, row = blockIdx.x * blockDim.y + threadIdx.y, d = threadIdx.x;
  if (row >= seq) return;
  const float *p = s + ((size_t)head * seq + row) * seq;
  const float *vh = v + (size_t)head * seq * HD;
  float acc = 0.f;
#pragma unroll 8
  for (int j = 0; j < seq; ++j)
    acc = fmaf(p[j], vh[(size_t)j * HD + d], acc);
  o[((size_t)head * seq + row) * HD + d] = acc;
}

}  // namespace attn

static void cpuRow(const float *q, const float *k, const float *v, float *o, int seq, int row) {
  std::vector<double> w(seq);
  double m = -1e30, sum = 0;
  for (int j = 0; j < seq; ++j) {
    double a = 0;
    for (int d = 0; d < HD; ++d) a += (double)q[row * HD + d] * k[j * HD + d];
    w[j] = a / std::sqrt((double)HD);
    m = std::fmax(m, w[j]);
  }
  for (auto &x : w) { x = std::exp(x - m); sum += x; }
  for (int d = 0; d < HD; ++d) {
    double a = 0;
    for (int j = 0; j < seq; ++j) a += w[j] * v[j * HD + d];
    o[d] = (float)(a / sum);
  }
}

int main(int argc, char **argv) {
  int seq = argc > 1 ? atoi(argv[1]) : 1024;
  int heads = argc > 2 ? atoi(argv[2]) : 16;
  int reps = argc > 3 ? atoi(argv[3]) : 20;
  seq = (seq + 63) / 64 * 64;
  size_t n = (size_t)heads * seq * HD, ns = (size_t)heads * seq * seq;
  std::vector<float> q(n), k(n), v(n), o(n);
  for (size_t i = 0; i < n; ++i) {
    q[i] = sinf(i * 0.37f);
    k[i] = cosf(i * 0.11f);
    v[i] = (float)(i % 97) / 97.f;
  }
  float *dq, *dk, *dv, *dout, *ds;
  cudaMalloc(&dq, n * 4); cudaMalloc(&dk, n * 4); cudaMalloc(&dv, n * 4); cudaMalloc(&dout, n * 4);
  cudaMalloc(&ds, ns * 4);
  cudaMemcpy(dq, q.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dk, k.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice);

  auto forward = [&]() {
    attn::scores<<<dim3(seq / 32, seq / 32, heads), dim3(32, 8)>>>(dq, dk, ds, seq);
    attn::softmaxRows<<<heads * seq / 64, 64>>>(ds, seq);
    attn::weightedSum<<<dim3(seq / 4, heads), dim3(HD, 4)>>>(ds, dv, dout, seq);
  };

  forward();
  cudaMemcpy(o.data(), dout, n * 4, cudaMemcpyDeviceToHost);
  float err = 0, ref[HD];
  for (int h = 0; h < heads; ++h)
    for (int row = 0; row < seq; row += 191) {
      size_t base = (size_t)h * seq * HD;
      cpuRow(&q[base], &k[base], &v[base], ref, seq, row);
      for (int d = 0; d < HD; ++d) err = fmaxf(err, fabsf(ref[d] - o[base + (size_t)row * HD + d]));
    }
  printf("%s max err %g\n", err < 1e-3f ? "PASS" : "FAIL", err);

  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) forward();
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  printf("seq %d heads %d: %.3f ms\n", seq, heads, ms / reps);
  return 0;
}
