// What a macro of an absent framework defines, of a name in quotes, is a function of the host's.
// kernels: scale
// calls: 1
#include <catch2/catch.hpp>
namespace tests {
__global__ void scale(float *a) { a[threadIdx.x] *= 2; }
TEST_CASE("it scales", "[gpu]") {
  float *a = nullptr;
  scale<<<1, 32>>>(a);
  REQUIRE(a == nullptr);
}
MATCHER_P(is_near, error, std::string(negation ? "is not" : "is") + " near") {
  return arg - error < 0;
}
} // namespace tests
