#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <queue>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

struct Graph {
  int nv = 0, ne = 0;
  std::vector<int> off, dst;
};

struct Node {
  int start;
  int degree;
};

static Graph randomGraph(int nv, int avgDeg) {
  Graph g;
  g.nv = nv;
  g.off.push_back(0);
  unsigned s = 99;
  for (int v = 0; v < nv; ++v) {
    s = s * 1664525u + 1013904223u;
    int deg = 1 + (s >> 16) % (2 * avgDeg);
    for (int k = 0; k < deg; ++k) {
      s = s * 1664525u + 1013904223u;
      g.dst.push_back((s >> 4) % nv);
    }
    g.off.push_back((int)g.dst.size());
  }
  g.ne = (int)g.dst.size();
  return g;
}

// level-synchronous BFS over all vertices, mask style
__global__ void bfsLevel(const Node *nodes, const int *dst, int *level, int depth, int *more, int nv) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < nv && level[v] == depth) {
    Node n = nodes[v];
    for (int e = n.start; e < n.start + n.degree; ++e) {
      int u = dst[e];
      if (level[u] < 0) {
        level[u] = depth + 1;
        *more = 1;
      }
    }
  }
}

__global__ void countReached(const int *level, int *count, int nv) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  int hit = v < nv && level[v] >= 0;
  int n = __syncthreads_count(hit);
  if (threadIdx.x == 0 && n) atomicAdd(count, n);
}

// push-style PageRank: scatter contributions along out-edges
__global__ void prScatter(const Node *nodes, const int *dst, const float *rank, float *next, int nv) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nv) return;
  Node n = nodes[v];
  for (int e = 0; e < n.degree; ++e) {
    float share = rank[v] / n.degree;
    atomicAdd(&next[dst[n.start + e]], share);
  }
}

__global__ void prFinish(float *rank, float *next, double *err, float damp, int nv) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nv) return;
  float r = (1.0f - damp) / nv + damp * next[v];
  double d = r - rank[v];
  atomicAdd(err, fabs(d));
  rank[v] = r;
  next[v] = 0.f;
}

static std::vector<int> hostBfs(const Graph &g, int src) {
  std::vector<int> lv(g.nv, -1);
  std::queue<int> q;
  lv[src] = 0;
  q.push(src);
  while (!q.empty()) {
    int v = q.front();
    q.pop();
    for (int e = g.off[v]; e < g.off[v + 1]; ++e)
      if (lv[g.dst[e]] < 0) { lv[g.dst[e]] = lv[v] + 1; q.push(g.dst[e]); }
  }
  return lv;
}

int main(int argc, char **argv) {
  int nv = argc > 1 ? atoi(argv[1]) : 1000000;
  int deg = argc > 2 ? atoi(argv[2]) : 12;
  int iters = argc > 3 ? atoi(argv[3]) : 20;
  Graph g = randomGraph(nv, deg);
  std::vector<Node> nodes(nv);
  for (int v = 0; v < nv; ++v) nodes[v] = {g.off[v], g.off[v + 1] - g.off[v]};

  Node *dN; int *dDst, *dLevel, *dMore; float *dRank, *dNext; double *dErr;
  cudaMalloc(&dN, nv * sizeof(Node));
  cudaMalloc(&dDst, g.ne * sizeof(int));
  cudaMalloc(&dLevel, nv * sizeof(int));
  cudaMalloc(&dMore, sizeof(int));
  cudaMalloc(&dRank, nv * sizeof(float));
  cudaMalloc(&dNext, nv * sizeof(float));
  cudaMalloc(&dErr, sizeof(double));
  cudaMemcpy(dN, nodes.data(), nv * sizeof(Node), cudaMemcpyHostToDevice);
  cudaMemcpy(dDst, g.dst.data(), g.ne * sizeof(int), cudaMemcpyHostToDevice);

  const int tb = 256, nb = (nv + tb - 1) / tb;
  cudaMemset(dLevel, 0xff, nv * sizeof(int));
  int zero = 0, more = 1, depth = 0;
  cudaMemcpy(dLevel, &zero, sizeof(int), cudaMemcpyHostToDevice);
  auto t0 = std::chrono::steady_clock::now();
  while (more) {
    cudaMemcpy(dMore, &zero, sizeof(int), cudaMemcpyHostToDevice);
    bfsLevel<<<nb, tb>>>(dN, dDst, dLevel, depth++, dMore, nv);
    cudaMemcpy(&more, dMore, sizeof(int), cudaMemcpyDeviceToHost);
  }
  auto t1 = std::chrono::steady_clock::now();
  int reached = 0;
  cudaMemset(dMore, 0, sizeof(int));
  countReached<<<nb, tb>>>(dLevel, dMore, nv);
  cudaMemcpy(&reached, dMore, sizeof(int), cudaMemcpyDeviceToHost);
  std::vector<int> lv(nv);
  cudaMemcpy(lv.data(), dLevel, nv * sizeof(int), cudaMemcpyDeviceToHost);
  printf("bfs %s, %d levels, %d reached, %.3f ms\n", lv == hostBfs(g, 0) ? "PASS" : "FAIL", depth, reached,
         std::chrono::duration<double, std::milli>(t1 - t0).count());

  std::vector<float> rank(nv, 1.0f / nv), got(nv);
  cudaMemcpy(dRank, rank.data(), nv * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(dNext, 0, nv * sizeof(float));
  double err = 0;
  cudaDeviceSynchronize();
  t0 = std::chrono::steady_clock::now();
  for (int i = 0; i < iters; ++i) {
    cudaMemsetAsync(dErr, 0, sizeof(double));
    prScatter<<<nb, tb>>>(dN, dDst, dRank, dNext, nv);
    prFinish<<<nb, tb>>>(dRank, dNext, dErr, 0.85f, nv);
  }
  cudaMemcpy(&err, dErr, sizeof(double), cudaMemcpyDeviceToHost);
  t1 = std::chrono::steady_clock::now();
  cudaMemcpy(got.data(), dRank, nv * sizeof(float), cudaMemcpyDeviceToHost);

  std::vector<double> r(nv, 1.0 / nv), nx(nv);
  for (int i = 0; i < iters; ++i) {
    std::fill(nx.begin(), nx.end(), 0.0);
    for (int v = 0; v < nv; ++v)
      for (int e = g.off[v]; e < g.off[v + 1]; ++e) nx[g.dst[e]] += r[v] / nodes[v].degree;
    for (int v = 0; v < nv; ++v) r[v] = 0.15 / nv + 0.85 * nx[v];
  }
  double diff = 0;
  for (int v = 0; v < nv; ++v) diff = std::fmax(diff, std::fabs(r[v] - got[v]) * nv);
  printf("pagerank %s (delta %g), %.3f ms/iter\n", diff < 1e-2 ? "PASS" : "FAIL", err,
         std::chrono::duration<double, std::milli>(t1 - t0).count() / iters);
  return 0;
}
