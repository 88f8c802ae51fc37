#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

/* Geometric multigrid for -Laplace(u) = f, vertex centred, (2^p+1)^2 points; V(2,2) cycles.
   No arguments: p = 11, 10 cycles. */

#define P       11
#define NLEV    8
#define CYCLES  10
#define BX      32
#define BY      4

#define IDX(i, j, n) ((j) * (n) + (i))

__global__ void smooth_rb(float *u, const float *f, int n, float h2, int colour)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  if (((i + j) & 1) != colour) return;
  u[IDX(i, j, n)] = 0.25f * (u[IDX(i - 1, j, n)] + u[IDX(i + 1, j, n)] +
                             u[IDX(i, j - 1, n)] + u[IDX(i, j + 1, n)] + h2 * f[IDX(i, j, n)]);
}

__global__ void residual(const float *u, const float *f, float *r, int n, float ih2)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float v = 0.0f;
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    v = f[IDX(i, j, n)] - ih2 * (4.0f * u[IDX(i, j, n)] - u[IDX(i - 1, j, n)] - u[IDX(i + 1, j, n)] -
                                 u[IDX(i, j - 1, n)] - u[IDX(i, j + 1, n)]);
  r[IDX(i, j, n)] = v;
}

__global__ void restrict_fw(const float *rf, float *fc, float *uc, int nc, int nf)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nc || j >= nc) return;
  float v = 0.0f;
  if (i > 0 && j > 0 && i < nc - 1 && j < nc - 1) {
    int a = 2 * i, b = 2 * j;
    v = 0.25f * rf[IDX(a, b, nf)]
      + 0.125f * (rf[IDX(a - 1, b, nf)] + rf[IDX(a + 1, b, nf)] + rf[IDX(a, b - 1, nf)] + rf[IDX(a, b + 1, nf)])
      + 0.0625f * (rf[IDX(a - 1, b - 1, nf)] + rf[IDX(a + 1, b - 1, nf)] +
                   rf[IDX(a - 1, b + 1, nf)] + rf[IDX(a + 1, b + 1, nf)]);
  }
  fc[IDX(i, j, nc)] = v;
  uc[IDX(i, j, nc)] = 0.0f;
}

__global__ void prolong_add(const float *uc, float *uf, int nc, int nf)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nf || j >= nf) return;
  int a = i / 2, b = j / 2;
  int a1 = a + (i & 1), b1 = b + (j & 1);
  uf[IDX(i, j, nf)] += 0.25f * (uc[IDX(a, b, nc)] + uc[IDX(a1, b, nc)] + uc[IDX(a, b1, nc)] + uc[IDX(a1, b1, nc)]);
}

__global__ void norm2(const float *r, float *out, int n)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  atomicAdd(out, r[k] * r[k]);
}

static float *u[NLEV], *f[NLEV], *r[NLEV];
static int sz[NLEV];

static void vcycle(int l)
{
  const int n = sz[l];
  const float h = 1.0f / (n - 1);
  dim3 b(BX, BY), g((n + BX - 1) / BX, (n + BY - 1) / BY);
  int sweeps = (l == NLEV - 1) ? 40 : 2;
  for (int s = 0; s < sweeps; s++) {
    smooth_rb<<<g, b>>>(u[l], f[l], n, h * h, 0);
    smooth_rb<<<g, b>>>(u[l], f[l], n, h * h, 1);
    cudaDeviceSynchronize();
  }
  if (l == NLEV - 1) return;
  residual<<<g, b>>>(u[l], f[l], r[l], n, 1.0f / (h * h));
  const int nc = sz[l + 1];
  dim3 gc((nc + BX - 1) / BX, (nc + BY - 1) / BY);
  restrict_fw<<<gc, b>>>(r[l], f[l + 1], u[l + 1], nc, n);
  vcycle(l + 1);
  prolong_add<<<g, b>>>(u[l + 1], u[l], nc, n);
  for (int s = 0; s < 2; s++)
    for (int c = 0; c < 2; c++) smooth_rb<<<g, b>>>(u[l], f[l], n, h * h, c);
}

int main(void)
{
  int n = (1 << P) + 1;
  for (int l = 0; l < NLEV; l++) {
    sz[l] = ((n - 1) >> l) + 1;
    size_t bytes = sizeof(float) * sz[l] * sz[l];
    cudaMalloc((void **)&u[l], bytes); cudaMalloc((void **)&f[l], bytes); cudaMalloc((void **)&r[l], bytes);
    cudaMemset(u[l], 0, bytes);
  }
  float *hf = (float *)malloc(sizeof(float) * n * n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      hf[IDX(i, j, n)] = (float)(2.0 * M_PI * M_PI * sin(M_PI * i / (n - 1)) * sin(M_PI * j / (n - 1)));
  cudaMemcpy(f[0], hf, sizeof(float) * n * n, cudaMemcpyHostToDevice);

  cudaEvent_t t0, t1; float ms, *d_norm, nrm = 0.0f;
  cudaMalloc((void **)&d_norm, sizeof(float));
  cudaEventCreate(&t0); cudaEventCreate(&t1);
  cudaEventRecord(t0);
  for (int c = 0; c < CYCLES; c++) {
    vcycle(0);
    cudaMemset(d_norm, 0, sizeof(float));
    norm2<<<(n * n + 255) / 256, 256>>>(r[0], d_norm, n * n);
    cudaMemcpy(&nrm, d_norm, sizeof(float), cudaMemcpyDeviceToHost);
    printf("cycle %2d  |r| = %e\n", c, sqrt((double)nrm) / n);
  }
  cudaEventRecord(t1); cudaEventSynchronize(t1);
  cudaEventElapsedTime(&ms, t0, t1);
  cudaMemcpy(hf, u[0], sizeof(float) * n * n, cudaMemcpyDeviceToHost);
  double err = 0.0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double e = fabs(hf[IDX(i, j, n)] - sin(M_PI * i / (n - 1)) * sin(M_PI * j / (n - 1)));
      if (e > err) err = e;
    }
  printf("max error %.3e %s, %.3f ms per cycle\n", err, err < 1e-1 ? "PASS" : "FAIL", ms / CYCLES);
  free(hf);
  return 0;
}
