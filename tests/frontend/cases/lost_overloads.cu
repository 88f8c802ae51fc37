// An overload that does not compile: another one, by a conversion, is something else.
// kernels: calls_other constructs_other
// lost: calls_lost "it needs `pick`, which did not compile"
// lost: constructs_lost "it needs `Value`, which did not compile"
// lost: calls_method "it needs `scaled`, which did not compile"
// lost: calls_instance "it needs `size`, which did not compile"
// lost: adds "it needs `operator+`, which did not compile"
// remark: `pick` was left out
__device__ float pick(double x) { return x * 2.0; }
__device__ float pick(float x)
{
    return of_a_header(x);
}

struct Value {
  float x;
  __device__ Value(double a) : x(a * 2.0) {}
  __device__ Value(float a) : x(of_a_header(a)) {}
  __device__ float scaled(double a) { return x * a; }
  __device__ float scaled(float a) { return of_a_header(x * a); }
};

template <class T>
__device__ int size(T x) {
  return sizeof(x);
}
template <class T>
__device__ int size(T *x) {
  return of_a_header();
}

struct Pair {
  float a, b;
  __device__ operator float() const { return a; }
};
__device__ Pair operator+(Pair x, Pair y) { return of_a_header(x.a, y.b); }

__global__ void calls_lost(float *y) { y[threadIdx.x] = pick(y[threadIdx.x]); }
__global__ void calls_other(float *y, double x) { y[threadIdx.x] = pick(x); }
__global__ void constructs_lost(float *y) { y[threadIdx.x] = Value(y[threadIdx.x]).x; }
__global__ void constructs_other(float *y, double x) { y[threadIdx.x] = Value(x).scaled(x); }
__global__ void calls_method(float *y, double x) { y[threadIdx.x] = Value(x).scaled(y[0]); }
__global__ void calls_instance(int *y) { y[threadIdx.x] = size(y); }
__global__ void adds(float *y, Pair p) { y[threadIdx.x] = p + p; }
