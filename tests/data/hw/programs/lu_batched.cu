/* Batched small LU with partial pivoting (no library), one matrix per thread or per block.
 *   lu_batched [batch] [repeat]     100000 5
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <random>
#include <cuda_runtime.h>

template <int N>
__global__ void lu_thread(const float *A, float *LU, int *piv, int batch)
{
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  float m[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = A[(size_t)b * N * N + i * N + j];
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++)
      if (fabsf(m[i][k]) > fabsf(m[p][k])) p = i;
    piv[b * N + k] = p;
    for (int j = 0; j < N; j++) {
      float t = m[k][j];
      m[k][j] = m[p][j];
      m[p][j] = t;
    }
    float inv = 1.0f / m[k][k];
    for (int i = k + 1; i < N; i++) {
      m[i][k] *= inv;
      for (int j = k + 1; j < N; j++) m[i][j] -= m[i][k] * m[k][j];
    }
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) LU[(size_t)b * N * N + i * N + j] = m[i][j];
}

template <int N>
__global__ void lu_block(const float *__restrict__ A, float *__restrict__ LU, int *__restrict__ piv)
{
  __shared__ float s[N][N];
  __shared__ int prow;
  const int t = threadIdx.x;
  const float *a = A + (size_t)blockIdx.x * N * N;
  for (int i = 0; i < N; i++) s[i][t] = a[i * N + t];
  __syncthreads();
  for (int k = 0; k < N; k++) {
    if (t == 0) {
      int p = k;
      for (int i = k + 1; i < N; i++)
        if (fabsf(s[i][k]) > fabsf(s[p][k])) p = i;
      prow = p;
      piv[blockIdx.x * N + k] = p;
    }
    __syncthreads();
    int p = prow;
    if (p != k) {
      float tmp = s[k][t];
      s[k][t] = s[p][t];
      s[p][t] = tmp;
    }
    __syncthreads();
    if (t > k) {
      float l = s[t][k] / s[k][k];
      for (int j = k + 1; j < N; j++) s[t][j] -= l * s[k][j];
      s[t][k] = l;
    }
    __syncthreads();
  }
  for (int i = 0; i < N; i++) LU[(size_t)blockIdx.x * N * N + i * N + t] = s[i][t];
}

template <int N>
static double verify(const std::vector<float> &A, const std::vector<float> &LU, const std::vector<int> &piv, int count)
{
  double worst = 0.0;
  for (int b = 0; b < count; b++) {
    std::vector<float> P(A.begin() + (size_t)b * N * N, A.begin() + (size_t)(b + 1) * N * N);
    for (int k = 0; k < N; k++) {
      int p = piv[b * N + k];
      for (int j = 0; j < N; j++) std::swap(P[k * N + j], P[p * N + j]);
    }
    const float *f = &LU[(size_t)b * N * N];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double acc = 0.0;
        for (int k = 0; k <= (i < j ? i : j); k++) acc += (k == i ? 1.0 : (double)f[i * N + k]) * f[k * N + j];
        worst = std::fmax(worst, std::fabs(acc - P[i * N + j]));
      }
  }
  return worst;
}

template <int N, typename F>
static void run(const char *name, int batch, int repeat, F launch)
{
  std::vector<float> A((size_t)batch * N * N), LU(A.size());
  std::vector<int> piv((size_t)batch * N);
  std::mt19937 g(N);
  std::uniform_real_distribution<float> U(-1.0f, 1.0f);
  for (auto &v : A) v = U(g);
  float *dA, *dL; int *dP;
  cudaMalloc(&dA, A.size() * sizeof(float));
  cudaMalloc(&dL, A.size() * sizeof(float));
  cudaMalloc(&dP, piv.size() * sizeof(int));
  cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t t0, t1;
  cudaEventCreate(&t0); cudaEventCreate(&t1);
  cudaEventRecord(t0);
  for (int r = 0; r < repeat; r++) launch(dA, dL, dP);
  cudaEventRecord(t1);
  cudaEventSynchronize(t1);
  float ms = 0;
  cudaEventElapsedTime(&ms, t0, t1);
  cudaMemcpy(LU.data(), dL, LU.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(piv.data(), dP, piv.size() * sizeof(int), cudaMemcpyDeviceToHost);
  double e = verify<N>(A, LU, piv, batch < 200 ? batch : 200);
  printf("%-12s n=%d batch=%d  %.4f ms  error %.2e %s\n", name, N, batch, ms / repeat, e, e < 1e-2 ? "PASS" : "FAIL");
  cudaFree(dA); cudaFree(dL); cudaFree(dP);
}

int main(int argc, char **argv)
{
  const int batch = argc > 1 ? atoi(argv[1]) : 100000;
  const int repeat = argc > 2 ? atoi(argv[2]) : 5;
  run<12>("per-thread", batch, repeat, [&](float *a, float *l, int *p) {
    lu_thread<12><<<(batch + 127) / 128, 128>>>(a, l, p, batch);
  });
  const int big = batch / 4;
  run<32>("per-block", big, repeat, [&](float *a, float *l, int *p) {
    lu_block<32><<<big, 32>>>(a, l, p);
  });
  return cudaGetLastError() != cudaSuccess;
}
