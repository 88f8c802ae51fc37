#include <cuda_runtime.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define PI_F 3.14159265358979f
#define PI 3.14159265358979323846

typedef float2 cplx;

__device__ __forceinline__ cplx cmul(cplx a, cplx b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ cplx cadd(cplx a, cplx b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ cplx csub(cplx a, cplx b) { return make_float2(a.x - b.x, a.y - b.y); }

__global__ void makeTwiddles(cplx *tw, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n / 2) return;
  double ang = -2.0 * PI * k / n;
  tw[k] = make_float2((float)cos(ang), (float)sin(ang));
}

__global__ void bitReverse(const cplx *in, cplx *out, int logn) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned j = 0;
  for (int b = 0; b < logn; ++b) j |= ((i >> b) & 1u) << (logn - 1 - b);
  out[j] = in[i];
}

// one butterfly per thread, stage of half-size h
__global__ void stageDirect(cplx *d, int n, int h) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int grp = t / h;
  int k = t % h;
  int i = grp * 2 * h + k;
  float ang = -PI * k / h;
  cplx w = make_float2(cosf(ang), sinf(ang));
  cplx a = d[i], b = cmul(w, d[i + h]);
  d[i] = cadd(a, b);
  d[i + h] = csub(a, b);
}

// first stages of a 1024-point chunk inside shared memory
template <int LOG>
__global__ void stagesShared(cplx *d, const cplx *__restrict__ tw, int n) {
  __shared__ float re[1 << LOG], im[1 << LOG];
  const int N = 1 << LOG;
  size_t base = (size_t)blockIdx.x * N;
  for (int i = threadIdx.x; i < N; i += N / 2) {
    cplx v = d[base + i];
    re[i] = v.x;
    im[i] = v.y;
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < LOG; ++s) {
    int h = 1 << s;
    int k = threadIdx.x & (h - 1);
    int i = ((threadIdx.x >> s) << (s + 1)) + k;
    cplx w = tw[(size_t)k * (n / (2 * h))];
    float br = re[i + h] * w.x - im[i + h] * w.y;
    float bi = re[i + h] * w.y + im[i + h] * w.x;
    float ar = re[i], ai = im[i];
    re[i] = ar + br; im[i] = ai + bi;
    re[i + h] = ar - br; im[i + h] = ai - bi;
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N; i += N / 2) d[base + i] = make_float2(re[i], im[i]);
}

static void hostFft(std::vector<std::complex<double>> &a) {
  size_t n = a.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (size_t len = 2; len <= n; len <<= 1)
    for (size_t i = 0; i < n; i += len)
      for (size_t k = 0; k < len / 2; ++k) {
        auto w = std::polar(1.0, -2 * PI * k / len);
        auto u = a[i + k], v = a[i + k + len / 2] * w;
        a[i + k] = u + v;
        a[i + k + len / 2] = u - v;
      }
}

int main(int argc, char **argv) {
  int logn = argc > 1 ? atoi(argv[1]) : 20;
  int reps = argc > 2 ? atoi(argv[2]) : 50;
  if (logn < 11) logn = 11;
  int n = 1 << logn;
  std::vector<cplx> h(n), got(n);
  std::vector<std::complex<double>> ref(n);
  for (int i = 0; i < n; ++i) {
    h[i] = make_float2(sinf(0.01f * i) + (i % 7) * 0.1f, cosf(0.3f * i));
    ref[i] = {h[i].x, h[i].y};
  }
  hostFft(ref);
  cplx *din, *dw, *tw;
  cudaMalloc(&din, n * sizeof(cplx));
  cudaMalloc(&dw, n * sizeof(cplx));
  cudaMalloc(&tw, n / 2 * sizeof(cplx));
  cudaMemcpy(din, h.data(), n * sizeof(cplx), cudaMemcpyHostToDevice);
  makeTwiddles<<<n / 2 / 256, 256>>>(tw, n);

  auto transform = [&](bool fused) {
    bitReverse<<<n / 256, 256>>>(din, dw, logn);
    int s = 0;
    if (fused) {
      stagesShared<10><<<n / 1024, 512>>>(dw, tw, n);
      s = 10;
    }
    for (; s < logn; ++s) stageDirect<<<n / 2 / 128, 128>>>(dw, n, 1 << s);
  };
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  for (int fused = 0; fused < 2; ++fused) {
    transform(fused);
    cudaMemcpy(got.data(), dw, n * sizeof(cplx), cudaMemcpyDeviceToHost);
    double err = 0, nrm = 0;
    for (int i = 0; i < n; ++i) {
      err += std::norm(std::complex<double>(got[i].x, got[i].y) - ref[i]);
      nrm += std::norm(ref[i]);
    }
    cudaEventRecord(a);
    for (int r = 0; r < reps; ++r) transform(fused);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    printf("%s: %s rel err %.2e, %.3f ms\n", fused ? "fused" : "direct", err < 1e-8 * nrm ? "PASS" : "FAIL",
           sqrt(err / nrm), ms / reps);
  }
  return 0;
}
