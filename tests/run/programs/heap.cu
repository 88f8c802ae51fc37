#include "check.h"
struct List { int value; List *next; };
__global__ void grow(List **heads, int n) {
  List *head = 0;
  for (int i = 0; i < n; i++) { List *l = new List; l->value = i + threadIdx.x; l->next = head; head = l; }
  heads[threadIdx.x] = head;
}
__global__ void take(List **heads, int *sums) {
  int s = 0;
  for (List *l = heads[threadIdx.x]; l;) { s += l->value; List *next = l->next; delete l; l = next; }
  sums[threadIdx.x] = s;
}
__global__ void huge(void **p) { *p = malloc(1ull << 40); }
int main() {
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  size_t size;
  OK(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
  EXPECT(size == 1 << 20);
  List **heads;
  int *sums, host[64];
  OK(cudaMalloc(&heads, 64 * sizeof *heads));
  OK(cudaMalloc(&sums, sizeof host));
  for (int round = 0; round < 3; round++) {
    grow<<<1, 64>>>(heads, 100);
    take<<<1, 64>>>(heads, sums);
    OK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) EXPECT(host[i] == 4950 + 100 * i);
  }
  void **p, *none;
  OK(cudaMalloc(&p, 8));
  huge<<<1, 1>>>(p);
  OK(cudaMemcpy(&none, p, 8, cudaMemcpyDeviceToHost));
  EXPECT(none == 0);
  return 0;
}
