/* Sparse lower triangular solve, level-set scheduling, CSR input.
 * Default problem: 5-point Laplacian factor pattern on a 1024 x 1024 grid.
 * build: nvcc -O3 -arch=sm_80 sptrsv_levels.cu        run: ./a.out [grid edge]
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <numeric>
#include <chrono>
#include <cuda_runtime.h>

#define CHK(x) if ((x) != cudaSuccess) { printf("cuda failure line %d\n", __LINE__); exit(1); }

struct Csr {
  int n;
  std::vector<int> ptr, col;
  std::vector<double> val;
};

template <typename T>
__global__ void solve_level(const int *rows, int nrows, const int *ptr, const int *col,
                            const T *val, const T *b, T *x, int *done)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nrows) return;
  int r = rows[k];
  T s = b[r];
  T diag = T(1);
  for (int p = ptr[r]; p < ptr[r + 1]; ++p) {
    int c = col[p];
    if (c == r) diag = val[p];
    else s -= val[p] * x[c];
  }
  x[r] = s / diag;
  atomicAdd(done, 1);
}

template <typename T>
__global__ void residual(const int *ptr, const int *col, const T *val, const T *b, const T *x,
                         T *maxres, int n)
{
  __shared__ T red[256];
  T worst = 0;
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += gridDim.x * blockDim.x) {
    T s = b[r];
    for (int p = ptr[r]; p < ptr[r + 1]; ++p) s -= val[p] * x[col[p]];
    worst = fmax(worst, fabs(s));
  }
  red[threadIdx.x] = worst;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) worst = fmax(worst, red[t]);
    maxres[blockIdx.x] = worst;
  }
}

static Csr laplace_lower(int m)
{
  Csr A;
  A.n = m * m;
  A.ptr.push_back(0);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      int r = j * m + i;
      if (j > 0) { A.col.push_back(r - m); A.val.push_back(-1.0); }
      if (i > 0) { A.col.push_back(r - 1); A.val.push_back(-1.0); }
      A.col.push_back(r); A.val.push_back(4.0);
      A.ptr.push_back((int)A.col.size());
    }
  return A;
}

static int build_levels(const Csr &A, std::vector<int> &order, std::vector<int> &start)
{
  std::vector<int> lev(A.n, 0);
  int nlev = 0;
  for (int r = 0; r < A.n; ++r) {
    for (int p = A.ptr[r]; p < A.ptr[r + 1]; ++p)
      if (A.col[p] != r) lev[r] = std::max(lev[r], lev[A.col[p]] + 1);
    nlev = std::max(nlev, lev[r] + 1);
  }
  order.resize(A.n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return lev[a] < lev[b]; });
  start.assign(nlev + 1, 0);
  for (int r = 0; r < A.n; ++r) start[lev[r] + 1]++;
  for (int l = 0; l < nlev; ++l) start[l + 1] += start[l];
  return nlev;
}

template <typename T>
static T *upload(const std::vector<T> &v)
{
  T *d;
  CHK(cudaMalloc((void **)&d, v.size() * sizeof(T)));
  CHK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

int main(int argc, char **argv)
{
  const int m = argc > 1 ? atoi(argv[1]) : 1024;
  Csr A = laplace_lower(m);
  std::vector<int> order, start;
  const int nlev = build_levels(A, order, start);
  std::vector<double> b(A.n, 1.0), x(A.n, 0.0);

  int *ptr = upload(A.ptr), *col = upload(A.col), *ord = upload(order);
  double *val = upload(A.val), *db = upload(b), *dx = upload(x);
  int *done;
  CHK(cudaMalloc((void **)&done, sizeof(int)));
  CHK(cudaMemset(done, 0, sizeof(int)));

  int finished = 0;
  auto t0 = std::chrono::steady_clock::now();
  for (int l = 0; l < nlev; ++l) {
    const int nr = start[l + 1] - start[l];
    const int tpb = 32;
    solve_level<double><<<(nr + tpb - 1) / tpb, tpb>>>(ord + start[l], nr, ptr, col, val, db, dx, done);
    CHK(cudaMemcpy(&finished, done, sizeof(int), cudaMemcpyDeviceToHost));
  }
  CHK(cudaDeviceSynchronize());
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();

  double *mr;
  CHK(cudaMalloc((void **)&mr, 64 * sizeof(double)));
  residual<double><<<64, 256>>>(ptr, col, val, db, dx, mr, A.n);
  std::vector<double> hm(64);
  CHK(cudaMemcpy(hm.data(), mr, 64 * sizeof(double), cudaMemcpyDeviceToHost));
  double worst = *std::max_element(hm.begin(), hm.end());
  printf("rows %d of %d, levels %d, max residual %.3e %s\n", finished, A.n, nlev, worst,
         worst < 1e-10 && finished == A.n ? "PASS" : "FAIL");
  printf("solve time %.3f ms\n", ms);
  cudaFree(ptr); cudaFree(col); cudaFree(ord); cudaFree(val);
  cudaFree(db); cudaFree(dx); cudaFree(done); cudaFree(mr);
  return 0;
}
