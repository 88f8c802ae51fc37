#include "check.h"
#include <vector>
__managed__ int shared_count = 5;
__managed__ float table[64];
struct Node { int value; Node *next; };
__global__ void sum(Node *n, int *out) { int s = 0; for (; n; n = n->next) s += n->value; *out = s + shared_count; shared_count = 77; table[3] = 1.5f; }
int main() {
  Node *first = 0;
  std::vector<Node *> all;
  for (int i = 0; i < 150; i++) {  // more than there are addresses of their own
    Node *n;
    OK(cudaMallocManaged(&n, sizeof *n));
    n->value = i, n->next = first, first = n;
    all.push_back(n);
  }
  int *out;
  OK(cudaMallocManaged(&out, 4));
  shared_count = 6;
  sum<<<1, 1>>>(first, out);
  OK(cudaDeviceSynchronize());
  EXPECT(*out == 149 * 150 / 2 + 6 && shared_count == 77 && table[3] == 1.5f);
  for (Node *n : all) OK(cudaFree(n));
  OK(cudaFree(out));
  FAILS(cudaErrorInvalidValue, cudaFree(out));
  cudaPointerAttributes a;
  int *p;
  OK(cudaMallocManaged(&p, 1 << 20));
  OK(cudaPointerGetAttributes(&a, p + 5));
  EXPECT(a.type == cudaMemoryTypeManaged && a.hostPointer == p + 5);
#if CUDART_VERSION >= 13000
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  OK(cudaMemPrefetchAsync(p, 1 << 20, here, 0, 0));
  OK(cudaMemAdvise(p, 1 << 20, cudaMemAdviseSetReadMostly, here));
#endif
  FAILS(cudaErrorInvalidValue, cudaMallocManaged(&p, 0));
  return 0;
}
