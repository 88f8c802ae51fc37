#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void total(int *p, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int step = n / 2; step; step /= 2) {
    for (int i = grid.thread_rank(); i < step; i += grid.size()) p[i] += p[i + step];
    grid.sync();
  }
  if (!grid.thread_rank()) *out = p[0];
}
__global__ void tiles(int *out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = threadIdx.x;
  for (int k = 4; k; k /= 2) sum += tile.shfl_down(sum, k);
  if (!tile.thread_rank()) out[threadIdx.x / 8] = sum;
}
int main() {
  int n = 1024, *p, *out, host[1024], result[4];
  for (int i = 0; i < n; i++) host[i] = i;
  OK(cudaMalloc(&p, n * 4));
  OK(cudaMalloc(&out, 16));
  OK(cudaMemcpy(p, host, n * 4, cudaMemcpyHostToDevice));
  void *arguments[] = {&p, &out, &n};
  OK(cudaLaunchCooperativeKernel((void *)total, 4, 64, arguments, 0, 0));
  OK(cudaMemcpy(result, out, 4, cudaMemcpyDeviceToHost));
  EXPECT(result[0] == 1023 * 512);
  FAILS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel((void *)total, 1 << 20, 64, arguments, 0, 0));
  tiles<<<1, 32>>>(out);
  OK(cudaMemcpy(result, out, 16, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) EXPECT(result[i] == 28 + 64 * i);
  return 0;
}
