// kernels: scaled row
// remark: `halved`, `quartered` has no `__device__`
// Macros that stand for qualifiers, and for nothing where no CUDA compiler reads.
#ifdef __CUDACC__
#define DEV __device__
#define HOST __host__
#define GLOBAL __global__
#else
#define DEV
#define HOST
#define GLOBAL
#endif
#define EXPORTED
#include <algorithm>
#define ON_THE_HOST
void checked(float *p, HOST_ONLY_ARRAY(rows, 4)) {}
template <typename T, int N>
struct EXPORTED View;
template <typename T, int N>
struct EXPORTED View {
  T *data_;
  int strides_[N];
  HOST View(T *data, const int *strides) : data_(data) {
    std::copy(strides, strides + N, std::begin(strides_));
  }
  HOST View<T, N> reversed(int a, int b) const {
    View<T, N> result(data_, strides_);
    std::swap(result.strides_[a], result.strides_[b]);
    return result;
  }
  DEV inline T &at(int i) const { return data_[i * strides_[0]]; }
};
inline float halved(float x) { return x / 2; }
inline float quartered(float x) { return halved(x) / 2; }
GLOBAL static void scaled(float *p) { p[threadIdx.x] = quartered(halved(p[threadIdx.x])); }
GLOBAL void row(View<float, 2> view) { view.at(threadIdx.x) = 0; }
#ifdef UNDERSCORE
double clock_()
#else
double clock_now()
#endif
{
  struct timezone zone;
  return gettimeofday(0, &zone);
}
HOST void host(float *p) { scaled<<<1, 32>>>(p); }
