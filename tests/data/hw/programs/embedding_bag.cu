// Sum-pooled embedding lookup with a sparse gradient scatter
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>
#include <cuda_runtime.h>

template <typename IndexT>
struct BagView {
  const IndexT *indices;
  const IndexT *offsets;  // numBags + 1
  int numBags;
};

// thread per bag
template <typename IndexT>
__global__ void bagForwardSimple(const float *table, BagView<IndexT> v, float *out, int dim) {
  int bag = blockIdx.x * blockDim.x + threadIdx.x;
  if (bag >= v.numBags) return;
  for (int d = 0; d < dim; ++d) {
    out[(size_t)bag * dim + d] = 0.f;
    for (IndexT i = v.offsets[bag]; i < v.offsets[bag + 1]; ++i)
      out[(size_t)bag * dim + d] += table[(size_t)v.indices[i] * dim + d];
  }
}

// block per bag, thread per dimension group
template <typename IndexT, int VEC>
__global__ void bagForwardVec(const float *__restrict__ table, BagView<IndexT> v, float *__restrict__ out, int dim) {
  static_assert(VEC == 4, "float4 only");
  int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= v.numBags) return;
  const float4 *t4 = reinterpret_cast<const float4 *>(table);
  IndexT b = v.offsets[bag], e = v.offsets[bag + 1];
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
  for (IndexT i = b; i < e; ++i) {
    IndexT row = v.indices[i];
    float4 r = t4[(size_t)row * (dim / 4) + threadIdx.x];
    acc.x += r.x; acc.y += r.y; acc.z += r.z; acc.w += r.w;
  }
  reinterpret_cast<float4 *>(out)[(size_t)bag * (dim / 4) + threadIdx.x] = acc;
}

template <typename IndexT>
__global__ void bagBackward(const float *grad, BagView<IndexT> v, float *tableGrad, int dim, int total) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= total) return;
  int bag = t / dim, d = t % dim;
  float g = grad[t];
  for (IndexT i = v.offsets[bag]; i < v.offsets[bag + 1]; ++i)
    atomicAdd(&tableGrad[(size_t)v.indices[i] * dim + d], g);
}

// plain SGD on the dense table with weight decay
__global__ void sgd(float *w, const float *g, float lr, float decay, int rows, int dim) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int d = blockIdx.y;
  if (r >= rows) return;
  size_t i = (size_t)r * dim + d;
  w[i] = w[i] - lr * (g[i] + decay * w[i]);
}

template <typename T>
static T *toDevice(const std::vector<T> &h) {
  T *p = nullptr;
  cudaMalloc(&p, h.size() * sizeof(T));
  cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

static bool close(const std::vector<float> &a, const std::vector<float> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > 1e-3f * (1.f + std::fabs(b[i]))) return false;
  return true;
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 500000;
  const int bags = argc > 2 ? atoi(argv[2]) : 16384;
  const int reps = argc > 3 ? atoi(argv[3]) : 20;
  const int dim = 128;
  std::mt19937 gen(2024);
  std::uniform_int_distribution<int64_t> pick(0, rows - 1);
  std::uniform_int_distribution<int> len(10, 30);
  std::vector<int64_t> idx, off(1, 0);
  for (int b = 0; b < bags; ++b) {
    for (int l = len(gen); l > 0; --l) idx.push_back(pick(gen));
    off.push_back((int64_t)idx.size());
  }
  std::vector<float> table((size_t)rows * dim), out((size_t)bags * dim), ref(out.size(), 0.f);
  for (size_t i = 0; i < table.size(); ++i) table[i] = (float)((i * 40503u) & 1023) / 1024.f;
  for (int b = 0; b < bags; ++b)
    for (int64_t i = off[b]; i < off[b + 1]; ++i)
      for (int d = 0; d < dim; ++d) ref[(size_t)b * dim + d] += table[(size_t)idx[i] * dim + d];

  float *dTable = toDevice(table), *dOut, *dGrad;
  cudaMalloc(&dOut, out.size() * sizeof(float));
  cudaMalloc(&dGrad, table.size() * sizeof(float));
  BagView<int64_t> view = {toDevice(idx), toDevice(off), bags};
  cudaEvent_t a, b;
  float ms;
  cudaEventCreate(&a);
  cudaEventCreate(&b);

  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) bagForwardSimple<<<(bags + 255) / 256, 256>>>(dTable, view, dOut, dim);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(out.data(), dOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  printf("forward simple %s %.3f ms\n", close(out, ref) ? "PASS" : "FAIL", ms / reps);

  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r)
    bagForwardVec<int64_t, 4><<<(bags + 7) / 8, dim3(dim / 4, 8)>>>(dTable, view, dOut, dim);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(out.data(), dOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  printf("forward vector %s %.3f ms\n", close(out, ref) ? "PASS" : "FAIL", ms / reps);

  const int total = bags * dim;
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) {
    cudaMemsetAsync(dGrad, 0, table.size() * sizeof(float));
    bagBackward<<<(total + 255) / 256, 256>>>(dOut, view, dGrad, dim, total);
    sgd<<<dim3((rows + 255) / 256, dim), 256>>>(dTable, dGrad, 1e-4f, 1e-3f, rows, dim);
  }
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  printf("train %.3f ms\n", ms / reps);
  return 0;
}
