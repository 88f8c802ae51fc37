// Thrust's algorithms as one thread runs them.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

// Each thread sorts `n` keys, with their values.
extern "C" __global__ void sorts(int *keys, int *values, int *plain, int n) {
  int *mine = keys + threadIdx.x * n;
  thrust::sort_by_key(thrust::seq, mine, mine + n, values + threadIdx.x * n);
  thrust::sort(thrust::seq, plain + threadIdx.x * n, plain + threadIdx.x * n + n, thrust::greater<int>());
}

extern "C" __global__ void searches(int *sorted, int *out, int n) {
  int i = threadIdx.x;
  thrust::device_ptr<int> first(sorted);
  out[4 * i] = thrust::lower_bound(thrust::seq, sorted, sorted + n, i) - sorted;
  out[4 * i + 1] = thrust::upper_bound(thrust::seq, first, first + n, i) - first;
  out[4 * i + 2] = thrust::count(thrust::seq, sorted, sorted + n, i);
  out[4 * i + 3] = thrust::find(thrust::seq, sorted, sorted + n, i) - sorted;
}

extern "C" __global__ void folds(int *a, int *inclusive, int *exclusive, int *out, int n) {
  thrust::inclusive_scan(thrust::seq, a, a + n, inclusive);
  thrust::exclusive_scan(thrust::seq, a, a + n, exclusive, 5);
  out[0] = thrust::reduce(thrust::seq, a, a + n);
  out[1] = *thrust::max_element(thrust::seq, a, a + n);
  out[2] = thrust::min_element(thrust::seq, a, a + n) - a;
  out[3] = thrust::transform_reduce(thrust::seq, a, a + n, thrust::negate<int>(), 1, thrust::plus<int>());
  out[4] = thrust::inner_product(thrust::seq, a, a + n, a, 0);
  thrust::reverse(thrust::seq, a, a + n);
  out[5] = thrust::unique(thrust::seq, inclusive + n, inclusive + n + 8) - inclusive - n;
}
