// European option pricing, Black-Scholes closed form
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Option {
  float spot;
  float strike;
  float years;
  float vol;
  float call;
  float put;
};

struct Market { float rate; float dividend; };

__constant__ float kCoef[5] = {0.319381530f, -0.356563782f, 1.781477937f, -1.821255978f, 1.330274429f};

__device__ inline float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float poly = 0.0f;
  float kp = k;
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    poly += kCoef[i] * kp;
    kp *= k;
  }
  float c = 0.39894228040143267794 * expf(-0.5 * d * d) * poly;
  return d > 0.0f ? 1.0f - c : c;
}

__global__ void priceAos(Option *opt, Market *mkt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float S = opt[i].spot, X = opt[i].strike, T = opt[i].years, v = opt[i].vol;
  float r = mkt->rate - mkt->dividend;
  float sq = sqrtf(T);
  float d1 = (logf(S / X) + (r + 0.5f * v * v) * T) / (v * sq);
  float d2 = d1 - v * sq;
  float e = expf(-r * T);
  opt[i].call = S * cnd(d1) - X * e * cnd(d2);
  opt[i].put = X * e * cnd(-d2) - S * cnd(-d1);
}

// quotes packed as {spot, strike, years, vol}
__global__ void priceQuads(const float4 *__restrict__ q, float2 *__restrict__ out, float r, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 o = q[i];
    float sq = sqrtf(o.z);
    float d1 = (logf(o.x / o.y) + (r + 0.5f * o.w * o.w) * o.z) / (o.w * sq);
    float d2 = d1 - o.w * sq;
    float e = expf(-r * o.z);
    float call = o.x * normcdff(d1) - o.y * e * normcdff(d2);
    out[i] = make_float2(call, call - o.x + o.y * e);
  }
}

// book value by maturity bucket
__global__ void bookValue(const Option *opt, float *bucket, int nBuckets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int b = min((int)(opt[i].years * 0.1f * nBuckets), nBuckets - 1);
  atomicAdd(&bucket[b], opt[i].call);
}

static double N(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static float frand(float lo, float hi) { return lo + (hi - lo) * (rand() / (float)RAND_MAX); }

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4000000;
  const int reps = argc > 2 ? atoi(argv[2]) : 50;
  std::vector<Option> h(n);
  std::vector<float4> hq(n);
  srand(5347);
  for (int i = 0; i < n; ++i) {
    h[i].spot = frand(5.f, 30.f);
    h[i].strike = frand(1.f, 100.f);
    h[i].years = frand(0.25f, 10.f);
    h[i].vol = frand(0.1f, 0.6f);
    hq[i] = make_float4(h[i].spot, h[i].strike, h[i].years, h[i].vol);
  }
  Market m = {0.04f, 0.02f};
  Option *dOpt; Market *dM; float4 *dQ; float2 *dOut; float *dBucket;
  cudaMalloc(&dOpt, n * sizeof(Option));
  cudaMalloc(&dQ, n * sizeof(float4));
  cudaMalloc(&dOut, n * sizeof(float2));
  cudaMalloc(&dM, sizeof(Market));
  cudaMalloc(&dBucket, 10 * sizeof(float));
  cudaMemcpy(dOpt, h.data(), n * sizeof(Option), cudaMemcpyHostToDevice);
  cudaMemcpy(dQ, hq.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(dM, &m, sizeof(Market), cudaMemcpyHostToDevice);

  const int bs = 128;
  cudaEvent_t a, b;
  float ms;
  cudaEventCreate(&a);
  cudaEventCreate(&b);

  priceAos<<<(n + bs - 1) / bs, bs>>>(dOpt, dM, n);
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) priceAos<<<(n + bs - 1) / bs, bs>>>(dOpt, dM, n);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  printf("records: %.4f ms\n", ms / reps);

  priceQuads<<<432, 256>>>(dQ, dOut, m.rate - m.dividend, n);
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) priceQuads<<<432, 256>>>(dQ, dOut, m.rate - m.dividend, n);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  printf("quads: %.4f ms\n", ms / reps);

  cudaMemset(dBucket, 0, 10 * sizeof(float));
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) bookValue<<<(n + bs - 1) / bs, bs>>>(dOpt, dBucket, 10, n);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  printf("book: %.4f ms\n", ms / reps);

  cudaMemcpy(h.data(), dOpt, n * sizeof(Option), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double r = m.rate - m.dividend, S = h[i].spot, X = h[i].strike, T = h[i].years, v = h[i].vol;
    double d1 = (log(S / X) + (r + 0.5 * v * v) * T) / (v * sqrt(T)), d2 = d1 - v * sqrt(T);
    double c = S * N(d1) - X * exp(-r * T) * N(d2);
    worst = fmax(worst, fabs(c - h[i].call));
  }
  printf("%s (%g)\n", worst < 1e-3 ? "PASS" : "FAIL", worst);
  return 0;
}
