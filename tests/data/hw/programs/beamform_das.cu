// Delay-and-sum ultrasound beamformer (plane wave), one frame of RF data -> image of complex pixels.
// Run without arguments for 128 elements, 2048 samples, 512 x 512 pixels.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <string>
#include <vector>
#include <stdexcept>
#include <cuda_runtime.h>

struct Probe {
  int   elements;
  int   samples;
  float pitch;      // mm
  float fs;         // MHz
  float c;          // mm/us
};

struct ImageGrid {
  int   nx, nz;
  float x0, z0, dx, dz;
};

static void must(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

__constant__ float c_apod[256];

__global__ void das_kernel(const float2 *__restrict__ rf, float2 *__restrict__ img, Probe p, ImageGrid g)
{
  const int iz = blockIdx.x * blockDim.x + threadIdx.x;
  const int ix = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= g.nx || iz >= g.nz) return;
  const float x = g.x0 + ix * g.dx;
  const float z = g.z0 + iz * g.dz;
  float2 acc = make_float2(0.f, 0.f);
  for (int e = 0; e < p.elements; ++e) {
    const float xe = (e - 0.5f * (p.elements - 1)) * p.pitch;
    const float d = sqrtf((x - xe) * (x - xe) + z * z);
    const float t = (z + d) / p.c * p.fs;
    const int s = (int)t;
    if (s < 0 || s + 1 >= p.samples) continue;
    const float f = t - s;
    const float2 a = rf[(size_t)s * p.elements + e];
    const float2 b = rf[(size_t)(s + 1) * p.elements + e];
    float sn, cs;
    sincos(2.0 * M_PI * 5.0 * t / p.fs, &sn, &cs);
    const float w = c_apod[e];
    const float re = a.x + f * (b.x - a.x), im = a.y + f * (b.y - a.y);
    acc.x += w * (re * cs - im * sn);
    acc.y += w * (re * sn + im * cs);
  }
  img[(size_t)ix * g.nz + iz] = acc;
}

__global__ void envelope(const float2 *__restrict__ img, float *__restrict__ db, int n, float ref)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 v = img[i];
  db[i] = 20.0f * log10f(sqrtf(v.x * v.x + v.y * v.y) / ref + 1e-6f);
}

class Beamformer {
 public:
  Beamformer(const Probe &p, const ImageGrid &g) : p_(p), g_(g) {
    must(cudaMalloc(&rf_, sizeof(float2) * p.elements * p.samples));
    must(cudaMalloc(&img_, sizeof(float2) * g.nx * g.nz));
    must(cudaMalloc(&db_, sizeof(float) * g.nx * g.nz));
    std::vector<float> w(p.elements);
    for (int e = 0; e < p.elements; ++e) w[e] = 0.54f - 0.46f * std::cos(2.0 * M_PI * e / (p.elements - 1));
    must(cudaMemcpyToSymbol(c_apod, w.data(), sizeof(float) * w.size()));
  }
  ~Beamformer() { cudaFree(rf_); cudaFree(img_); cudaFree(db_); }
  void upload(const std::vector<float2> &rf) {
    must(cudaMemcpy(rf_, rf.data(), sizeof(float2) * rf.size(), cudaMemcpyHostToDevice));
  }
  void run() {
    dim3 b(64, 4), gr((g_.nz + 63) / 64, (g_.nx + 3) / 4);
    das_kernel<<<gr, b>>>(rf_, img_, p_, g_);
    const int n = g_.nx * g_.nz;
    envelope<<<(n + 255) / 256, 256>>>(img_, db_, n, 100.0f);
    must(cudaGetLastError());
  }
  std::vector<float> fetch() const {
    std::vector<float> h(size_t(g_.nx) * g_.nz);
    must(cudaMemcpy(h.data(), db_, sizeof(float) * h.size(), cudaMemcpyDeviceToHost));
    return h;
  }
 private:
  Probe p_; ImageGrid g_;
  float2 *rf_ = nullptr, *img_ = nullptr;
  float *db_ = nullptr;
};

int main(int argc, char **argv) try {
  const int frames = argc > 1 ? std::stoi(argv[1]) : 10;
  Probe p{128, 2048, 0.3f, 20.0f, 1.54f};
  ImageGrid g{512, 512, -19.2f, 5.0f, 0.075f, 0.1f};
  std::vector<float2> rf(size_t(p.samples) * p.elements, make_float2(0.f, 0.f));
  const float sx = 3.0f, sz = 30.0f;
  for (int e = 0; e < p.elements; ++e) {
    float xe = (e - 0.5f * (p.elements - 1)) * p.pitch;
    float t = (sz + std::sqrt((sx - xe) * (sx - xe) + sz * sz)) / p.c * p.fs;
    for (int k = -8; k <= 8; ++k) {
      int s = (int)t + k;
      float a = std::exp(-0.05f * k * k), ph = -2.0f * (float)M_PI * 5.0f * s / p.fs;
      if (s >= 0 && s < p.samples) rf[size_t(s) * p.elements + e] = make_float2(a * std::cos(ph), a * std::sin(ph));
    }
  }
  Beamformer bf(p, g);
  bf.upload(rf);
  cudaEvent_t t0, t1;
  must(cudaEventCreate(&t0)); must(cudaEventCreate(&t1));
  must(cudaEventRecord(t0));
  for (int f = 0; f < frames; ++f) bf.run();
  must(cudaEventRecord(t1));
  must(cudaEventSynchronize(t1));
  float ms;
  must(cudaEventElapsedTime(&ms, t0, t1));
  std::vector<float> db = bf.fetch();
  size_t best = 0;
  for (size_t i = 0; i < db.size(); ++i) if (db[i] > db[best]) best = i;
  float bx = g.x0 + (best / g.nz) * g.dx, bz = g.z0 + (best % g.nz) * g.dz;
  bool pass = std::fabs(bx - sx) < 0.5f && std::fabs(bz - sz) < 1.0f;
  std::printf("peak at x=%.2f z=%.2f (expected %.2f %.2f) %s\n", bx, bz, sx, sz, pass ? "PASS" : "FAIL");
  std::printf("%.3f ms per frame\n", ms / frames);
  return 0;
} catch (const std::exception &ex) {
  std::fprintf(stderr, "failed: %s\n", ex.what());
  return 1;
}
