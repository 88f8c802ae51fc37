#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TS 16

// C[b] = A[b] * B[b]; all row-major, one tile of C per block
template <typename T>
__global__ void gemmTiled(const T *A, const T *B, T *C, int M, int N, int K) {
  __shared__ T As[TS][TS];
  __shared__ T Bs[TS][TS];
  const T *a = A + (size_t)blockIdx.z * M * K;
  const T *b = B + (size_t)blockIdx.z * K * N;
  T *c = C + (size_t)blockIdx.z * M * N;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;
  T acc = 0;
  for (int k0 = 0; k0 < K; k0 += TS) {
    As[ty][tx] = (row < M && k0 + tx < K) ? a[row * K + k0 + tx] : T(0);
    Bs[tx][ty] = (col < N && k0 + ty < K) ? b[(k0 + ty) * N + col] : T(0);
    __syncthreads();
    for (int k = 0; k < TS; ++k)
      acc += As[ty][k] * Bs[tx][k];
    __syncthreads();
  }
  if (row < M && col < N) c[row * N + col] = acc;
}

// tiny matrices: one matrix per thread block of D*D threads
template <int D>
__global__ void gemmSmall(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  __shared__ float a[D * D], b[D * D];
  size_t base = (size_t)blockIdx.x * D * D;
  int t = threadIdx.x;
  a[t] = A[base + t];
  b[t] = B[base + t];
  __syncthreads();
  int r = t / D, c = t % D;
  float s = 0.f;
#pragma unroll
  for (int k = 0; k < D; ++k) s += a[r * D + k] * b[k * D + c];
  C[base + t] = s;
}

__global__ void scaleDiag(float *C, int n, int batch) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= batch) return;
  float tr = 0.f;
  for (int i = 0; i < n; ++i) tr += C[(size_t)m * n * n + i * n + i];
  float inv = 1.0f / tr;
  for (int i = 0; i < n * n; ++i)
    C[(size_t)m * n * n + i] *= inv;
}

static void cpuGemm(const float *A, const float *B, float *C, int M, int N, int K) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float s = 0;
      for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
      C[i * N + j] = s;
    }
}

struct Timer {
  cudaEvent_t a, b;
  Timer() { cudaEventCreate(&a); cudaEventCreate(&b); }
  void start() { cudaEventRecord(a); }
  float stop() { float ms; cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&ms, a, b); return ms; }
};

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64;
  int batch = argc > 2 ? atoi(argv[2]) : 2048;
  int reps = argc > 3 ? atoi(argv[3]) : 20;
  size_t e = (size_t)n * n * batch;
  const int D = 8;
  size_t smallBatch = e / (D * D);
  std::vector<float> A(e), B(e), C(e), R((size_t)n * n);
  for (size_t i = 0; i < e; ++i) { A[i] = (i % 13) * 0.125f; B[i] = (i % 11) * 0.25f - 1.f; }
  float *dA, *dB, *dC;
  cudaMalloc(&dA, e * 4);
  cudaMalloc(&dB, e * 4);
  cudaMalloc(&dC, e * 4);
  cudaMemcpy(dA, A.data(), e * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), e * 4, cudaMemcpyHostToDevice);

  dim3 blk(TS, TS);
  dim3 grd((n + TS - 1) / TS, (n + TS - 1) / TS, batch);
  Timer t;
  int bad = 0;

  gemmTiled<float><<<grd, blk>>>(dA, dB, dC, n, n, n);
  cudaMemcpy(C.data(), dC, e * 4, cudaMemcpyDeviceToHost);
  for (int m = 0; m < batch; m += 97) {
    size_t o = (size_t)m * n * n;
    cpuGemm(&A[o], &B[o], R.data(), n, n, n);
    for (int i = 0; i < n * n; ++i) bad += std::fabs(R[i] - C[o + i]) > 1e-2f;
  }
  printf("tiled: %s\n", bad ? "FAIL" : "PASS");
  t.start();
  for (int r = 0; r < reps; ++r) gemmTiled<float><<<grd, blk>>>(dA, dB, dC, n, n, n);
  printf("  %.3f ms\n", t.stop() / reps);

  t.start();
  for (int r = 0; r < reps; ++r) scaleDiag<<<(batch + 127) / 128, 128>>>(dC, n, batch);
  printf("scale: %.3f ms\n", t.stop() / reps);

  gemmSmall<D><<<(unsigned)smallBatch, D * D>>>(dA, dB, dC);
  cudaMemcpy(C.data(), dC, e * 4, cudaMemcpyDeviceToHost);
  bad = 0;
  for (size_t m = 0; m < smallBatch; m += 1009) {
    size_t o = m * D * D;
    cpuGemm(&A[o], &B[o], R.data(), D, D, D);
    for (int i = 0; i < D * D; ++i) bad += std::fabs(R[i] - C[o + i]) > 1e-3f;
  }
  printf("small: %s\n", bad ? "FAIL" : "PASS");
  t.start();
  for (int r = 0; r < reps; ++r) gemmSmall<D><<<(unsigned)smallBatch, D * D>>>(dA, dB, dC);
  printf("  %.3f ms\n", t.stop() / reps);
  return 0;
}
