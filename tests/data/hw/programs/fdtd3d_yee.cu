// 3-D FDTD (Yee) in a box with a lossy sphere and perfectly conducting walls
// Command line: fdtd3d_yee --n 192 --steps 100        (these are the defaults)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

typedef struct {
  int nx, ny, nz;
  float dt, dx;
  float eps0, mu0;
} Grid;

__host__ __device__ static inline size_t at(const Grid &g, int x, int y, int z)
{
  return ((size_t)z * g.ny + y) * g.nx + x;
}

__global__ void update_h(float *hx, float *hy, float *hz, const float *ex, const float *ey,
                         const float *ez, Grid g)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= g.nx - 1 || y >= g.ny - 1 || z >= g.nz - 1) return;
  float c = g.dt / (g.mu0 * g.dx);
  size_t p = at(g, x, y, z);
  size_t px = p + 1, py = p + g.nx, pz = p + (size_t)g.nx * g.ny;
  hx[p] -= c * ((ez[py] - ez[p]) - (ey[pz] - ey[p]));
  hy[p] -= c * ((ex[pz] - ex[p]) - (ez[px] - ez[p]));
  hz[p] -= c * ((ey[px] - ey[p]) - (ex[py] - ex[p]));
}

__global__ void update_e(float *ex, float *ey, float *ez, const float *hx, const float *hy,
                         const float *hz, const unsigned char *mat, Grid g)
{
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= g.nx || y >= g.ny || z >= g.nz) return;
  size_t p = at(g, x, y, z);
  size_t px = p - 1, py = p - g.nx, pz = p - (size_t)g.nx * g.ny;
  float er, sigma;
  if (mat[p] == 1) { er = 4.0f; sigma = 0.02f; } else { er = 1.0f; sigma = 0.0f; }
  double loss = 0.5 * sigma * g.dt / (er * g.eps0);
  float ca = (1.0 - loss) / (1.0 + loss);
  float cb = (g.dt / (er * g.eps0 * g.dx)) / (1.0 + loss);
  ex[p] = ca * ex[p] + cb * ((hz[p] - hz[py]) - (hy[p] - hy[pz]));
  ey[p] = ca * ey[p] + cb * ((hx[p] - hx[pz]) - (hz[p] - hz[px]));
  ez[p] = ca * ez[p] + cb * ((hy[p] - hy[px]) - (hx[p] - hx[py]));
}

__global__ void source(float *ez, size_t cell, float amp)
{
  ez[cell] += amp;
}

__global__ void energy(const float *ex, const float *ey, const float *ez, float *part, size_t n)
{
  __shared__ float s[256];
  float v = 0.f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    v += ex[i] * ex[i] + ey[i] * ey[i] + ez[i] * ez[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

static void die(const char *what, cudaError_t e)
{
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
  int n = 192, steps = 100;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--n")) n = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--steps")) steps = atoi(argv[i + 1]);
  }
  Grid g = {n, n, n, 0.5f, 1.0f, 1.0f, 1.0f};
  const size_t cells = (size_t)n * n * n;
  float *fld[6]; unsigned char *mat; float *part;
  for (int k = 0; k < 6; k++) {
    cudaError_t e = cudaMalloc((void **)&fld[k], cells * sizeof(float));
    if (e != cudaSuccess) die("field", e);
    cudaMemset(fld[k], 0, cells * sizeof(float));
  }
  cudaMalloc((void **)&mat, cells);
  cudaMalloc((void **)&part, 256 * sizeof(float));
  std::vector<unsigned char> hm(cells, 0);
  for (int z = 0; z < n; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        int a = x - 3 * n / 4, b = y - n / 2, c = z - n / 2;
        if (a * a + b * b + c * c < n * n / 64) hm[at(g, x, y, z)] = 1;
      }
  cudaMemcpy(mat, hm.data(), cells, cudaMemcpyHostToDevice);

  std::vector<float> hp(256);
  double last = 0.0;
  cudaEvent_t t0, t1;
  cudaEventCreate(&t0); cudaEventCreate(&t1);
  cudaEventRecord(t0);
  dim3 b(32, 4, 2), gr((n + 31) / 32, (n + 3) / 4, (n + 1) / 2);
  for (int s = 0; s < steps; s++) {
    update_h<<<gr, b>>>(fld[3], fld[4], fld[5], fld[0], fld[1], fld[2], g);
    update_e<<<gr, b>>>(fld[0], fld[1], fld[2], fld[3], fld[4], fld[5], mat, g);
    source<<<1, 1>>>(fld[2], at(g, n / 4, n / 2, n / 2), sinf(0.1f * s));
    if (s % 10 == 9) {
      energy<<<256, 256>>>(fld[0], fld[1], fld[2], part, cells);
      cudaMemcpy(hp.data(), part, 256 * sizeof(float), cudaMemcpyDeviceToHost);
      last = 0.0;
      for (float v : hp) last += v;
    }
  }
  cudaEventRecord(t1);
  cudaError_t e = cudaEventSynchronize(t1);
  if (e != cudaSuccess) die("run", e);
  float ms;
  cudaEventElapsedTime(&ms, t0, t1);
  printf("electric energy %e  %s\n", last, std::isfinite(last) && last > 0 ? "PASS" : "FAIL");
  printf("%.3f ms per step, %.2f Mcells/s\n", ms / steps, cells * steps / (1e3 * ms));
  for (int k = 0; k < 6; k++) cudaFree(fld[k]);
  cudaFree(mat); cudaFree(part);
  return 0;
}
