// kernels: mean<float>?
// remark: no launch gives all template arguments
// Macros that instantiate host functions, used without a semicolon and indented in namespaces.
#include <vector>
namespace shop {
enum class Device { CPU, CUDA };
class View {
 public:
  template <typename T>
  T *data() const;
};
namespace ops {
class Mean {
 public:
  template <Device D, typename T>
  void compute(const View &input, int n, View &output) const;
};
}
}

namespace shop {
  namespace ops {
    template <typename T>
    __global__ void mean(const T *input, int n, T *output) {
      output[blockIdx.x * n + threadIdx.x] = input[blockIdx.x * n + threadIdx.x];
    }

    template <Device D, typename T>
    void Mean::compute(const View &input, int n, View &output) const {
      mean<T><<<n, 256>>>(input.data<T>(), n, output.data<T>());
    }

#define DECLARE_IMPL(T)                                    \
    template void                                          \
    Mean::compute<Device::CUDA, T>(const View &input,      \
                                   int n, View &output) const;

    DECLARE_IMPL(float)
    DECLARE_IMPL(int)

  }
}
