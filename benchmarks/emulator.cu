extern "C" __global__ void vecadd(const float *a, const float *b, float *c, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) sum += a[i + k] + b[i + k];
  c[i] = sum;
}
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
extern "C" __global__ void naive(const float *in, float *out, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
template <int PITCH> __device__ void tile(const float *in, float *out, int n) {
  __shared__ float t[16][PITCH];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = t[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void tiled(const float *in, float *out, int n) { tile<16>(in, out, n); }
extern "C" __global__ void padded(const float *in, float *out, int n) { tile<17>(in, out, n); }
extern "C" __global__ void bitonic(unsigned *data) {
  __shared__ unsigned s[512];
  unsigned t = threadIdx.x;
  s[t] = data[blockIdx.x * 512 + t]; s[t + 256] = data[blockIdx.x * 512 + t + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned stride = size / 2; stride; stride /= 2) {
      __syncthreads();
      unsigned at = 2 * t - (t & (stride - 1));
      bool up = (t & (size / 2)) == 0;
      unsigned p = s[at], q = s[at + stride];
      if ((p > q) == up) { s[at] = q; s[at + stride] = p; }
    }
  __syncthreads();
  data[blockIdx.x * 512 + t] = s[t]; data[blockIdx.x * 512 + t + 256] = s[t + 256];
}
extern "C" __global__ void mandelbrot(int *out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.0f + 3.0f * x / width, cy = -1.0f + 2.0f * y / height;
  float zx = 0, zy = 0; int n = 0;
  while (n < limit && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + cx; zy = 2 * zx * zy + cy; zx = next; ++n;
  }
  out[y * width + x] = n;
}
