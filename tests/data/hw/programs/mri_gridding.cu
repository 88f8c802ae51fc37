// Convolution gridding of non-Cartesian k-space samples onto a 2-D grid per coil.
// ./mri_gridding <grid size> <repeat>     e.g. ./mri_gridding 256 10
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda.h>

#define KB_TABLE 256
#define KW       4
#define NCOIL    2

struct ksample {
  float kx, ky;
  float dcf;
  float re[NCOIL];
  float im[NCOIL];
};

__constant__ float kb_lut[KB_TABLE];

__global__ void zero_grid(float2 *g, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    g[i] = make_float2(0.0f, 0.0f);
}

__global__ void gridding(const ksample *smp, float2 *grid, int ns, int gs)
{
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= ns) return;
  float gx = (smp[s].kx + 0.5f) * gs;
  float gy = (smp[s].ky + 0.5f) * gs;
  int x0 = (int)ceilf(gx - KW), x1 = (int)floorf(gx + KW);
  int y0 = (int)ceilf(gy - KW), y1 = (int)floorf(gy + KW);

  for (int y = y0; y <= y1; y++) {
    for (int x = x0; x <= x1; x++) {
      float dx = gx - x, dy = gy - y;
      int ix = (int)(fabsf(dx) * (KB_TABLE - 1) / KW);
      int iy = (int)(fabsf(dy) * (KB_TABLE - 1) / KW);
      float w = kb_lut[ix] * kb_lut[iy];
      int xx = (x + gs) % gs;
      int yy = (y + gs) % gs;
      for (int c = 0; c < NCOIL; c++) {
        float2 *cell = &grid[c * gs * gs + yy * gs + xx];
        atomicAdd(&cell->x, w * smp[s].dcf * smp[s].re[c]);
        atomicAdd(&cell->y, w * smp[s].dcf * smp[s].im[c]);
      }
    }
  }
}

__global__ void combine_coils(const float2 *__restrict__ grid, float *__restrict__ mag, int gs)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= gs || y >= gs) return;
  float acc = 0.0f;
  for (int c = 0; c < NCOIL; c++) {
    float2 v = grid[(c * gs + y) * gs + x];
    acc += v.x * v.x + v.y * v.y;
  }
  mag[y * gs + x] = sqrtf(acc);
}

static void spiral(ksample *s, int n)
{
  for (int i = 0; i < n; i++) {
    double t = (double)i / n;
    double r = 0.48 * sqrt(t), a = 2.0 * M_PI * 64.0 * sqrt(t);
    s[i].kx = (float)(r * cos(a));
    s[i].ky = (float)(r * sin(a));
    s[i].dcf = (float)t;
    for (int c = 0; c < NCOIL; c++) {
      s[i].re[c] = cosf(0.01f * i + c);
      s[i].im[c] = sinf(0.01f * i + c);
    }
  }
}

int main(int argc, char **argv)
{
  int gs = 256, repeat = 10;
  if (argc == 3) { gs = atoi(argv[1]); repeat = atoi(argv[2]); }
  else printf("Usage: %s <grid size> <repeat>, using %d %d\n", argv[0], gs, repeat);

  const int ns = gs * gs * 2;
  const int ng = gs * gs * NCOIL;
  ksample *h = (ksample *)malloc(sizeof(ksample) * ns);
  float *h_mag = (float *)malloc(sizeof(float) * gs * gs);
  spiral(h, ns);
  float lut[KB_TABLE];
  for (int i = 0; i < KB_TABLE; i++) {
    double u = (double)i / (KB_TABLE - 1);
    lut[i] = (float)exp(-4.0 * u * u);
  }
  cudaMemcpyToSymbol(kb_lut, lut, sizeof(lut));

  ksample *d_s; float2 *d_g; float *d_mag;
  cudaMalloc((void **)&d_s, sizeof(ksample) * ns);
  cudaMalloc((void **)&d_g, sizeof(float2) * ng);
  cudaMalloc((void **)&d_mag, sizeof(float) * gs * gs);
  cudaMemcpy(d_s, h, sizeof(ksample) * ns, cudaMemcpyHostToDevice);

  cudaEvent_t a, b; float ms;
  cudaEventCreate(&a); cudaEventCreate(&b);
  cudaEventRecord(a);
  dim3 blk(32, 8), grd((gs + 31) / 32, (gs + 7) / 8);
  for (int r = 0; r < repeat; r++) {
    zero_grid<<<256, 256>>>(d_g, ng);
    gridding<<<(ns + 255) / 256, 256>>>(d_s, d_g, ns, gs);
    combine_coils<<<grd, blk>>>(d_g, d_mag, gs);
  }
  cudaEventRecord(b); cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(h_mag, d_mag, sizeof(float) * gs * gs, cudaMemcpyDeviceToHost);

  double sum = 0.0; int bad = 0;
  for (int i = 0; i < gs * gs; i++) { sum += h_mag[i]; if (!(h_mag[i] >= 0.0f)) bad++; }
  printf("%s  checksum %f\n", bad ? "FAIL" : "PASS", sum);
  printf("average time %f ms\n", ms / repeat);
  free(h); free(h_mag);
  cudaFree(d_s); cudaFree(d_g); cudaFree(d_mag);
  return 0;
}
