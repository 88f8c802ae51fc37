// nvcc warns of what says where a class runs, and NVRTC does not take it before a template's.
// kernels: k
template <typename T> __device__ struct Row {
  T x, y;
  __device__ T sum() const { return x + y; }
};
template <typename T>
__host__ __device__ class Cell : public Row<T> {
public:
  __device__ T twice() const { return 2 * this->x; }
};
struct Plain {
  float x;
};
__device__ struct Plain the_plain = {1.0f};
__global__ void k(float *p) {
  Row<float> row{p[0], p[1]};
  p[threadIdx.x] = row.sum() + the_plain.x + sizeof(Cell<float>);
}
