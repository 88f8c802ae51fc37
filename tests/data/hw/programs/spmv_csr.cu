#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>
#include <cuda_runtime.h>

namespace sparse {

struct Csr {
  int rows = 0;
  std::vector<int> ptr, col;
  std::vector<float> val;
};

// one thread per row
__global__ void spmv_scalar(int rows, const int *ptr, const int *col, const float *val,
                            const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    y[row] = 0.0f;
    for (int k = ptr[row]; k < ptr[row + 1]; k++)
      y[row] += val[k] * x[col[k]];
  }
}

// one warp per row
__global__ void spmv_vector(int rows, const int *__restrict__ ptr, const int *__restrict__ col,
                            const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y) {
  int lane = threadIdx.x & 31;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  int b = ptr[row], e = ptr[row + 1];
  float s = 0.f;
  for (int k = b + lane; k < e; k += 32)
    s += val[k] * x[col[k]];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if (lane == 0) y[row] = s;
}

__global__ void dot(const float *a, const float *b, float *out, int n) {
  __shared__ float buf[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  buf[threadIdx.x] = i < n ? a[i] * b[i] : 0.f;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0)
      buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, buf[0]);
}

__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

Csr makeRandom(int rows, int avg, unsigned seed) {
  std::mt19937 rng(seed);
  Csr m;
  m.rows = rows;
  m.ptr.push_back(0);
  std::uniform_int_distribution<int> len(avg / 2, avg * 3 / 2), c(0, rows - 1);
  std::uniform_real_distribution<float> v(-1.f, 1.f);
  for (int r = 0; r < rows; ++r) {
    int l = len(rng);
    for (int i = 0; i < l; ++i) { m.col.push_back(c(rng)); m.val.push_back(v(rng)); }
    m.ptr.push_back((int)m.col.size());
  }
  return m;
}

void reference(const Csr &m, const std::vector<float> &x, std::vector<float> &y) {
  for (int r = 0; r < m.rows; ++r) {
    double s = 0;
    for (int k = m.ptr[r]; k < m.ptr[r + 1]; ++k) s += (double)m.val[k] * x[m.col[k]];
    y[r] = (float)s;
  }
}

}  // namespace sparse

template <class T> T *upload(const std::vector<T> &v) {
  T *d;
  cudaMalloc(&d, v.size() * sizeof(T));
  cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

static int compare(const std::vector<float> &a, const std::vector<float> &b) {
  int bad = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > 1e-3f) ++bad;
  return bad;
}

int main(int argc, char *argv[]) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 200000;
  const int avg = argc > 2 ? std::atoi(argv[2]) : 60;
  const int reps = argc > 3 ? std::atoi(argv[3]) : 50;
  sparse::Csr m = sparse::makeRandom(rows, avg, 42);
  std::vector<float> x(rows), y(rows), ref(rows);
  for (int i = 0; i < rows; ++i) x[i] = 1.0f + (i % 7) * 0.25f;
  sparse::reference(m, x, ref);

  int *dptr = upload(m.ptr), *dcol = upload(m.col);
  float *dval = upload(m.val), *dx = upload(x), *dy = upload(y), *ddot;
  cudaMalloc(&ddot, sizeof(float));

  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float ms;

  const int block = 256, grid = (rows + block - 1) / block;
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) sparse::spmv_scalar<<<grid, block>>>(rows, dptr, dcol, dval, dx, dy);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
  printf("scalar: %s %.3f ms\n", compare(y, ref) ? "FAIL" : "PASS", ms / reps);

  const int vgrid = (int)(((size_t)rows * 32 + block - 1) / block);
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) sparse::spmv_vector<<<vgrid, block>>>(rows, dptr, dcol, dval, dx, dy);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
  printf("vector: %s %.3f ms\n", compare(y, ref) ? "FAIL" : "PASS", ms / reps);

  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) {
    cudaMemsetAsync(ddot, 0, sizeof(float));
    sparse::dot<<<grid, block>>>(dx, dy, ddot, rows);
    sparse::axpy<<<grid, block>>>(1e-6f, dy, dx, rows);
  }
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  printf("dot+axpy: %.3f ms\n", ms / reps);
  return 0;
}
