#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// 2D Ising model, checkerboard Metropolis. Spins are +1/-1.

class Lattice {
 public:
  Lattice(int n) : n(n) {
    cudaMalloc(&spin, (size_t)n * n * sizeof(int));
    cudaMalloc(&rng, (size_t)n * n * sizeof(unsigned));
    cudaMalloc(&mag, sizeof(int));
    cudaMalloc(&blockEnergy, 4096 * sizeof(int));
  }
  ~Lattice() { cudaFree(spin); cudaFree(rng); cudaFree(mag); cudaFree(blockEnergy); }
  void init(unsigned seed);
  void sweep(float beta);
  int magnetisation();
  long long energy();
  int n;
  int *spin;
  unsigned *rng;
  int *mag;
  int *blockEnergy;
};

__host__ __device__ inline unsigned hash32(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

__host__ __device__ inline unsigned lcg(unsigned s) { return s * 1664525u + 1013904223u; }

__global__ void initSpins(int *spin, unsigned *rng, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  unsigned h = hash32(i + seed);
  spin[i] = (h & 1) ? 1 : -1;
  rng[i] = hash32(h);
}

__global__ void metropolis(int *spin, unsigned *rng, int n, float beta, int color) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  if (((x + y) & 1) != color) return;
  int up = ((y - 1 + n) % n) * n + x;
  int dn = ((y + 1) % n) * n + x;
  int lf = y * n + (x - 1 + n) % n;
  int rt = y * n + (x + 1) % n;
  int s = spin[y * n + x];
  int nb = spin[up] + spin[dn] + spin[lf] + spin[rt];
  int dE = 2 * s * nb;
  unsigned r = lcg(rng[y * n + x]);
  rng[y * n + x] = r;
  float u = (r >> 8) * (1.0f / 16777216.0f);
  if (dE <= 0 || u < expf(-beta * dE))
    spin[y * n + x] = -s;
}

__global__ void sumMag(const int *spin, int *mag, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n * n ? spin[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int s = 0;
    for (int k = 0; k < blockDim.x; ++k) s += part[k];
    atomicAdd(mag, s);
  }
}

__global__ void sumEnergy(const int *__restrict__ spin, int *__restrict__ out, int n) {
  int acc = 0;
  for (int y = blockIdx.x; y < n; y += gridDim.x) {
    const int *row = spin + (size_t)y * n;
    const int *next = spin + (size_t)(y + 1 == n ? 0 : y + 1) * n;
    for (int x = threadIdx.x; x < n; x += blockDim.x) {
      int xr = x + 1 == n ? 0 : x + 1;
      acc -= row[x] * (row[xr] + next[x]);
    }
  }
  for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
  __shared__ int w[8];
  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) acc += w[k];
    out[blockIdx.x] = acc;
  }
}

void Lattice::init(unsigned seed) { initSpins<<<(n * n + 255) / 256, 256>>>(spin, rng, n, seed); }

void Lattice::sweep(float beta) {
  dim3 b(8, 8), g((n + 7) / 8, (n + 7) / 8);
  metropolis<<<g, b>>>(spin, rng, n, beta, 0);
  metropolis<<<g, b>>>(spin, rng, n, beta, 1);
}

int Lattice::magnetisation() {
  int m = 0;
  cudaMemset(mag, 0, sizeof(int));
  sumMag<<<(n * n + 255) / 256, 256>>>(spin, mag, n);
  cudaMemcpy(&m, mag, sizeof(int), cudaMemcpyDeviceToHost);
  return m;
}

long long Lattice::energy() {
  int g = n < 1024 ? n : 1024;
  std::vector<int> h(g);
  sumEnergy<<<g, 256>>>(spin, blockEnergy, n);
  cudaMemcpy(h.data(), blockEnergy, g * sizeof(int), cudaMemcpyDeviceToHost);
  long long e = 0;
  for (int v : h) e += v;
  return e;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2048;
  int sweeps = argc > 2 ? atoi(argv[2]) : 100;
  float temp = argc > 3 ? (float)atof(argv[3]) : 2.0f;
  n &= ~1;
  Lattice L(n);
  L.init(17);
  std::vector<int> s((size_t)n * n), got((size_t)n * n);
  std::vector<unsigned> r((size_t)n * n);
  cudaMemcpy(s.data(), L.spin, s.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(r.data(), L.rng, r.size() * 4, cudaMemcpyDeviceToHost);
  L.sweep(1.f / temp);
  cudaMemcpy(got.data(), L.spin, got.size() * 4, cudaMemcpyDeviceToHost);
  for (int c = 0; c < 2; ++c)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        if (((x + y) & 1) != c) continue;
        size_t i = (size_t)y * n + x;
        int nb = s[(size_t)((y + n - 1) % n) * n + x] + s[(size_t)((y + 1) % n) * n + x] +
                 s[(size_t)y * n + (x + n - 1) % n] + s[(size_t)y * n + (x + 1) % n];
        int dE = 2 * s[i] * nb;
        r[i] = lcg(r[i]);
        float u = (r[i] >> 8) * (1.0f / 16777216.0f);
        if (dE <= 0 || u < expf(-dE / temp)) s[i] = -s[i];
      }
  size_t diff = 0;
  for (size_t i = 0; i < s.size(); ++i) diff += s[i] != got[i];
  printf("%s (%zu sites differ)\n", diff * 10000 < s.size() ? "PASS" : "FAIL", diff);

  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  int m = 0;
  long long e = 0;
  for (int k = 0; k < sweeps; ++k) {
    L.sweep(1.f / temp);
    m = L.magnetisation();
    e = L.energy();
  }
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  printf("m = %f, e = %f, %.3f ms per sweep\n", m / ((double)n * n), e / ((double)n * n), ms / sweeps);
  return 0;
}
