#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <sys/time.h>
#include <cuda_runtime.h>

/* iso-contour extraction of a scalar field: ./marching_squares <nx> <ny> <frames>  (2048 2048 10) */

typedef float real;
struct segment { real x0, y0, x1, y1; };

static double wtime(void)
{
  struct timeval tv; gettimeofday(&tv, NULL);
  return tv.tv_sec + 1e-6 * tv.tv_usec;
}

__constant__ signed char edge_table[16][4] = {
  {-1,-1,-1,-1}, {3,0,-1,-1}, {0,1,-1,-1}, {3,1,-1,-1}, {1,2,-1,-1}, {3,0,1,2}, {0,2,-1,-1}, {3,2,-1,-1},
  {2,3,-1,-1}, {2,0,-1,-1}, {0,1,2,3}, {2,1,-1,-1}, {1,3,-1,-1}, {1,0,-1,-1}, {0,3,-1,-1}, {-1,-1,-1,-1} };

__global__ void field_kernel(real *f, int nx, int ny, real phase)
{
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  real x = (real)i / nx * 6.0f - 3.0f;
  real y = (real)j / ny * 6.0f - 3.0f;
  real v = sin(3.0 * x + phase) * cos(3.0 * y) + 0.5 * x;
  f[j * nx + i] = v;
}

__device__ void edge_point(int e, int i, int j, const real *c, real iso, real *px, real *py)
{
  const int a = e, b = (e + 1) & 3;
  const real t = (iso - c[a]) / (c[b] - c[a]);
  const real ax = i + (a == 1 || a == 2), ay = j + (a >= 2);
  const real bx = i + (b == 1 || b == 2), by = j + (b >= 2);
  *px = ax + t * (bx - ax);
  *py = ay + t * (by - ay);
}

__global__ void march_kernel(const real *__restrict__ f, segment *__restrict__ out, int *__restrict__ counter,
                             int capacity, int nx, int ny, real iso)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx - 1 || j >= ny - 1) return;
  real c[4];
  c[0] = f[j * nx + i];
  c[1] = f[j * nx + i + 1];
  c[2] = f[(j + 1) * nx + i + 1];
  c[3] = f[(j + 1) * nx + i];
  int code = (c[0] > iso) | (c[1] > iso) << 1 | (c[2] > iso) << 2 | (c[3] > iso) << 3;
  for (int s = 0; s < 4; s += 2) {
    int e0 = edge_table[code][s];
    if (e0 < 0) return;
    int e1 = edge_table[code][s + 1];
    segment g;
    edge_point(e0, i, j, c, iso, &g.x0, &g.y0);
    edge_point(e1, i, j, c, iso, &g.x1, &g.y1);
    int k = atomicAdd(counter, 1);
    if (k < capacity) out[k] = g;
  }
}

__global__ void length_kernel(const segment *seg, const int *counter, float *length)
{
  int n = *counter;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    float sum = 0.0f;
    for (int s = 0; s < n; s++) {
      float dx = seg[s].x1 - seg[s].x0;
      float dy = seg[s].y1 - seg[s].y0;
      sum += sqrtf(dx * dx + dy * dy);
    }
    *length = sum;
  }
}

int main(int argc, char *argv[])
{
  int nx = 2048, ny = 2048, frames = 10;
  if (argc > 3) { nx = atoi(argv[1]); ny = atoi(argv[2]); frames = atoi(argv[3]); }
  const int cap = 1 << 18;
  real *f; segment *out; int *cnt; float *len;
  cudaMallocManaged(&f, sizeof(real) * nx * ny);
  cudaMallocManaged(&out, sizeof(segment) * cap);
  cudaMallocManaged(&cnt, sizeof(int));
  cudaMallocManaged(&len, sizeof(float));

  dim3 block(32, 8);
  dim3 gf((ny + block.x - 1) / block.x, (nx + block.y - 1) / block.y);
  dim3 gm((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  double t = wtime(), total_len = 0.0;
  int total = 0;
  for (int k = 0; k < frames; k++) {
    *cnt = 0;
    field_kernel<<<gf, block>>>(f, nx, ny, 0.1f * k);
    march_kernel<<<gm, block>>>(f, out, cnt, cap, nx, ny, 0.25f);
    length_kernel<<<1, 128>>>(out, cnt, len);
    cudaDeviceSynchronize();
    total += *cnt; total_len += *len;
  }
  t = wtime() - t;

  int ref = 0;
  for (int j = 0; j < ny - 1; j++)
    for (int i = 0; i < nx - 1; i++) {
      int code = (f[j * nx + i] > 0.25f) | (f[j * nx + i + 1] > 0.25f) << 1 |
                 (f[(j + 1) * nx + i + 1] > 0.25f) << 2 | (f[(j + 1) * nx + i] > 0.25f) << 3;
      ref += (code == 0 || code == 15) ? 0 : (code == 5 || code == 10) ? 2 : 1;
    }
  printf("segments %d (cpu %d) %s, mean length %.3f\n", *cnt, ref, *cnt == ref ? "PASS" : "FAIL", total_len / frames);
  printf("total segments %d, time per frame %.3f ms\n", total, 1e3 * t / frames);
  cudaFree(f); cudaFree(out); cudaFree(cnt); cudaFree(len);
  return 0;
}
