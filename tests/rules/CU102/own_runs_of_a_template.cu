// Runs of a number that a template is given: no structure, whatever the launch calls its type.
template <typename T> struct Device {
  using type = T;
};
template <typename T> using device_type = typename Device<T>::type;

template <typename T, int ITEMS> __global__ void sums(T *out, const T *in)
{
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
  T sum = 0;
  for (int i = 0; i < ITEMS; i++)
    sum += in[first + i]; // expect: CU102 "16 loads of neighbouring scalars"
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
  float *out, *in;
  cudaMalloc(&out, 256 * 256 * sizeof(float));
  cudaMalloc(&in, 16 * 256 * 256 * sizeof(float));
  sums<device_type<float>, 16><<<256, 256>>>(out, in);
}
