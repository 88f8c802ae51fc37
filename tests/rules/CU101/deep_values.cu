// So many steps lead to a value that no condition on it is asked; in another lane it is one more.
__global__ void deep(float *p, const int *q) {
  int x = q[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 200; i++) x = (x ^ i) + __shfl_xor_sync(0xffffffffu, x, 1);
  if (x == 12345) p[threadIdx.x * 32] = x;  // undecided: CU101 (invented data decides) "32 sectors"
  if (x == 54321) p[threadIdx.x] = x;  // ok
}
void run(float *p, int *q) { deep<<<64, 128>>>(p, q); }
