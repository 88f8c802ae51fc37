// The parameter of a postfix operator is no type of a compound literal.
// kernels: k l
struct point {
  int x, y;
};
struct Index {
  unsigned value;
  __device__ Index operator++(int) { Index old{*this}; ++value; return old; }
  __device__ Index operator -- (int)
  {
    Index old{*this};
    --value;
    return old;
  }
};
__global__ void k(unsigned *p) {
  Index i{p[threadIdx.x]};
  i++;
  i--;
  p[threadIdx.x] = i.value;
}
__global__ void l(point *p) { p[threadIdx.x] = (struct point){1, 2}; }
