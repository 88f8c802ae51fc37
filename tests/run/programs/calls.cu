// Recursion, function pointers, virtual functions.
#include "check.h"
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ void hanoi(int n, int from, int to, int *moves) {
  if (!n) return;
  int by = 3 - from - to, here = 1;
  hanoi(n - 1, from, by, moves);
  *moves += here;
  hanoi(n - 1, by, to, moves);
}
typedef long long (*Operation)(long long, int, char);
__device__ __noinline__ long long add(long long a, int b, char c) { return a + b + c; }
__device__ __noinline__ long long times(long long a, int b, char c) { return a * b - c; }
__device__ Operation table[2] = {add, times};
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float s; __device__ Square(float x) : s(x) {} __device__ float area() const override { return s * s; } };
struct Circle : Shape { float r; __device__ Circle(float x) : r(x) {} __device__ float area() const override { return 3 * r * r; } };
__global__ void recursive(int *out, int *moves) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 11);
  int m = 0;
  hanoi(threadIdx.x % 6, 0, 2, &m);
  moves[threadIdx.x] = m;
}
__global__ void pointed(long long *out, Operation f) { out[threadIdx.x] = table[threadIdx.x % 2](1000000000000ll, threadIdx.x, 1) + f(1, 2, 3); }
__global__ void make(Shape **s) { s[threadIdx.x] = threadIdx.x % 3 ? (Shape *)new Square(threadIdx.x) : (Shape *)new Circle(threadIdx.x); }
__global__ void measure(Shape **s, float *out) { out[threadIdx.x] = s[threadIdx.x]->area(); }
static int host_fibonacci(int n) { return n < 2 ? n : host_fibonacci(n - 1) + host_fibonacci(n - 2); }
int main() {
  int *a, *b, ha[64], hb[64];
  long long *l, hl[64];
  float *f, hf[64];
  Shape **s;
  OK(cudaMalloc(&a, sizeof ha)); OK(cudaMalloc(&b, sizeof hb)); OK(cudaMalloc(&l, sizeof hl));
  OK(cudaMalloc(&f, sizeof hf)); OK(cudaMalloc(&s, 64 * sizeof *s));
  recursive<<<1, 64>>>(a, b);
  OK(cudaMemcpy(ha, a, sizeof ha, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hb, b, sizeof hb, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(ha[i] == host_fibonacci(i % 11) && hb[i] == (1 << i % 6) - 1);
  Operation chosen;
  OK(cudaMemcpyFromSymbol(&chosen, table, sizeof chosen, sizeof chosen));
  pointed<<<1, 64>>>(l, chosen);
  OK(cudaMemcpy(hl, l, sizeof hl, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(hl[i] == (i % 2 ? 1000000000000ll * i - 1 : 1000000000000ll + i + 1) + (1 * 2 - 3));
  make<<<1, 64>>>(s);
  measure<<<1, 64>>>(s, f);
  OK(cudaMemcpy(hf, f, sizeof hf, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(hf[i] == (i % 3 ? 1 : 3) * (float)i * i);
  return 0;
}
