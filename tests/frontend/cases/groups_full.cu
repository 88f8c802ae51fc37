// kernels: add scan
// What takes a `cuda::atomic` needs the whole header, which compiles CCCL.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__global__ void add(cuda::atomic<int> *total, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::reduce_update_async(warp, *total, in[threadIdx.x], cg::plus<int>());
}
__global__ void scan(int *a) {
  auto threads = cg::coalesced_threads();
  a[threadIdx.x] = cg::inclusive_scan(threads, a[threadIdx.x]);
  cg::this_grid().sync();
}
