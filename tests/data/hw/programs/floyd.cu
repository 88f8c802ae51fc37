#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define BLOCK 16

class ApspSolver {
 public:
  explicit ApspSolver(unsigned n) : n_(n) {
    cudaMalloc(&dist_, bytes());
    cudaMalloc(&path_, bytes());
  }
  ~ApspSolver() { cudaFree(dist_); cudaFree(path_); }
  void load(const std::vector<int> &d);
  void solve();
  void solveBlocked();
  void read(std::vector<int> &d) const { cudaMemcpy(d.data(), dist_, bytes(), cudaMemcpyDeviceToHost); }
  size_t bytes() const { return (size_t)n_ * n_ * sizeof(int); }

 private:
  unsigned n_;
  int *dist_ = nullptr;
  int *path_ = nullptr;
};

__global__ void initPath(int *path, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n) path[i] = i / n;
}

__global__ void relax(int *dist, int *path, unsigned n, unsigned k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  int old = dist[i * n + j];
  int cand = dist[i * n + k] + dist[k * n + j];
  if (cand < old) {
    dist[i * n + j] = cand;
    path[i * n + j] = k;
  }
}

__global__ void phaseDiag(int *dist, unsigned n, unsigned b) {
  __shared__ int t[BLOCK][BLOCK];
  unsigned i = b * BLOCK + threadIdx.y, j = b * BLOCK + threadIdx.x;
  t[threadIdx.y][threadIdx.x] = dist[i * n + j];
  __syncthreads();
  for (int k = 0; k < BLOCK; ++k) {
    int v = min(t[threadIdx.y][threadIdx.x], t[threadIdx.y][k] + t[k][threadIdx.x]);
    __syncthreads();
    t[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
  }
  dist[i * n + j] = t[threadIdx.y][threadIdx.x];
}

__global__ void phaseCross(int *dist, unsigned n, unsigned b) {
  if (blockIdx.x == b) return;
  __shared__ int pivot[BLOCK][BLOCK], cur[BLOCK][BLOCK];
  unsigned pi = b * BLOCK + threadIdx.y, pj = b * BLOCK + threadIdx.x;
  bool rowPhase = blockIdx.y == 0;
  unsigned i = (rowPhase ? b : blockIdx.x) * BLOCK + threadIdx.y;
  unsigned j = (rowPhase ? blockIdx.x : b) * BLOCK + threadIdx.x;
  pivot[threadIdx.y][threadIdx.x] = dist[pi * n + pj];
  int v = dist[i * n + j];
  cur[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  for (int k = 0; k < BLOCK; ++k) {
    int c = rowPhase ? pivot[threadIdx.y][k] + cur[k][threadIdx.x] : cur[threadIdx.y][k] + pivot[k][threadIdx.x];
    v = min(v, c);
    __syncthreads();
    cur[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
  }
  dist[i * n + j] = v;
}

__global__ void phaseRest(int *dist, unsigned n, unsigned b) {
  if (blockIdx.x == b || blockIdx.y == b) return;
  __shared__ int row[BLOCK][BLOCK], col[BLOCK][BLOCK];
  unsigned i = blockIdx.y * BLOCK + threadIdx.y, j = blockIdx.x * BLOCK + threadIdx.x;
  col[threadIdx.y][threadIdx.x] = dist[i * n + b * BLOCK + threadIdx.x];
  row[threadIdx.y][threadIdx.x] = dist[(b * BLOCK + threadIdx.y) * n + j];
  __syncthreads();
  int v = dist[i * n + j];
  for (int k = 0; k < BLOCK; ++k) {
    v = min(v, col[threadIdx.y][k] + row[k][threadIdx.x]);
    __syncthreads();
  }
  dist[i * n + j] = v;
}

void ApspSolver::load(const std::vector<int> &d) {
  cudaMemcpy(dist_, d.data(), bytes(), cudaMemcpyHostToDevice);
  initPath<<<(n_ * n_ + 255) / 256, 256>>>(path_, n_);
}

void ApspSolver::solve() {
  dim3 block(BLOCK, BLOCK), grid(n_ / BLOCK, n_ / BLOCK);
  for (unsigned k = 0; k < n_; ++k) relax<<<grid, block>>>(dist_, path_, n_, k);
}

void ApspSolver::solveBlocked() {
  unsigned nb = n_ / BLOCK;
  dim3 block(BLOCK, BLOCK);
  for (unsigned b = 0; b < nb; ++b) {
    phaseDiag<<<1, block>>>(dist_, n_, b);
    phaseCross<<<dim3(nb, 2), block>>>(dist_, n_, b);
    phaseRest<<<dim3(nb, nb), block>>>(dist_, n_, b);
  }
}

int main(int argc, char **argv) {
  unsigned n = argc > 1 ? atoi(argv[1]) : 1024;
  int reps = argc > 2 ? atoi(argv[2]) : 3;
  n = (n + BLOCK - 1) / BLOCK * BLOCK;
  std::vector<int> g((size_t)n * n), ref, out((size_t)n * n);
  srand(3);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) g[(size_t)i * n + j] = i == j ? 0 : 1 + rand() % 1000;
  ref = g;
  for (unsigned k = 0; k < n; ++k)
    for (unsigned i = 0; i < n; ++i) {
      int ik = ref[(size_t)i * n + k];
      for (unsigned j = 0; j < n; ++j)
        ref[(size_t)i * n + j] = std::min(ref[(size_t)i * n + j], ik + ref[(size_t)k * n + j]);
    }
  ApspSolver s(n);
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  for (int variant = 0; variant < 2; ++variant) {
    float total = 0;
    for (int r = 0; r < reps; ++r) {
      s.load(g);
      cudaEventRecord(a);
      if (variant) s.solveBlocked(); else s.solve();
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float ms; cudaEventElapsedTime(&ms, a, b);
      total += ms;
    }
    s.read(out);
    printf("%s: %s %.3f ms\n", variant ? "blocked" : "naive", out == ref ? "PASS" : "FAIL", total / reps);
  }
  return 0;
}
