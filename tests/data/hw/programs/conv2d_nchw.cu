#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct ConvShape {
  int batch, inC, outC, h, w, k;
  __host__ __device__ int outH() const { return h - k + 1; }
  __host__ __device__ int outW() const { return w - k + 1; }
  size_t inSize() const { return (size_t)batch * inC * h * w; }
  size_t outSize() const { return (size_t)batch * outC * outH() * outW(); }
  size_t wSize() const { return (size_t)outC * inC * k * k; }
};

// generic direct convolution, one output element per thread
__global__ void convDirect(const float *in, const float *wt, float *out, int inC, int outC, int h, int w, int k,
                           int total) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= total) return;
  int oh = h - k + 1, ow = w - k + 1;
  int x = idx % ow;
  int y = (idx / ow) % oh;
  int oc = (idx / (ow * oh)) % outC;
  int b = idx / (ow * oh * outC);
  float acc = 0.f;
  for (int t = 0; t < inC * k * k; ++t) {
    int ic = t / (k * k);
    int ky = (t / k) % k;
    int kx = t % k;
    acc += in[((b * inC + ic) * h + y + ky) * w + x + kx] * wt[oc * inC * k * k + t];
  }
  out[idx] = acc;
}

// K is known at compile time, weights of one output channel staged in shared memory
template <int K, int TX, int TY>
__global__ void convTile(const float *__restrict__ in, const float *__restrict__ wt, float *__restrict__ out,
                         ConvShape s) {
  extern __shared__ float ws[];
  int oc = blockIdx.z % s.outC;
  int b = blockIdx.z / s.outC;
  for (int i = threadIdx.y * TX + threadIdx.x; i < s.inC * K * K; i += TX * TY)
    ws[i] = wt[(size_t)oc * s.inC * K * K + i];
  __syncthreads();
  int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  if (x >= s.outW() || y >= s.outH()) return;
  float acc = 0.f;
  for (int ic = 0; ic < s.inC; ++ic) {
    const float *p = in + ((size_t)(b * s.inC + ic) * s.h + y) * s.w + x;
    float win[K * K];
#pragma unroll
    for (int i = 0; i < K * K; ++i) win[i] = p[(i / K) * s.w + i % K];
#pragma unroll
    for (int i = 0; i < K * K; ++i) acc += win[i] * ws[ic * K * K + i];
  }
  out[((size_t)(b * s.outC + oc) * s.outH() + y) * s.outW() + x] = acc;
}

// bias + activation; act: 0 none, 1 relu, 2 silu
__global__ void biasAct(float *out, const float *bias, int outC, int plane, int total, int act) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= total) return;
  int c = idx % outC;
  int r = idx / outC;
  int addr = (r / plane) * outC * plane + c * plane + r % plane;
  float v = out[addr] + bias[c];
  if (act == 1) v = fmaxf(v, 0.f);
  else if (act == 2) v = v / (1.0f + expf(-v));
  out[addr] = v;
}

static void reference(const std::vector<float> &in, const std::vector<float> &wt, std::vector<float> &out,
                      const ConvShape &s, int b) {
  size_t o = 0;
  for (int oc = 0; oc < s.outC; ++oc)
    for (int y = 0; y < s.outH(); ++y)
      for (int x = 0; x < s.outW(); ++x) {
        float a = 0;
        for (int ic = 0; ic < s.inC; ++ic)
          for (int ky = 0; ky < s.k; ++ky)
            for (int kx = 0; kx < s.k; ++kx)
              a += in[((size_t)(b * s.inC + ic) * s.h + y + ky) * s.w + x + kx] *
                   wt[((size_t)(oc * s.inC + ic) * s.k + ky) * s.k + kx];
        out[o++] = a;
      }
}

int main(int argc, char **argv) {
  ConvShape s = {16, 16, 32, 128, 128, 5};
  if (argc > 1) s.batch = atoi(argv[1]);
  if (argc > 2) s.inC = atoi(argv[2]);
  if (argc > 3) s.outC = atoi(argv[3]);
  int reps = argc > 4 ? atoi(argv[4]) : 10;
  std::vector<float> in(s.inSize()), wt(s.wSize()), bias(s.outC, 0.f), out(s.outSize());
  for (size_t i = 0; i < in.size(); ++i) in[i] = ((i * 37) % 101) / 101.f;
  for (size_t i = 0; i < wt.size(); ++i) wt[i] = ((i * 13) % 29) / 29.f - 0.5f;
  float *dIn, *dW, *dB, *dOut;
  cudaMalloc(&dIn, in.size() * 4);
  cudaMalloc(&dW, wt.size() * 4);
  cudaMalloc(&dB, bias.size() * 4);
  cudaMalloc(&dOut, out.size() * 4);
  cudaMemcpy(dIn, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dW, wt.data(), wt.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice);
  std::vector<float> ref(out.size() / s.batch);
  reference(in, wt, ref, s, 0);

  int total = (int)s.outSize();
  dim3 tb(32, 8), tg((s.outW() + 31) / 32, (s.outH() + 7) / 8, s.batch * s.outC);
  size_t smem = s.inC * 25 * sizeof(float);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  for (int v = 0; v < 2; ++v) {
    cudaEventRecord(a);
    for (int r = 0; r < reps; ++r) {
      if (v == 0) convDirect<<<(total + 255) / 256, 256>>>(dIn, dW, dOut, s.inC, s.outC, s.h, s.w, s.k, total);
      else convTile<5, 32, 8><<<tg, tb, smem>>>(dIn, dW, dOut, s);
      biasAct<<<(total + 255) / 256, 256>>>(dOut, dB, s.outC, s.outH() * s.outW(), total, 1);
    }
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    cudaMemcpy(out.data(), dOut, out.size() * 4, cudaMemcpyDeviceToHost);
    float err = 0;
    for (size_t i = 0; i < ref.size(); ++i) err = fmaxf(err, fabsf(fmaxf(ref[i], 0.f) - out[i]));
    printf("variant %d: %s %.3f ms\n", v, err < 1e-2f ? "PASS" : "FAIL", ms / reps);
  }
  return 0;
}
