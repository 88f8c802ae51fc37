#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

// Depth-wise 3x3 convolution followed by a point-wise bias/ReLU6, mobile-net sized layers.
// The tensors are NHWC.

#define N_BATCH  32
#define REPEAT   50

struct Layer { int h, w, c; };

static const Layer layers[] = { {112, 112, 32}, {56, 56, 128}, {28, 28, 256} };

struct Shape {
  int n, h, w, c, r, pad;
};

__global__ void dwconv_direct(const float *__restrict__ in, const float *__restrict__ wgt,
                              float *__restrict__ out, Shape s)
{
  const int total = s.n * s.c * s.h * s.w;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < total; t += gridDim.x * blockDim.x) {
    const int x = t % s.w;
    const int y = (t / s.w) % s.h;
    const int c = (t / (s.w * s.h)) % s.c;
    const int n = t / (s.w * s.h * s.c);
    float acc = 0.0f;
    for (int i = 0; i < s.r; i++) {
      for (int j = 0; j < s.r; j++) {
        const int yy = y + i - s.pad, xx = x + j - s.pad;
        if (yy < 0 || yy >= s.h || xx < 0 || xx >= s.w) continue;
        acc += in[((n * s.h + yy) * s.w + xx) * s.c + c]
             * wgt[(i * s.r + j) * s.c + c];
      }
    }
    out[((n * s.h + y) * s.w + x) * s.c + c] = acc;
  }
}

__global__ void bias_relu6(float *__restrict__ t, const float *__restrict__ bias, int c4, int total4)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total4) return;
  float4 v = reinterpret_cast<float4 *>(t)[i];
  const float4 b = reinterpret_cast<const float4 *>(bias)[i % c4];
  v.x = fminf(fmaxf(v.x + b.x, 0.0f), 6.0f);
  v.y = fminf(fmaxf(v.y + b.y, 0.0f), 6.0f);
  v.z = fminf(fmaxf(v.z + b.z, 0.0f), 6.0f);
  v.w = fminf(fmaxf(v.w + b.w, 0.0f), 6.0f);
  reinterpret_cast<float4 *>(t)[i] = v;
}

static void cpu_point(const std::vector<float> &in, const std::vector<float> &w, const std::vector<float> &b,
                      const Shape &s, int n, int y, int x, int c, float *res)
{
  float a = 0.0f;
  for (int i = 0; i < s.r; i++)
    for (int j = 0; j < s.r; j++) {
      int yy = y + i - s.pad, xx = x + j - s.pad;
      if (yy >= 0 && yy < s.h && xx >= 0 && xx < s.w)
        a += in[(((size_t)n * s.h + yy) * s.w + xx) * s.c + c] * w[(i * s.r + j) * s.c + c];
    }
  *res = fminf(fmaxf(a + b[c], 0.0f), 6.0f);
}

struct CudaDeleter { void operator()(void *p) const { cudaFree(p); } };
template <typename T> using DevPtr = std::unique_ptr<T[], CudaDeleter>;
template <typename T> DevPtr<T> make_dev(size_t n)
{
  T *p = nullptr;
  if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) { printf("allocation of %zu failed\n", n); exit(1); }
  return DevPtr<T>(p);
}

int main()
{
  for (const Layer &l : layers) {
    Shape s = {N_BATCH, l.h, l.w, l.c, 3, 1};
    const size_t n = (size_t)s.n * s.h * s.w * s.c;
    std::vector<float> in(n), w(9 * s.c), b(s.c), out(n);
    for (size_t i = 0; i < n; i++) in[i] = 0.01f * (float)(i % 311) - 1.0f;
    for (size_t i = 0; i < w.size(); i++) w[i] = 0.1f * (float)(i % 13) - 0.5f;
    for (int i = 0; i < s.c; i++) b[i] = 0.05f * i / s.c;

    auto d_in = make_dev<float>(n);
    auto d_out = make_dev<float>(n);
    auto d_w = make_dev<float>(w.size());
    auto d_b = make_dev<float>(b.size());
    cudaMemcpy(d_in.get(), in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w.get(), w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b.get(), b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    cudaEventRecord(t0);
    for (int r = 0; r < REPEAT; r++) {
      dwconv_direct<<<108 * 8, 256>>>(d_in.get(), d_w.get(), d_out.get(), s);
      bias_relu6<<<(unsigned)((n / 4 + 255) / 256), 256>>>(d_out.get(), d_b.get(), s.c / 4, (int)(n / 4));
    }
    cudaEventRecord(t1);
    cudaEventSynchronize(t1);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, t0, t1);
    cudaMemcpy(out.data(), d_out.get(), n * sizeof(float), cudaMemcpyDeviceToHost);

    double err = 0.0;
    for (int k = 0; k < 2000; k++) {
      int nn = k % s.n, y = (k * 7) % s.h, x = (k * 13) % s.w, c = (k * 5) % s.c;
      float ref;
      cpu_point(in, w, b, s, nn, y, x, c, &ref);
      err = fmax(err, fabs((double)ref - out[(((size_t)nn * s.h + y) * s.w + x) * s.c + c]));
    }
    printf("%3d x %3d x %3d : %8.4f ms  error %.2e %s\n", s.h, s.w, s.c, ms / REPEAT, err, err < 1e-4 ? "PASS" : "FAIL");
    cudaEventDestroy(t0);
    cudaEventDestroy(t1);
  }
  return 0;
}
