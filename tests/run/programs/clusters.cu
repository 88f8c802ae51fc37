// Clusters of blocks: launches, ranks, barriers, each other's shared memory. On sm_90 and later.
#include "check.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

// A cluster's blocks hold some of the bins each.
__global__ void count(int *bins, int per_block, const int *in, int n) {
  extern __shared__ int mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < n; i += blockDim.x * gridDim.x)
    atomicAdd(cluster.map_shared_rank(mine, in[i] / per_block) + in[i] % per_block, 1);
  cluster.sync();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * per_block + i], mine[i]);
}

struct Seen { unsigned value, owner, x, y, size, rank, threads, thread, whose, split; };

// Each block reads its neighbour's words; the last warp arrives late, and one thread not at all.
__global__ void __cluster_dims__(2, 2, 1) shape(Seen *out) {
  __shared__ unsigned words[64];
  cg::cluster_group c = cg::this_cluster();
  unsigned next = (c.block_rank() + 1) % c.num_blocks(), t = threadIdx.x;
  words[t] = 100 * c.block_rank() + t;
  if (t == 63) return;
  if (t < 32) c.barrier_arrive();
  unsigned split = t * t;
  if (t >= 32) c.barrier_arrive();
  c.barrier_wait();
  unsigned *there = c.map_shared_rank(words, next);
  unsigned at = (unsigned)__cvta_generic_to_shared(words), far;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(c.block_rank()));
  unsigned own = 0, whose = 0;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(own) : "r"(far + 4 * t));
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(whose) : "r"(far));
  dim3 b = c.block_index(), size = c.dim_blocks();
  if (t == 5)
    out[blockIdx.y * gridDim.x + blockIdx.x] = {there[63 - t], cg::cluster_group::query_shared_rank(there), b.x, b.y,
        size.x * 10 + size.y, c.block_rank(), c.num_threads(), c.thread_rank(), whose, own + split};
  c.sync();  // nobody leaves while others read
}

// A ring: each block arrives at the mbarrier of the next.
__global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
  __shared__ unsigned long long barrier;
  __shared__ int word;
  cg::cluster_group c = cg::this_cluster();
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), far;
  if (!threadIdx.x) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(at));
  c.sync();
  unsigned next = (c.block_rank() + 1) % 4;
  if (!threadIdx.x) *c.map_shared_rank(&word, next) = 10 * c.block_rank();
  __syncwarp();
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(next));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(far) : "memory");
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at) : "memory");
  if (!threadIdx.x) out[blockIdx.x] = word;
  c.sync();
}

int main() {
  const int n = 5000, all = 96, per_block = all / 2;
  std::vector<int> in(n), expected(all), got(all);
  for (int i = 0; i < n; i++) in[i] = (i * 7919 + i / 3) % all, expected[in[i]]++;
  int *values, *bins;
  OK(cudaMalloc(&values, n * sizeof(int)));
  OK(cudaMalloc(&bins, all * sizeof(int)));
  OK(cudaMemcpy(values, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemset(bins, 0, all * sizeof(int)));
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension, cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t c = {};
  c.gridDim = 4, c.blockDim = 64, c.dynamicSmemBytes = per_block * sizeof(int), c.attrs = &cluster, c.numAttrs = 1;
  int most = 0, active = 0, can = 0;
  OK(cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, 0));
  EXPECT(can == 1);
  OK(cudaOccupancyMaxPotentialClusterSize(&most, count, &c));
  EXPECT(most == 8);
  OK(cudaOccupancyMaxActiveClusters(&active, count, &c));
  EXPECT(active > 0);
  OK(cudaLaunchKernelEx(&c, count, bins, per_block, (const int *)values, n));
  OK(cudaMemcpy(got.data(), bins, all * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == expected);

  const int wide = 48, blocks = wide * wide;  // more than run at once
  Seen *seen;
  OK(cudaMallocManaged(&seen, blocks * sizeof(Seen)));
  shape<<<dim3(wide, wide), 64>>>(seen);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < blocks; i++) {
    unsigned x = i % wide % 2, y = i / wide % 2, rank = 2 * y + x, next = (rank + 1) % 4;
    const Seen &s = seen[i];
    EXPECT(s.value == 100 * next + 58 && s.owner == next && s.x == x && s.y == y && s.size == 22);
    EXPECT(s.rank == rank && s.threads == 256 && s.thread == rank * 64 + 5 && s.whose == rank);
    EXPECT(s.split == 100 * rank + 5 + 25);
  }

  int *passed;
  OK(cudaMallocManaged(&passed, 8 * sizeof(int)));
  ring<<<8, 32>>>(passed);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; i++) EXPECT(passed[i] == 10 * ((i + 3) % 4));

  c.gridDim = 3;  // no number of clusters
  FAILS(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&c, count, bins, per_block, (const int *)values, n));
  c.gridDim = 16, cluster.val.clusterDim = {16, 1, 1};
  FAILS(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&c, count, bins, per_block, (const int *)values, n));
  OK(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  OK(cudaLaunchKernelEx(&c, count, bins, all / 16, (const int *)values, n));
  OK(cudaDeviceSynchronize());
  return 0;
}
