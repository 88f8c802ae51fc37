// kernels: warp_sum
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void warp_sum(float *p) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float sum = cg::reduce(warp, p[block.thread_rank()], cg::plus<float>{});
  block.sync();
  if (warp.thread_rank() == 0) p[warp.meta_group_rank()] = sum;
}
