// An unknown specifier before auto costs one call.
// kernels: k
// calls: 2
#include <layouts/layout.h>
struct Tiles {
  static LAYOUT_DEVICE constexpr auto tile0() { return 0; }
  static LAYOUT_DEVICE constexpr auto tile1() { return 1; }
  static LAYOUT_DEVICE constexpr auto tile2() { return 2; }
  static LAYOUT_DEVICE constexpr auto tile3() { return 3; }
};
__global__ void k(int *p) { *p = Tiles::tile3(); }
