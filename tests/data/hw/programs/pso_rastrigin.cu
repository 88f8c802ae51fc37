// Particle swarm optimisation (global best) of the Rastrigin function.
// ./pso_rastrigin <particles> <iterations>         65536 200
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>
#include <chrono>
#include <cuda_runtime.h>

#define DIM 30
#define CHECK_LAST() do { cudaError_t e = cudaGetLastError(); if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; } } while (0)

struct Swarm {
  float *pos, *vel, *best, *bestCost;
  unsigned *rng;
  int count;
};

__device__ __host__ inline unsigned lcg(unsigned s) { return s * 1664525u + 1013904223u; }
__device__ __host__ inline float unit(unsigned s) { return (s >> 8) * (1.0f / 16777216.0f); }

__global__ void init_swarm(Swarm s)
{
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= s.count) return;
  unsigned r = 9781u * (p + 1);
  for (int d = 0; d < DIM; d++) {
    r = lcg(r);
    s.pos[p * DIM + d] = 10.24f * unit(r) - 5.12f;
    s.vel[p * DIM + d] = 0.0f;
    s.best[p * DIM + d] = s.pos[p * DIM + d];
  }
  s.bestCost[p] = FLT_MAX;
  s.rng[p] = r;
}

__global__ void evaluate(Swarm s)
{
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= s.count) return;
  float c = 10.0f * DIM;
  for (int d = 0; d < DIM; d++) {
    float x = s.pos[p * DIM + d];
    c += pow(x, 2.0f) - 10.0 * cos(2.0 * M_PI * x);
  }
  if (c < s.bestCost[p]) {
    s.bestCost[p] = c;
    for (int d = 0; d < DIM; d++) s.best[p * DIM + d] = s.pos[p * DIM + d];
  }
}

__global__ void global_best(const float *__restrict__ cost, int n, int *index)
{
  __shared__ float sc[512];
  __shared__ int si[512];
  float c = FLT_MAX; int k = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (cost[i] < c) { c = cost[i]; k = i; }
  sc[threadIdx.x] = c; si[threadIdx.x] = k;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0 && sc[threadIdx.x + step] < sc[threadIdx.x]) {
      sc[threadIdx.x] = sc[threadIdx.x + step];
      si[threadIdx.x] = si[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *index = si[0];
}

__global__ void move(Swarm s, const float *gbest, float w, float c1, float c2)
{
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= s.count) return;
  for (int d = 0; d < DIM; d++) {
    s.rng[p] = lcg(s.rng[p]);
    float r1 = unit(s.rng[p]);
    s.rng[p] = lcg(s.rng[p]);
    float r2 = unit(s.rng[p]);
    float x = s.pos[p * DIM + d];
    float v = w * s.vel[p * DIM + d] + c1 * r1 * (s.best[p * DIM + d] - x) + c2 * r2 * (gbest[d] - x);
    v = fminf(fmaxf(v, -1.0f), 1.0f);
    s.vel[p * DIM + d] = v;
    s.pos[p * DIM + d] = fminf(fmaxf(x + v, -5.12f), 5.12f);
  }
}

__global__ void copy_best(const float *best, const int *index, float *gbest)
{
  int d = threadIdx.x;
  if (d < DIM) gbest[d] = best[*index * DIM + d];
}

int main(int argc, char *argv[])
{
  int particles = 65536, iters = 200;
  if (argc == 3) { particles = atoi(argv[1]); iters = atoi(argv[2]); }
  Swarm s;
  s.count = particles;
  const size_t pd = (size_t)particles * DIM * sizeof(float);
  float *gbest, hbest[DIM]; int *index;
  cudaMalloc(&s.pos, pd); cudaMalloc(&s.vel, pd); cudaMalloc(&s.best, pd);
  cudaMalloc(&s.bestCost, particles * sizeof(float));
  cudaMalloc(&s.rng, particles * sizeof(unsigned));
  cudaMalloc(&gbest, DIM * sizeof(float));
  cudaMalloc(&index, sizeof(int));

  const int t = 128, b = (particles + t - 1) / t;
  init_swarm<<<b, t>>>(s);
  CHECK_LAST();
  cudaDeviceSynchronize();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < iters; i++) {
    evaluate<<<b, t>>>(s);
    global_best<<<1, 512>>>(s.bestCost, particles, index);
    copy_best<<<1, 32>>>(s.best, index, gbest);
    move<<<b, t>>>(s, gbest, 0.72f, 1.49f, 1.49f);
  }
  cudaDeviceSynchronize();
  CHECK_LAST();
  double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  int k; float cost;
  cudaMemcpy(hbest, gbest, sizeof(hbest), cudaMemcpyDeviceToHost);
  cudaMemcpy(&k, index, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&cost, s.bestCost + k, sizeof(float), cudaMemcpyDeviceToHost);
  double ref = 10.0 * DIM;
  for (int d = 0; d < DIM; d++) ref += (double)hbest[d] * hbest[d] - 10.0 * cos(2.0 * M_PI * hbest[d]);
  printf("best cost %.6f, recomputed %.6f  %s\n", cost, ref, fabs(cost - ref) < 1e-2 * (1 + fabs(ref)) ? "PASS" : "FAIL");
  printf("%.4f ms per iteration\n", 1e3 * sec / iters);
  cudaFree(s.pos); cudaFree(s.vel); cudaFree(s.best); cudaFree(s.bestCost);
  cudaFree(s.rng); cudaFree(gbest); cudaFree(index);
  return 0;
}
