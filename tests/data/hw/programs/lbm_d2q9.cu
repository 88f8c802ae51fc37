// D2Q9 lattice Boltzmann, BGK collision, periodic in x, bounce-back walls in y
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define Q 9
#define IDX(x, y) ((y) * nx + (x))

__constant__ int cxs[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cys[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float wts[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
static const int hcx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int hcy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int hopp[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float hw[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void collide(float *f, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float *cell = f + (size_t)IDX(x, y) * Q;
  float rho = 0.f, ux = 0.f, uy = 0.f;
  for (int q = 0; q < Q; ++q) {
    float v = cell[q];
    rho += v;
    ux += v * cxs[q];
    uy += v * cys[q];
  }
  ux = ux / rho;
  uy = uy / rho;
  for (int q = 0; q < Q; ++q) {
    float cu = 3.0f * (cxs[q] * ux + cys[q] * uy);
    float feq = wts[q] * rho * (1.0 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
    cell[q] = cell[q] - omega * (cell[q] - feq);
  }
}

__global__ void streamStep(const float *f, float *g, const unsigned char *solid, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int opp[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    int xs = x - cxs[q], ys = y - cys[q];
    xs = (xs + nx) % nx;
    if (ys < 0 || ys >= ny || solid[IDX(xs, ys)])
      g[(size_t)IDX(x, y) * Q + q] = f[(size_t)IDX(x, y) * Q + opp[q]];
    else
      g[(size_t)IDX(x, y) * Q + q] = f[(size_t)IDX(xs, ys) * Q + q];
  }
}

__global__ void setup(float *f, unsigned char *solid, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float u0 = 0.05f * sinf(6.2831853f * y / ny);
  for (int q = 0; q < Q; ++q)
    f[(size_t)IDX(x, y) * Q + q] = wts[q] * (1.0f + 3.0f * cxs[q] * u0);
  int dx = x - nx / 4, dy = y - ny / 2, r = ny / 10;
  solid[IDX(x, y)] = dx * dx + dy * dy < r * r;
}

static void hostStep(std::vector<float> &f, const std::vector<unsigned char> &solid, int nx, int ny, float omega) {
  for (int c = 0; c < nx * ny; ++c) {
    float *p = &f[(size_t)c * Q];
    float rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < Q; ++q) { rho += p[q]; ux += p[q] * hcx[q]; uy += p[q] * hcy[q]; }
    ux /= rho; uy /= rho;
    for (int q = 0; q < Q; ++q) {
      float cu = 3.f * (hcx[q] * ux + hcy[q] * uy);
      p[q] -= omega * (p[q] - hw[q] * rho * (1.f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy)));
    }
  }
  std::vector<float> g(f.size());
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      for (int q = 0; q < Q; ++q) {
        int xs = (x - hcx[q] + nx) % nx, ys = y - hcy[q];
        bool wall = ys < 0 || ys >= ny || solid[IDX(xs, ys)];
        g[(size_t)IDX(x, y) * Q + q] = wall ? f[(size_t)IDX(x, y) * Q + hopp[q]] : f[(size_t)IDX(xs, ys) * Q + q];
      }
  f.swap(g);
}

int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 2048;
  int ny = argc > 2 ? atoi(argv[2]) : 1024;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  float omega = argc > 4 ? atof(argv[4]) : 1.2f;
  size_t n = (size_t)nx * ny * Q;
  float *f, *g;
  unsigned char *solid;
  cudaMalloc(&f, n * sizeof(float));
  cudaMalloc(&g, n * sizeof(float));
  cudaMalloc(&solid, (size_t)nx * ny);
  dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
  setup<<<grid, block>>>(f, solid, nx, ny);
  std::vector<float> h(n), out(n);
  std::vector<unsigned char> hs((size_t)nx * ny);
  cudaMemcpy(h.data(), f, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(hs.data(), solid, hs.size(), cudaMemcpyDeviceToHost);

  for (int s = 0; s < 2; ++s) {
    collide<<<grid, block>>>(f, nx, ny, omega);
    streamStep<<<grid, block>>>(f, g, solid, nx, ny);
    std::swap(f, g);
    hostStep(h, hs, nx, ny, omega);
  }
  cudaMemcpy(out.data(), f, n * sizeof(float), cudaMemcpyDeviceToHost);
  float err = 0;
  for (size_t i = 0; i < n; ++i) err = fmaxf(err, fabsf(out[i] - h[i]));
  printf("%s (err %g)\n", err < 1e-4f ? "PASS" : "FAIL", err);

  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  for (int s = 0; s < steps; ++s) {
    collide<<<grid, block>>>(f, nx, ny, omega);
    streamStep<<<grid, block>>>(f, g, solid, nx, ny);
    std::swap(f, g);
  }
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  printf("%.1f MLUPS\n", (double)nx * ny * steps / ms / 1e3);
  return 0;
}
