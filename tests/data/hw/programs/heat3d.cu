// 7-point heat diffusion on a cubic grid
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Grid { int nx, ny, nz; };

__host__ __device__ inline size_t at(const Grid g, int x, int y, int z) {
  return (size_t)z * g.ny * g.nx + (size_t)y * g.nx + x;
}

__global__ void initGrid(float *u, Grid g) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (z >= g.nz || y >= g.ny) return;
  for (int x = 0; x < g.nx; ++x)
    u[at(g, x, y, z)] = (x == 0 || y == 0 || z == 0) ? 1.0f : 0.0f;
}

__global__ void diffuse(const float *u, float *un, Grid g, float k) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= g.nx - 1 || y >= g.ny - 1 || z >= g.nz - 1) return;
  float c = u[at(g, x, y, z)];
  float s = u[at(g, x - 1, y, z)] + u[at(g, x + 1, y, z)] +
            u[at(g, x, y - 1, z)] + u[at(g, x, y + 1, z)] +
            u[at(g, x, y, z - 1)] + u[at(g, x, y, z + 1)];
  un[at(g, x, y, z)] = c + k * (s - 6.0f * c);
}

// max-norm of the update, one value per block
__global__ void residual(const float *a, const float *b, float *out, size_t n) {
  __shared__ float red[256];
  float m = 0.0f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    m = fmaxf(m, fabs((double)a[i] - b[i]));
  red[threadIdx.x] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = red[0];
}

static void cpuStep(const std::vector<float> &u, std::vector<float> &un, Grid g, float k) {
  for (int z = 1; z < g.nz - 1; ++z)
    for (int y = 1; y < g.ny - 1; ++y)
      for (int x = 1; x < g.nx - 1; ++x) {
        float c = u[at(g, x, y, z)];
        float s = u[at(g, x - 1, y, z)] + u[at(g, x + 1, y, z)] + u[at(g, x, y - 1, z)] +
                  u[at(g, x, y + 1, z)] + u[at(g, x, y, z - 1)] + u[at(g, x, y, z + 1)];
        un[at(g, x, y, z)] = c + k * (s - 6.0f * c);
      }
}

static unsigned cdiv(unsigned a, unsigned b) { return (a + b - 1) / b; }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 192;
  int steps = argc > 2 ? atoi(argv[2]) : 100;
  Grid g = {n, n, n};
  size_t total = (size_t)n * n * n;
  const float k = 0.1f;

  float *d0, *d1, *dres;
  CHECK(cudaMalloc(&d0, total * sizeof(float)));
  CHECK(cudaMalloc(&d1, total * sizeof(float)));
  CHECK(cudaMalloc(&dres, 256 * sizeof(float)));
  dim3 ib(32, 8), ig(cdiv(n, 32), cdiv(n, 8));
  initGrid<<<ig, ib>>>(d0, g);
  initGrid<<<ig, ib>>>(d1, g);

  std::vector<float> h0(total), h1;
  CHECK(cudaMemcpy(h0.data(), d0, total * sizeof(float), cudaMemcpyDeviceToHost));
  h1 = h0;

  dim3 block(32, 4, 2);
  dim3 grid(cdiv(n, block.x), cdiv(n, block.y), cdiv(n, block.z));

  diffuse<<<grid, block>>>(d0, d1, g, k);
  std::vector<float> got(total);
  CHECK(cudaMemcpy(got.data(), d1, total * sizeof(float), cudaMemcpyDeviceToHost));
  cpuStep(h0, h1, g, k);
  double err = 0;
  for (size_t i = 0; i < total; ++i) err = fmax(err, fabs(got[i] - h1[i]));
  printf("%s (max err %g)\n", err < 1e-5 ? "PASS" : "FAIL", err);

  auto t0 = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {
    diffuse<<<grid, block>>>(d0, d1, g, k);
    float *t = d0; d0 = d1; d1 = t;
  }
  residual<<<256, 256>>>(d0, d1, dres, total);
  CHECK(cudaDeviceSynchronize());
  auto t1 = std::chrono::steady_clock::now();
  printf("avg step %f us\n", std::chrono::duration<double, std::micro>(t1 - t0).count() / steps);
  std::vector<float> r(256);
  CHECK(cudaMemcpy(r.data(), dres, 256 * sizeof(float), cudaMemcpyDeviceToHost));
  float m = 0; for (float v : r) m = fmaxf(m, v);
  printf("last residual %g\n", m);
  cudaFree(d0); cudaFree(d1); cudaFree(dres);
  return 0;
}
