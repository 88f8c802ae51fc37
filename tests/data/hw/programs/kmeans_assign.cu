#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

typedef struct KParams {
  int npoints;
  int nfeatures;
  int nclusters;
} KParams;

// feature-major copy of the point matrix
__global__ void invertMapping(const float *in, float *out, KParams p)
{
  int pt = threadIdx.x + blockDim.x * blockIdx.x;
  if (pt < p.npoints) {
    for (int f = 0; f < p.nfeatures; f++)
      out[pt + p.npoints * f] = in[pt * p.nfeatures + f];
  }
}

__global__ void assignPoints(const float *feat, const float *clusters, int *membership, int *changed, KParams p)
{
  unsigned pt = blockIdx.x * blockDim.x + threadIdx.x;
  if (pt >= p.npoints) return;
  int best = -1;
  float bestDist = FLT_MAX;
  for (int c = 0; c < p.nclusters; c++) {
    float dist = 0.0f;
    for (int f = 0; f < p.nfeatures; f++) {
      float d = feat[pt + f * p.npoints] - clusters[c * p.nfeatures + f];
      dist += d * d;
    }
    if (dist < bestDist) {
      bestDist = dist;
      best = c;
    }
  }
  if (membership[pt] != best) {
    atomicAdd(changed, 1);
    membership[pt] = best;
  }
}

__global__ void accumulate(const float *points, const int *membership, float *sums, int *counts, KParams p)
{
  int pt = blockIdx.x * blockDim.x + threadIdx.x;
  if (pt >= p.npoints) return;
  int c = membership[pt];
  atomicAdd(&counts[c], 1);
  for (int f = 0; f < p.nfeatures; f++)
    atomicAdd(&sums[c * p.nfeatures + f], points[pt * p.nfeatures + f]);
}

__global__ void newCentroids(float *clusters, const float *sums, const int *counts, KParams p)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.nclusters * p.nfeatures) {
    int n = counts[i / p.nfeatures];
    if (n > 0) clusters[i] = sums[i] / n;
  }
}

static int nearest(const float *pt, const float *cl, KParams p)
{
  int best = 0;
  float bd = FLT_MAX;
  for (int c = 0; c < p.nclusters; c++) {
    float d = 0;
    for (int f = 0; f < p.nfeatures; f++) {
      float t = pt[f] - cl[c * p.nfeatures + f];
      d += t * t;
    }
    if (d < bd) { bd = d; best = c; }
  }
  return best;
}

int main(int argc, char **argv)
{
  KParams p;
  p.npoints = argc > 1 ? atoi(argv[1]) : 400000;
  p.nfeatures = argc > 2 ? atoi(argv[2]) : 34;
  p.nclusters = argc > 3 ? atoi(argv[3]) : 8;
  int iters = argc > 4 ? atoi(argv[4]) : 20;

  size_t nf = (size_t)p.npoints * p.nfeatures;
  size_t cf = (size_t)p.nclusters * p.nfeatures;
  std::vector<float> pts(nf), cl(cf);
  srand(11);
  for (size_t i = 0; i < nf; i++) pts[i] = (rand() % 10000) / 10000.f;
  memcpy(cl.data(), pts.data(), cf * sizeof(float));

  float *dPts, *dFeat, *dCl, *dSums;
  int *dMem, *dCnt, *dChanged;
  cudaMalloc(&dPts, nf * sizeof(float));
  cudaMalloc(&dFeat, nf * sizeof(float));
  cudaMalloc(&dCl, cf * sizeof(float));
  cudaMalloc(&dSums, cf * sizeof(float));
  cudaMalloc(&dMem, p.npoints * sizeof(int));
  cudaMalloc(&dCnt, p.nclusters * sizeof(int));
  cudaMalloc(&dChanged, sizeof(int));
  cudaMemcpy(dPts, pts.data(), nf * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dCl, cl.data(), cf * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(dMem, 0xff, p.npoints * sizeof(int));

  const int threads = 100;
  const int blocks = (p.npoints + threads - 1) / threads;
  invertMapping<<<blocks, threads>>>(dPts, dFeat, p);

  cudaMemset(dChanged, 0, sizeof(int));
  assignPoints<<<blocks, threads>>>(dFeat, dCl, dMem, dChanged, p);
  std::vector<int> mem(p.npoints);
  cudaMemcpy(mem.data(), dMem, p.npoints * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < p.npoints; i++)
    wrong += mem[i] != nearest(&pts[(size_t)i * p.nfeatures], cl.data(), p);
  printf("%s (%d of %d differ)\n", wrong * 1000 < p.npoints ? "PASS" : "FAIL", wrong, p.npoints);

  cudaDeviceSynchronize();
  auto t0 = std::chrono::steady_clock::now();
  int changed = 1, it;
  for (it = 0; it < iters && changed; it++) {
    cudaMemset(dChanged, 0, sizeof(int));
    cudaMemset(dSums, 0, cf * sizeof(float));
    cudaMemset(dCnt, 0, p.nclusters * sizeof(int));
    assignPoints<<<blocks, threads>>>(dFeat, dCl, dMem, dChanged, p);
    accumulate<<<blocks, threads>>>(dPts, dMem, dSums, dCnt, p);
    newCentroids<<<(cf + 127) / 128, 128>>>(dCl, dSums, dCnt, p);
    cudaMemcpy(&changed, dChanged, sizeof(int), cudaMemcpyDeviceToHost);
    if (it == 0) changed = 1;
  }
  cudaDeviceSynchronize();
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
  printf("%d iterations, %.3f ms each\n", it, ms / it);
  return 0;
}
