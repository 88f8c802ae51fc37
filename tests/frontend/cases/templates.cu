// kernels: add<double, 128> add<int, 64> fill<float> copy<double> reduce<32> tail<16>?
// remark: no launch gives all template arguments: tail<16> was assumed
template <typename T, int BLOCK>
__global__ void add(T *a, const T *b) {
  a[blockIdx.x * BLOCK + threadIdx.x] += b[blockIdx.x * BLOCK + threadIdx.x];
}

template <typename T>
__global__ void fill(T *a, T value) {
  a[threadIdx.x] = value;
}

template <typename T>
__global__ void copy(T *to, const T *from) {
  to[threadIdx.x] = from[threadIdx.x];
}

template <int N>
__global__ void reduce(int *a) {
  __shared__ int s[N];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 1; i < N; ++i) s[0] += s[i];
  if (threadIdx.x == 0) a[0] = s[0];
}

template <int N>
__global__ void tail(int *a) {
  a[threadIdx.x] = N;
}

template <typename T>
void launch_add(T *a, T *b) {
  add<T, 128><<<8, 128>>>(a, b);
}

int main() {
  double *x = nullptr, *y = nullptr;
  const int width = 32;
  launch_add<double>(x, y);
  add<int, 64><<<8, 64>>>(nullptr, nullptr);
  fill<float><<<1, 32>>>(nullptr, 1.0f);
  copy<<<1, 32>>>(x, y);
  reduce<width><<<1, width>>>(nullptr);
}
