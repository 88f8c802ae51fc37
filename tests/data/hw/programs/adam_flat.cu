// AdamW update over a list of parameter tensors with global gradient-norm clipping
// adam_flat [number of layers] [steps]      (48 100)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cuda_runtime.h>

typedef struct {
  int   n;
  float *w, *g, *m, *v;
} tensor;

typedef struct {
  float lr, beta1, beta2, eps, decay, clip;
} hyper;

#define BLK 256

#define GPU_ASSERT(x) do { cudaError_t e = (x); \
  if (e != cudaSuccess) { fprintf(stderr, "GPU: %s %s:%d\n", cudaGetErrorString(e), __FILE__, __LINE__); abort(); } } while (0)

__global__ void fill(float *p, int n, float a, float b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = a * sin((double)(i % 1000) * b);
}

__global__ void grad_norm(const float *g, int n, float *acc)
{
  float s = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += g[i] * g[i];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(acc, s);
}

__global__ void adam_step(float *w, const float *g, float *m, float *v, const float *norm,
                          int n, int t, hyper h)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float total = sqrtf(*norm);
  float coef = total > h.clip ? h.clip / total : 1.0f;
  float gi = g[i] * coef;
  m[i] = h.beta1 * m[i] + (1.0 - h.beta1) * gi;
  v[i] = h.beta2 * v[i] + (1.0 - h.beta2) * gi * gi;
  float mh = m[i] / (1.0 - pow((double)h.beta1, (double)t));
  float vh = v[i] / (1.0 - pow((double)h.beta2, (double)t));
  w[i] -= h.lr * (mh / (sqrtf(vh) + h.eps) + h.decay * w[i]);
}

static int cmp_cpu(const tensor *p, int steps, const hyper *h, const float *norms)
{
  int n = p->n < 1000 ? p->n : 1000, bad = 0;
  float *got = (float *)malloc(n * sizeof(float));
  GPU_ASSERT(cudaMemcpy(got, p->w, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double w = (float)(0.1 * sin((double)(i % 1000) * 0.01f)), g = (float)(0.01f * sin((double)(i % 1000) * 0.37f));
    double m = 0, v = 0;
    for (int t = 1; t <= steps; t++) {
      double tot = sqrt((double)norms[t - 1]), gi = g * (tot > h->clip ? h->clip / tot : 1.0);
      m = h->beta1 * m + (1.0 - h->beta1) * gi;
      v = h->beta2 * v + (1.0 - h->beta2) * gi * gi;
      double mh = m / (1.0 - pow(h->beta1, t)), vh = v / (1.0 - pow(h->beta2, t));
      w -= h->lr * (mh / (sqrt(vh) + h->eps) + h->decay * w);
    }
    if (fabs(w - got[i]) > 1e-3) bad++;
  }
  free(got);
  return bad;
}

int main(int argc, char **argv)
{
  int layers = argc > 1 ? atoi(argv[1]) : 48;
  int steps = argc > 2 ? atoi(argv[2]) : 100;
  hyper h = {1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 1.0f};
  const int sizes[4] = {1024 * 1024, 1024, 4096, 256 * 1024};
  const int nt = layers * 4;
  tensor *p = (tensor *)malloc(nt * sizeof(tensor));
  float *norms = (float *)malloc(steps * sizeof(float));
  float *d_norm;
  GPU_ASSERT(cudaMalloc((void **)&d_norm, sizeof(float)));
  for (int k = 0; k < nt; k++) {
    p[k].n = sizes[k % 4];
    const size_t bytes = p[k].n * sizeof(float);
    GPU_ASSERT(cudaMalloc((void **)&p[k].w, bytes));
    GPU_ASSERT(cudaMalloc((void **)&p[k].g, bytes));
    GPU_ASSERT(cudaMalloc((void **)&p[k].m, bytes));
    GPU_ASSERT(cudaMalloc((void **)&p[k].v, bytes));
    int nb = (p[k].n + BLK - 1) / BLK;
    fill<<<nb, BLK>>>(p[k].w, p[k].n, 0.1f, 0.01f);
    fill<<<nb, BLK>>>(p[k].g, p[k].n, 0.01f, 0.37f);
    GPU_ASSERT(cudaMemset(p[k].m, 0, bytes));
    GPU_ASSERT(cudaMemset(p[k].v, 0, bytes));
  }
  GPU_ASSERT(cudaDeviceSynchronize());

  cudaEvent_t e0, e1;
  GPU_ASSERT(cudaEventCreate(&e0));
  GPU_ASSERT(cudaEventCreate(&e1));
  GPU_ASSERT(cudaEventRecord(e0));
  for (int t = 1; t <= steps; t++) {
    GPU_ASSERT(cudaMemsetAsync(d_norm, 0, sizeof(float)));
    for (int k = 0; k < nt; k++) {
      int nb = (p[k].n + BLK - 1) / BLK;
      grad_norm<<<nb < 64 ? nb : 64, BLK>>>(p[k].g, p[k].n, d_norm);
    }
    GPU_ASSERT(cudaMemcpy(&norms[t - 1], d_norm, sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < nt; k++) {
      adam_step<<<(p[k].n + BLK - 1) / BLK, BLK>>>(p[k].w, p[k].g, p[k].m, p[k].v, d_norm, p[k].n, t, h);
    }
  }
  GPU_ASSERT(cudaEventRecord(e1));
  GPU_ASSERT(cudaEventSynchronize(e1));
  float ms;
  GPU_ASSERT(cudaEventElapsedTime(&ms, e0, e1));
  int bad = cmp_cpu(&p[0], steps, &h, norms);
  printf("%s, %.4f ms per optimiser step, gradient norm %.4f\n", bad ? "FAIL" : "PASS", ms / steps, sqrt(norms[steps - 1]));
  for (int k = 0; k < nt; k++) { cudaFree(p[k].w); cudaFree(p[k].g); cudaFree(p[k].m); cudaFree(p[k].v); }
  cudaFree(d_norm);
  free(p); free(norms);
  return bad != 0;
}
