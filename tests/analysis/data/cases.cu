// Kernels whose PTX stands beside this file (cases.ptx). `// want:` lines are the test's
// expectations of the statement below them, one per access site in instruction order:
//   want: kind array stride-in-x [flags]
// where the stride is in source terms and `-` means none, `loaded` that the address depends on a
// loaded value and `data` that reaching or repeating the access does.
// Made with: nvcc -ptx -lineinfo -arch=sm_80 cases.cu

struct Image { float *pixels; int pitch; };
__constant__ int limits[4];
__constant__ int offsets[4] = {3, 1, 4, 1};

extern "C" __global__ void one_line(float *a, const float *b, float *c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // want: load b 4
  // want: load c 4*w
  // want: load b 4
  // want: store a 4*h
  if (x < w && y < h) a[x * h + y] = b[y * w + x] + c[x * w + y] * b[x];
}

extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int q = 0; q < k; q++) {
    // want: load a 0
    // want: load b 4
    sum += a[i * k + q] * b[q * n + j];
  }
  // want: store c 4
  c[i * n + j] = sum;
}

extern "C" __global__ void row_per_thread(const float *a, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // want: load a 4*n
  for (int j = 0; j < n; j++) sum += a[i * n + j];
  // want: store out 4
  out[i] = sum;
}

extern "C" __global__ void grid_stride(float *a, int n, Image image) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    // want: load image 4*image.pitch
    // want: store a 4
    a[i] = image.pixels[i * image.pitch];
  }
}

extern "C" __global__ void nested(float *a, int n, int m) {
  int x = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      // want: load a 8
      sum += a[(i * m + j) * n + 2 * x];
    }
  // want: store a 4
  a[x] = sum;
}

extern "C" __global__ void odd_bits(float *a) {
  int x = threadIdx.x;
  // want: store a 8
  a[2 * x] = 1; a[2 * x | 1] = 2;
}

extern "C" __global__ void gather(const int *index, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // want: load index 4
  // want: load a - loaded
  // want: store out 4
  out[i] = a[index[i]];
}

extern "C" __global__ void guarded_by_data(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // want: load x 4
  float v = x[i];
  // want: store out 4 data
  if (v > 0.0f) out[i] = v;
}

extern "C" __global__ void early_return(const int *flag, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // want: load flag 4
  if (flag[i] == 0) return;
  // want: store out 4 data
  out[i] = 1;
}

extern "C" __global__ void trip_count(const int *rows, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // want: load rows 4
  int end = rows[i];
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < end; j++) {
    // want: load a 4 data
    sum += a[j * 64 + i];
  }
  // want: store out 4
  out[i] = sum;
}

extern "C" __global__ void csr(const int *rows, const int *columns, const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // want: load rows 4
  int end = rows[i + 1];
  // want: load rows 4
  int begin = rows[i];
#pragma unroll 1
  for (int j = begin; j < end; j++) {
    // want: load columns - loaded data
    // want: load x - loaded data
    sum += x[columns[j]];
  }
  // want: store out 4
  out[i] = sum;
}

extern "C" __global__ void transpose_tile(const float *in, float *out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  // want: load in 4
  // want: store tile 4
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  // want: load tile 132
  // want: store out 4
  out[(blockIdx.x * 32 + threadIdx.y) * h + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void table_in_shared(const int *data, float *out) {
  __shared__ int filled[256], computed[256];
  int x = threadIdx.x;
  // want: load data 4
  // want: store filled 4
  filled[x] = data[x];
  // want: store computed 4
  computed[x] = 255 - x;
  __syncthreads();
  // want: load filled 4
  // want: store out - loaded
  out[filled[x]] = 1;
  // want: load computed 4
  // want: store out -
  out[computed[x] + 1024] = 2;
}

extern "C" __global__ void constants(float *out) {
  int x = threadIdx.x;
  // want: load limits 0
  // want: store out 4 data
  if (x < limits[1]) out[x] = 1;
  // want: load offsets 0
  // want: store out 4
  out[x + 64 * offsets[blockIdx.x & 3]] = 2;
}

extern "C" __global__ void same_array_chosen(float *a, int n, int forward) {
  int x = threadIdx.x;
  float *p = forward ? a : a + n;
  // want: store a 4
  p[x] = 1;
}

extern "C" __global__ void two_arrays_chosen(float *a, float *b, int forward) {
  int x = threadIdx.x;
  float *p = forward ? a : b;
  // want: store ? 4
  p[x] = 1;
}

extern "C" __global__ void array_of_pointers(float **rows, int x) {
  // want: load rows 8
  // want: store ? - loaded
  rows[threadIdx.x][x] = 1;
}

extern "C" __global__ void modulo(float *a, int n) {
  // want: store a -
  a[threadIdx.x % n] = 1;
}

extern "C" __global__ void doubling(float *a) {
  __shared__ float s[1024];
  int x = threadIdx.x;
  // want: load a 4
  // want: store s 4
  s[x] = a[x];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (x % (2 * step) == 0) {
      // want: load s 4
      // want: store s 4
      s[x] += s[x + step];
    }
    __syncthreads();
  }
}

extern "C" __global__ void vectors(float4 *a, const short *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // want: load b 2
  short s = b[i];
  // want: store a 16
  a[i] = make_float4(s, 1, 2, 3);
}

extern "C" __global__ void accumulate(const float *a, float *sum) {
  // want: load a 4
  // want: atomic sum 0
  atomicAdd(sum, a[threadIdx.x]);
}

extern "C" __global__ void ticket(int *count, int *out) {
  // want: atomic count 0
  int slot = atomicAdd(count, 1);
  // want: store out - loaded
  out[slot] = threadIdx.x;
}

extern "C" __global__ void spin(volatile int *ready, int *out) {
  // want: load ready 0 data
  while (*ready == 0) { }
  // want: store out 4
  out[threadIdx.x] = 1;
}

extern "C" __global__ void maximum(int *best, const int *a) {
  // want: load a 4
  int mine = a[threadIdx.x];
  // want: load best 0
  int old = *best;
  while (old < mine) {
    int assumed = old;
    // want: atomic best 0 data
    old = atomicCAS(best, assumed, mine);
  }
}

extern "C" __global__ void triangle(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = x; j < n; j++) {
    // want: store a 4*(n + 1)
    a[x * n + j] = 0;
  }
}

extern "C" __global__ void left_at_different_turns(float *a, int n) {
  int j = 0;
#pragma unroll 1
  // want: store a 0
  for (; j * j * n < threadIdx.x; j++) a[0] = 1;
  // want: store a -
  a[j] = 2;
}
