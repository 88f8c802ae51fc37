// Where a float is refused as only integers have an operator, no other float is tried.
// kernels: mask<int, 16>?
// calls: 2
template <class Pixel, int bits>
__global__ void mask(Pixel *a) {
  a[threadIdx.x] = (a[threadIdx.x] >> 1) & ((Pixel(1) << bits) - 1);
}
