#include "check.h"
const int T = 16;
__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float x[T][T], y[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < T; i++) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void reverse(int *p) { extern __shared__ int s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
int main() {
  const int n = 64;
  static float a[n * n], b[n * n], c[n * n];
  for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
  float *d[3];
  for (int i = 0; i < 3; i++) OK(cudaMalloc(&d[i], sizeof a));
  OK(cudaMemcpy(d[0], a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d[1], b, sizeof b, cudaMemcpyHostToDevice));
  multiply<<<dim3(n / T, n / T), dim3(T, T)>>>(d[0], d[1], d[2], n);
  OK(cudaMemcpy(c, d[2], sizeof c, cudaMemcpyDeviceToHost));
  for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {
    float want = 0;
    for (int k = 0; k < n; k++) want += a[y * n + k] * b[k * n + x];
    EXPECT(c[y * n + x] == want);
  }
  int host[100];
  for (int i = 0; i < 100; i++) host[i] = i;
  OK(cudaMemcpy(d[0], host, 400, cudaMemcpyHostToDevice));
  reverse<<<1, 100, 400>>>((int *)d[0]);
  OK(cudaMemcpy(host, d[0], 400, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; i++) EXPECT(host[i] == 99 - i);
  return 0;
}
