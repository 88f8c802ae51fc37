// SU(3) matrix-matrix multiply over a 4-D lattice, plus average plaquette trace.
// usage: su3_mult [-L lattice_dim] [-i iterations]      (default: -L 16 -i 50)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <unistd.h>
#include <chrono>
#include <cuda_runtime.h>

#define CUCHECK(call) do { cudaError_t err_ = (call); if (err_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); exit(1); } } while (0)

typedef struct { float re, im; } cpx;
typedef struct { cpx e[3][3]; } su3_matrix;

typedef struct {
  su3_matrix link[4];
  int x, y, z, t;
  int index;
  int parity;
  int pad[2];
} site;

#define THREADS 128

__global__ void k_init(site *s, int L, int total)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  s[i].x = i % L;
  s[i].y = (i / L) % L;
  s[i].z = (i / (L * L)) % L;
  s[i].t = i / (L * L * L);
  s[i].index = i;
  s[i].parity = (s[i].x + s[i].y + s[i].z + s[i].t) & 1;
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        s[i].link[j].e[k][l].re = (k == l) ? 1.0f : 0.01f * (float)((i + 3 * j + k) & 7);
        s[i].link[j].e[k][l].im = 0.005f * (float)((i + l) & 3);
      }
}

__global__ void k_mat_nn(const site *__restrict__ a, const su3_matrix *__restrict__ b,
                         site *__restrict__ c, int total)
{
  int mysite = blockIdx.x * blockDim.x + threadIdx.x;
  if (mysite >= total) return;
  for (int j = 0; j < 4; j++) {
    for (int k = 0; k < 3; k++) {
      for (int l = 0; l < 3; l++) {
        float re = 0.0f, im = 0.0f;
        for (int m = 0; m < 3; m++) {
          const cpx x = a[mysite].link[j].e[k][m];
          const cpx y = b[j].e[m][l];
          re += x.re * y.re - x.im * y.im;
          im += x.re * y.im + x.im * y.re;
        }
        c[mysite].link[j].e[k][l].re = re;
        c[mysite].link[j].e[k][l].im = im;
      }
    }
  }
}

__global__ void k_trace(const site *__restrict__ c, double *sum, int total)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  double tr = 0.0;
  for (int j = 0; j < 4; j++)
    tr += (double)c[i].link[j].e[0][0].re + c[i].link[j].e[1][1].re + c[i].link[j].e[2][2].re;
  atomicAdd(sum, tr);
}

int main(int argc, char **argv)
{
  int L = 16, iters = 50, opt;
  while ((opt = getopt(argc, argv, "L:i:")) != -1) {
    switch (opt) {
      case 'L': L = atoi(optarg); break;
      case 'i': iters = atoi(optarg); break;
      default: fprintf(stderr, "usage: %s [-L dim] [-i iterations]\n", argv[0]); return 1;
    }
  }
  const int total = L * L * L * L;
  site *d_a, *d_c;
  su3_matrix *d_b, h_b[4];
  double *d_sum, h_sum = 0.0;
  CUCHECK(cudaMalloc(&d_a, total * sizeof(site)));
  CUCHECK(cudaMalloc(&d_c, total * sizeof(site)));
  CUCHECK(cudaMalloc(&d_b, sizeof(h_b)));
  CUCHECK(cudaMalloc(&d_sum, sizeof(double)));
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        h_b[j].e[k][l].re = (k == l) ? 1.0f / 3.0f : 0.0f;
        h_b[j].e[k][l].im = 0.0f;
      }
  CUCHECK(cudaMemcpy(d_b, h_b, sizeof(h_b), cudaMemcpyHostToDevice));
  const int blocks = (total + THREADS - 1) / THREADS;
  k_init<<<blocks, THREADS>>>(d_a, L, total);
  CUCHECK(cudaDeviceSynchronize());

  auto t0 = std::chrono::steady_clock::now();
  for (int it = 0; it < iters; it++) {
    k_mat_nn<<<blocks, THREADS>>>(d_a, d_b, d_c, total);
    if (it % 10 == 9) {
      CUCHECK(cudaMemset(d_sum, 0, sizeof(double)));
      k_trace<<<blocks, THREADS>>>(d_c, d_sum, total);
      CUCHECK(cudaMemcpy(&h_sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost));
    }
  }
  CUCHECK(cudaDeviceSynchronize());
  double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();

  double ref = 0.0;
  for (int i = 0; i < total; i++) ref += 12.0 / 3.0;
  if (iters >= 10)
    printf("trace %.6f (reference %.6f) %s\n", h_sum, ref, fabs(h_sum - ref) < 1e-4 * ref ? "PASS" : "FAIL");
  printf("L=%d  time per sweep %.3f us  GFLOP/s %.2f\n", L, 1e6 * sec / iters,
         1e-9 * total * 4.0 * 198.0 * iters / sec);
  cudaFree(d_a); cudaFree(d_b); cudaFree(d_c); cudaFree(d_sum);
  return 0;
}
