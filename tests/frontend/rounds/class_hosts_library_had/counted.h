#include <atomic>
class Counted {
 public:
  float *p;
  std::atomic<int> *uses;
};
