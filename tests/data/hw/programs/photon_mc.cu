/* Monte-Carlo photon migration in a layered medium (after the MCML family of codes).
   Run:  ./photon_mc [photons per thread] */
#include <iostream>
#include <cstdint>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

namespace cfg {
  constexpr int kBlock   = 256;
  constexpr int kGrid    = 160;
  constexpr int kLayers  = 5;
  constexpr int kDepth   = 64;
}

struct Layer { float mua, mus, g, n, z1; };
__constant__ Layer c_layer[cfg::kLayers];

struct Rng { uint32_t x, y, z, w; };

__device__ inline float draw(Rng *r)
{
  uint32_t t = r->x ^ (r->x << 11);
  r->x = r->y; r->y = r->z; r->z = r->w;
  r->w = r->w ^ (r->w >> 19) ^ t ^ (t >> 8);
  return (r->w >> 8) * (1.0f / 16777216.0f) + 1e-8f;
}

__global__ void seed(Rng *st, uint32_t s0)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t h = (i + 1) * 2654435761u ^ s0;
  Rng r;
  r.x = h; r.y = h * 1664525u + 1013904223u; r.z = r.y * 1664525u + 1013904223u; r.w = r.z ^ 0x9e3779b9u;
  st[i] = r;
}

__global__ void transport(Rng *state, float *absorbed, float *escaped, int photons)
{
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  Rng *rng = &state[tid];
  for (int p = 0; p < photons; ++p) {
    float x = 0.f, y = 0.f, z = 0.f, ux = 0.f, uy = 0.f, uz = 1.f, w = 1.f;
    int layer = 0;
    while (w > 0.f) {
      const Layer L = c_layer[layer];
      float step = -log(draw(rng) * 1.0) / (L.mua + L.mus);
      x += step * ux; y += step * uy; z += step * uz;
      if (z < 0.f) { atomicAdd(escaped, w); break; }
      while (layer < cfg::kLayers - 1 && z > c_layer[layer].z1) ++layer;
      while (layer > 0 && z < c_layer[layer - 1].z1) --layer;
      float dw = w * L.mua / (L.mua + L.mus);
      w -= dw;
      int bin = min(cfg::kDepth - 1, (int)(z * 16.f));
      atomicAdd(&absorbed[bin], dw);

      float cost, s = draw(rng);
      if (L.g == 0.f) cost = 2.f * s - 1.f;
      else {
        float t = (1.f - L.g * L.g) / (1.f - L.g + 2.f * L.g * s);
        cost = (1.f + L.g * L.g - t * t) / (2.f * L.g);
      }
      float sint = sqrtf(fmaxf(0.f, 1.f - cost * cost));
      float sp, cp;
      sincosf(6.2831853f * draw(rng), &sp, &cp);
      if (fabsf(uz) > 0.99999f) {
        ux = sint * cp; uy = sint * sp; uz = copysignf(cost, uz);
      } else {
        float q = rsqrtf(1.f - uz * uz);
        float nx = sint * (ux * uz * cp - uy * sp) * q + ux * cost;
        float ny = sint * (uy * uz * cp + ux * sp) * q + uy * cost;
        uz = -sint * cp / q + uz * cost;
        ux = nx; uy = ny;
      }
      if (w < 1e-3f) {
        if (draw(rng) < 0.1f) w *= 10.f; else w = 0.f;
      }
    }
  }
}

int main(int argc, char **argv)
{
  const int photons = argc > 1 ? std::atoi(argv[1]) : 100;
  const Layer h[cfg::kLayers] = {
    {0.10f, 10.f, 0.90f, 1.4f, 0.1f}, {0.20f, 12.f, 0.90f, 1.4f, 0.4f}, {0.15f, 15.f, 0.85f, 1.4f, 1.0f},
    {0.30f, 20.f, 0.80f, 1.4f, 2.0f}, {0.40f, 20.f, 0.80f, 1.4f, 1e6f}};
  cudaMemcpyToSymbol(c_layer, h, sizeof(h));

  const int threads = cfg::kBlock * cfg::kGrid;
  Rng *st; float *absorbed, *escaped;
  cudaMallocManaged(&st, threads * sizeof(Rng));
  cudaMallocManaged(&absorbed, cfg::kDepth * sizeof(float));
  cudaMallocManaged(&escaped, sizeof(float));
  cudaMemset(absorbed, 0, cfg::kDepth * sizeof(float));
  cudaMemset(escaped, 0, sizeof(float));

  seed<<<cfg::kGrid, cfg::kBlock>>>(st, 777u);
  cudaDeviceSynchronize();

  cudaEvent_t t0, t1;
  cudaEventCreate(&t0); cudaEventCreate(&t1);
  cudaEventRecord(t0);
  transport<<<cfg::kGrid, cfg::kBlock>>>(st, absorbed, escaped, photons);
  cudaEventRecord(t1);
  cudaError_t err = cudaEventSynchronize(t1);
  if (err != cudaSuccess) { std::cerr << cudaGetErrorString(err) << std::endl; return 1; }
  float ms = 0.f;
  cudaEventElapsedTime(&ms, t0, t1);

  double total = *escaped;
  for (int i = 0; i < cfg::kDepth; ++i) total += absorbed[i];
  const double expect = (double)threads * photons;
  std::cout << "energy balance " << total / expect << "  "
            << (std::fabs(total / expect - 1.0) < 0.05 ? "PASS" : "FAIL") << "\n"
            << "kernel " << ms << " ms, " << expect / ms * 1e-3 << " Mphotons/s" << std::endl;
  cudaFree(st); cudaFree(absorbed); cudaFree(escaped);
  return 0;
}
