// Host code that no device compiler could read, between kernels that it can.
// kernels: first second
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thrust/device_vector.h>

std::map<std::string, std::vector<int>> table;
static FILE *log_file = fopen("log.txt", "w");
cublasHandle_t handle;

void write(std::ostream &out, const std::string &text);

class Timer : public std::enable_shared_from_this<Timer> {
 public:
  explicit Timer(std::string name) : name_(std::move(name)) {}
  ~Timer() { write(std::cerr, name_); }

 private:
  std::string name_;
};

__global__ void first(float *p) { p[threadIdx.x] = 1.0f; }

#if defined(__linux__)
int setup(int argc,
          char **argv) {
#else
int setup() {
#endif
  auto f = [](int x) { return x + 1; };
  /* a comment with
#if 0
     in it */
#define LATER 5
  return f(1);
}

__global__ void second(float *p) { p[threadIdx.x] = LATER; }

int main(int argc, char **argv) try {
  thrust::device_vector<float> v(10);
  return 0;
} catch (const std::exception &e) {
  return 1;
}
