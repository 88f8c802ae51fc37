// Finite-volume Euler equations, 2-D, Rusanov flux, conserved variables.
// Options: -x <cells in x> -y <cells in y> -n <steps>  (1024 x 512, 100 steps)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <getopt.h>
#include <cuda_runtime.h>

const float GAMMA = 1.4f;

struct Cell { float rho, mx, my, E; };

struct Setup {
  int nx, ny;
  float dx, cfl;
};

#define SAFE(e) { cudaError_t r_ = e; if (r_ != cudaSuccess) { printf("%s at %d\n", cudaGetErrorString(r_), __LINE__); return 1; } }

__device__ float pressure(const Cell &c)
{
  return (GAMMA - 1.0f) * (c.E - 0.5f * (c.mx * c.mx + c.my * c.my) / c.rho);
}

__device__ void rusanov(const Cell &l, const Cell &r, int dir, float out[4])
{
  float pl = pressure(l), pr = pressure(r);
  float ul = (dir ? l.my : l.mx) / l.rho, ur = (dir ? r.my : r.mx) / r.rho;
  float sl = fabsf(ul) + sqrtf(GAMMA * pl / l.rho);
  float sr = fabsf(ur) + sqrtf(GAMMA * pr / r.rho);
  float s = fmaxf(sl, sr);
  out[0] = 0.5f * (l.rho * ul + r.rho * ur - s * (r.rho - l.rho));
  out[1] = 0.5f * (l.mx * ul + r.mx * ur + (dir ? 0.0f : pl + pr) - s * (r.mx - l.mx));
  out[2] = 0.5f * (l.my * ul + r.my * ur + (dir ? pl + pr : 0.0f) - s * (r.my - l.my));
  out[3] = 0.5f * ((l.E + pl) * ul + (r.E + pr) * ur - s * (r.E - l.E));
}

__global__ void wave_speed(const float *state, float *speed, Setup st)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= st.nx * st.ny) return;
  Cell c;
  c.rho = state[4 * k];
  c.mx = state[4 * k + 1];
  c.my = state[4 * k + 2];
  c.E = state[4 * k + 3];
  float a = powf(GAMMA * pressure(c) / c.rho, 0.5f);
  float u = sqrtf(c.mx * c.mx + c.my * c.my) / c.rho;
  speed[k] = u + a;
}

__global__ void max_speed(const float *speed, float *out, int n)
{
  __shared__ float s[256];
  float m = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, speed[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

__global__ void advance(const Cell *__restrict__ in, Cell *__restrict__ out, const float *__restrict__ smax, Setup st)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= st.nx || j >= st.ny) return;
  float lambda = st.cfl / *smax;
  int w = i > 0 ? i - 1 : 0, e = i < st.nx - 1 ? i + 1 : i;
  int s = j > 0 ? j - 1 : 0, n = j < st.ny - 1 ? j + 1 : j;
  Cell c = in[j * st.nx + i];
  Cell cw = in[j * st.nx + w], ce = in[j * st.nx + e];
  Cell cs = in[s * st.nx + i], cn = in[n * st.nx + i];
  float fw[4], fe[4], gs[4], gn[4];
  rusanov(cw, c, 0, fw);
  rusanov(c, ce, 0, fe);
  rusanov(cs, c, 1, gs);
  rusanov(c, cn, 1, gn);
  c.rho -= lambda * (fe[0] - fw[0] + gn[0] - gs[0]);
  c.mx -= lambda * (fe[1] - fw[1] + gn[1] - gs[1]);
  c.my -= lambda * (fe[2] - fw[2] + gn[2] - gs[2]);
  c.E -= lambda * (fe[3] - fw[3] + gn[3] - gs[3]);
  out[j * st.nx + i] = c;
}

int main(int argc, char **argv)
{
  Setup st = {1024, 512, 1.0f, 0.4f};
  int steps = 100, o;
  while ((o = getopt(argc, argv, "x:y:n:")) != -1) {
    if (o == 'x') st.nx = atoi(optarg);
    else if (o == 'y') st.ny = atoi(optarg);
    else if (o == 'n') steps = atoi(optarg);
    else return 1;
  }
  const int n = st.nx * st.ny;
  std::vector<Cell> h(n);
  for (int j = 0; j < st.ny; j++)
    for (int i = 0; i < st.nx; i++) {
      bool inside = hypotf(i - st.nx / 3.0f, j - st.ny / 2.0f) < st.ny / 8.0f;
      float p = inside ? 10.0f : 1.0f;
      h[j * st.nx + i] = Cell{inside ? 2.0f : 1.0f, 0.0f, 0.0f, p / (GAMMA - 1.0f)};
    }
  double mass0 = 0, mass1 = 0;
  for (auto &c : h) mass0 += c.rho;

  Cell *a, *b; float *speed, *smax;
  SAFE(cudaMalloc(&a, n * sizeof(Cell)));
  SAFE(cudaMalloc(&b, n * sizeof(Cell)));
  SAFE(cudaMalloc(&speed, n * sizeof(float)));
  SAFE(cudaMalloc(&smax, sizeof(float)));
  SAFE(cudaMemcpy(a, h.data(), n * sizeof(Cell), cudaMemcpyHostToDevice));

  cudaEvent_t ta, tb;
  SAFE(cudaEventCreate(&ta)); SAFE(cudaEventCreate(&tb));
  SAFE(cudaEventRecord(ta));
  dim3 blk(64, 4), grd((st.nx + 63) / 64, (st.ny + 3) / 4);
  for (int s = 0; s < steps; s++) {
    wave_speed<<<(n + 255) / 256, 256>>>((const float *)a, speed, st);
    max_speed<<<1, 256>>>(speed, smax, n);
    advance<<<grd, blk>>>(a, b, smax, st);
    Cell *t = a; a = b; b = t;
  }
  SAFE(cudaEventRecord(tb));
  SAFE(cudaEventSynchronize(tb));
  float ms = 0;
  SAFE(cudaEventElapsedTime(&ms, ta, tb));
  SAFE(cudaMemcpy(h.data(), a, n * sizeof(Cell), cudaMemcpyDeviceToHost));
  for (auto &c : h) mass1 += c.rho;
  printf("mass drift %.3e %s, %.4f ms per step\n", fabs(mass1 / mass0 - 1.0),
         fabs(mass1 / mass0 - 1.0) < 1e-2 ? "PASS" : "FAIL", ms / steps);
  cudaFree(a); cudaFree(b); cudaFree(speed); cudaFree(smax);
  return 0;
}
