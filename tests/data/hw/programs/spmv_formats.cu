// SpMV in three storage formats: ELL, sliced ELL, CSR-scalar.  ./spmv_formats [rows] [repeat]
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

#define SLICE 32

using idx = int;

__global__ void __launch_bounds__(256)
ell_spmv(idx n, idx width, const idx *__restrict__ cols, const float *__restrict__ vals,
         const float *__restrict__ x, float *__restrict__ y)
{
  const idx row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0.f;
  for (idx k = 0; k < width; ++k) {
    const idx c = cols[k * n + row];
    if (c >= 0) sum += vals[k * n + row] * x[c];
  }
  y[row] = sum;
}

__global__ void __launch_bounds__(256)
sell_spmv(idx n, const idx *__restrict__ sptr, const idx *__restrict__ swidth,
          const idx *__restrict__ cols, const float *__restrict__ vals,
          const float *__restrict__ x, float *__restrict__ y)
{
  const idx row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  const idx slice = row / SLICE, lane = row % SLICE;
  const idx w = swidth[slice];
  const idx base = sptr[slice];
  float sum = 0.f;
  for (idx k = 0; k < w; ++k) {
    const idx e = base + lane * w + k;
    sum += vals[e] * x[cols[e]];
  }
  y[row] = sum;
}

__global__ void csr_spmv(idx n, const idx *ptr, const idx *cols, const float *vals,
                         const float *x, float *y)
{
  const idx row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  y[row] = 0.f;
  for (idx p = ptr[row]; p < ptr[row + 1]; ++p)
    y[row] += vals[p] * x[cols[p]];
}

struct Matrix {
  idx n;
  std::vector<idx> ptr, cols;
  std::vector<float> vals;
  explicit Matrix(idx n_) : n(n_), ptr(1, 0) {
    unsigned s = 7;
    for (idx r = 0; r < n; ++r) {
      s = s * 1103515245u + 12345u;
      idx len = 8 + (s >> 16) % 25;
      for (idx k = 0; k < len; ++k) {
        idx c = r + (k - len / 2) * 4;
        if (c < 0 || c >= n) continue;
        cols.push_back(c);
        vals.push_back(1.0f / (1 + k));
      }
      ptr.push_back((idx)cols.size());
    }
  }
};

template <typename T> T *dev(const std::vector<T> &v) {
  T *p = nullptr;
  if (cudaMalloc(&p, v.size() * sizeof(T)) != cudaSuccess) { fputs("out of memory\n", stderr); exit(1); }
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

static double bench(int repeat, const std::function<void()> &f)
{
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  f();
  cudaEventRecord(a);
  for (int i = 0; i < repeat; ++i) f();
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms = 0;
  cudaEventElapsedTime(&ms, a, b);
  cudaEventDestroy(a); cudaEventDestroy(b);
  return ms / repeat;
}

int main(int argc, char **argv)
{
  const idx n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  const int repeat = argc > 2 ? atoi(argv[2]) : 100;
  Matrix A(n);
  idx width = 0;
  for (idx r = 0; r < n; ++r) width = std::max(width, A.ptr[r + 1] - A.ptr[r]);
  std::vector<idx> ecol((size_t)n * width, -1), sptr, sw, scol;
  std::vector<float> eval((size_t)n * width, 0.f), sval;
  for (idx s = 0; s < n; s += SLICE) {
    idx w = 0;
    for (idx r = s; r < std::min(n, s + SLICE); ++r) w = std::max(w, A.ptr[r + 1] - A.ptr[r]);
    sptr.push_back((idx)sval.size());
    sw.push_back(w);
    for (idx r = s; r < s + SLICE; ++r)
      for (idx k = 0; k < w; ++k) {
        bool in = r < n && A.ptr[r] + k < A.ptr[r + 1];
        sval.push_back(in ? A.vals[A.ptr[r] + k] : 0.f);
        scol.push_back(in ? A.cols[A.ptr[r] + k] : 0);
        if (in) { ecol[(size_t)k * n + r] = A.cols[A.ptr[r] + k]; eval[(size_t)k * n + r] = A.vals[A.ptr[r] + k]; }
      }
  }
  std::vector<float> x(n), y(n), ref(n, 0.f);
  for (idx i = 0; i < n; ++i) x[i] = 1.0f + (i % 17) * 0.1f;
  for (idx r = 0; r < n; ++r)
    for (idx p = A.ptr[r]; p < A.ptr[r + 1]; ++p) ref[r] += A.vals[p] * x[A.cols[p]];

  idx *d_ptr = dev(A.ptr), *d_col = dev(A.cols), *d_ec = dev(ecol), *d_sp = dev(sptr), *d_sw = dev(sw), *d_sc = dev(scol);
  float *d_val = dev(A.vals), *d_ev = dev(eval), *d_sv = dev(sval), *d_x = dev(x), *d_y = dev(y);
  const int g = (n + 255) / 256;
  auto verify = [&](const char *name, double ms) {
    cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    double e = 0;
    for (idx r = 0; r < n; ++r) e = std::max(e, (double)std::fabs(y[r] - ref[r]));
    printf("%-5s %.4f ms  max error %.2e %s\n", name, ms, e, e < 1e-3 ? "PASS" : "FAIL");
  };
  verify("ELL", bench(repeat, [&] { ell_spmv<<<g, 256>>>(n, width, d_ec, d_ev, d_x, d_y); }));
  verify("SELL", bench(repeat, [&] { sell_spmv<<<g, 256>>>(n, d_sp, d_sw, d_sc, d_sv, d_x, d_y); }));
  verify("CSR", bench(repeat, [&] { csr_spmv<<<g, 256>>>(n, d_ptr, d_col, d_val, d_x, d_y); }));
  for (void *p : {(void *)d_ptr, (void *)d_col, (void *)d_ec, (void *)d_sp, (void *)d_sw, (void *)d_sc,
                  (void *)d_val, (void *)d_ev, (void *)d_sv, (void *)d_x, (void *)d_y}) cudaFree(p);
  return 0;
}
