// A macro that declares a variable of the host's and functions with other macros in them goes with
// what it is given.
// kernels: twice
// calls: 1
#include <unordered_map>
#define CASES_REAL(f) \
  case 0: f(float);   \
  break;
#define REGISTER(NAME, FUNCTION, SET)                                               \
  static std::unordered_map<int, decltype(&FUNCTION<int>)> *NAME##_map = nullptr;   \
  static void Register##NAME(int type) {                                            \
    switch (type) {                                                                 \
      CASES_##SET(FUNCTION) default : { NAME##_map->emplace(type, FUNCTION<int>); } \
    }                                                                               \
  }
template <class T> void run(T *p) { printf("%p", p); }
__global__ void twice(float *a) { a[threadIdx.x] *= 2; }

REGISTER(Run,
         run,
         REAL)

void launch(float *a) { twice<<<1, 256>>>(a); }
